//! A fork: a new session with the turns of another.

use dsh_session::{
    FileStore, Input, MemoryStore, Opened, Record, Session, SessionEvent, SessionStore, Sessions, SessionsExt, TurnEnd,
    TurnStarted, Via, derive, requests,
};
use proptest::prelude::*;

use crate::files::folder;
use crate::support::{any_op, apply, id, lively, owned, says, user};

/// A kernel with a store, and what is done with it.
fn with<T>(store: impl SessionStore, body: impl FnOnce(dsh_session::SessionsHandle) -> T) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
        let kernel = dsh_kernel::Kernel::new();
        kernel.root().plugin(Sessions::new(store)).unwrap().ready().await.unwrap();
        body(kernel.root().sessions())
    })
}

fn fork_of(store: FileStore) {
    with(store, |sessions| {
        let source = sessions.create(Opened::new(id(1)).agent("main").model("m").cwd("/srv")).unwrap();
        lively(&source);
        // Its second turn is open: only what has ended can be taken over. Its writer goes on meanwhile.
        let error = sessions.fork(&id(1), 2, id(2)).unwrap_err();
        assert_eq!((error.code(), error.session()), ("session::turn_not_ended", Some(&id(1))));
        assert!(error.to_string().ends_with("the last turn that has ended is 1"), "{error}");
        assert_eq!(sessions.fork(&id(1), 9, id(2)).unwrap_err().code(), "session::turn_not_ended");
        assert_eq!(sessions.fork(&id(1), 1, id(1)).unwrap_err().code(), "session::exists");
        assert_eq!(sessions.fork(&id(7), 1, id(2)).unwrap_err().code(), "session::not_found");

        let fork = sessions.fork(&id(1), 1, id(2)).unwrap();
        let opened = fork.opened();
        assert_eq!(
            (opened.agent.as_str(), opened.model.as_deref(), opened.cwd.as_deref()),
            ("main", Some("m"), Some("/srv"))
        );
        let origin = opened.forked_from.as_ref().unwrap();
        assert_eq!((&origin.session, origin.turn), (&id(1), 1));
        let (of_fork, of_source) = (owned(&fork.records()), owned(&source.records()));
        assert_eq!(of_fork[1..], of_source[1..of_fork.len()]);
        assert_eq!(fork.messages().last(), Some(&says("A crab.")));
        assert_eq!(requests(&of_fork).unwrap(), requests(&of_source).unwrap()[..2]);

        // Each goes its own way.
        fork.append(TurnStarted::new()).unwrap();
        fork.append(Input::new(user("elsewhere"), Via::Prompt)).unwrap();
        assert_eq!(fork.turn(), 2);
        assert_ne!(fork.messages(), source.messages());
        let bare = sessions.fork(&id(1), 0, id(3)).unwrap();
        assert_eq!((bare.len(), bare.turn()), (1, 0));
        let of_fork = sessions.fork(&id(2), 1, id(4)).unwrap();
        assert_eq!(of_fork.opened().forked_from.as_ref().unwrap().session, id(2));
        let records = owned(&fork.records());
        drop(fork);
        assert_eq!(sessions.read(&id(2)).unwrap().records, records);
        assert_eq!(sessions.list().unwrap().len(), 4);
    });
}

#[test]
fn a_fork_has_the_turns_that_ended_and_says_where_it_comes_from() {
    fork_of(folder().store);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A fork is what the source was when that turn ended.
    #[test]
    fn a_fork_is_the_source_as_it_was_then(ops in prop::collection::vec(any_op(), 0..60)) {
        let store = MemoryStore::new();
        let source = Session::create(&store, Opened::new(id(1))).unwrap();
        for op in &ops {
            apply(&source, op);
        }
        source.interrupt(TurnEnd::Interrupted).unwrap();
        let log = source.records();
        with(store, |sessions| {
            for turn in 1..=source.turn() {
                let fork = sessions.fork(&id(1), turn, id(100 + u128::from(turn))).unwrap();
                let ended = |record: &Record| record.turn == turn && matches!(record.event, SessionEvent::TurnEnded(_));
                let end = log.iter().position(|record| ended(record)).unwrap();
                prop_assert_eq!(fork.messages(), derive(&log[..=end]));
                prop_assert_eq!(&fork.records()[1..], &log[1..=end]);
            }
            Ok(())
        })?;
    }
}
