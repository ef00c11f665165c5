//! Asking the host (T4).

use std::sync::{Arc, Mutex};

use dsh_kernel::{BoxFuture, Canceller};
use dsh_testkit::Gate;
use dsh_tools::{Approval, ApprovalRequest, Approver, PreExecuteEvent, ToolsExt};

use crate::support::{World, anybody, deny, register, shown, text, until, world};

/// Answers as it is told, when its gate is open.
struct Person {
    answer: Approval,
    gate: Gate,
    asked: Mutex<Vec<ApprovalRequest>>,
}

impl Person {
    fn new(answer: Approval) -> Arc<Self> {
        let gate = Gate::new();
        gate.open();
        Arc::new(Self { answer, gate, asked: Mutex::default() })
    }

    fn slow(answer: Approval) -> Arc<Self> {
        Arc::new(Self { answer, gate: Gate::new(), asked: Mutex::default() })
    }
}

impl Approver for Person {
    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Approval> {
        self.asked.lock().unwrap().push(request.clone());
        Box::pin(async {
            self.gate.wait().await;
            self.answer.clone()
        })
    }
}

/// A tool `t`, about which a listener asks.
async fn asking() -> World {
    let world = world().await;
    register(&world.root, &["t"]);
    world
        .root
        .on_waterfall::<PreExecuteEvent, _>(|mut call, _, next| async move {
            call.ask("it writes");
            next.run(call).await
        })
        .unwrap();
    world
}

/// T4
#[tokio::test]
async fn ask_goes_to_the_host() {
    let world = asking().await;
    let person = Person::new(Approval::Allow);
    let executed = world.call("t", "{}", anybody().approver(person.clone())).await;
    assert_eq!(shown(&executed), (None, "t".into()));
    {
        let asked = person.asked.lock().unwrap();
        let request = asked.first().unwrap();
        assert_eq!((asked.len(), request.call.name.as_str(), request.reason.as_str()), (1, "t", "it writes"));
        assert_eq!((request.owner.to_string(), request.scope), ("root".into(), None));
    }
    let executed = world.call("t", "{}", anybody().approver(Person::new(Approval::deny("not now")))).await;
    assert_eq!(shown(&executed), (Some("tools::denied"), "the call was denied; it was not run: not now".into()));
    assert!(!executed.began && !executed.denied_for_want_of_approver);
}

/// T4: without anybody to ask it is a denial, and the host can tell it from another one.
#[tokio::test]
async fn nobody_to_ask_is_a_denial() {
    let world = asking().await;
    let executed = world.call("t", "{}", anybody()).await;
    assert_eq!(executed.code, Some("tools::no_approver"));
    assert!(executed.denied_for_want_of_approver && !executed.began);
    assert!(text(&executed).ends_with(": it writes"), "{}", text(&executed));
}

/// K13: an approver that panics has not allowed anything.
#[tokio::test]
async fn an_approver_that_panics_has_not_consented() {
    struct Bomb;
    impl Approver for Bomb {
        fn ask<'a>(&'a self, _: &'a ApprovalRequest) -> BoxFuture<'a, Approval> {
            Box::pin(async { panic!("approver bomb") })
        }
    }
    let world = asking().await;
    let executed = world.call("t", "{}", anybody().approver(Arc::new(Bomb))).await;
    assert_eq!((executed.code, executed.began), (Some("tools::hook_failed"), false));
    assert_eq!(executed.failure().unwrap().panic_message(), Some("approver bomb"));
}

/// T4: cancelled while somebody is asked.
#[tokio::test]
async fn a_call_is_cancelled_while_somebody_is_asked() {
    let world = asking().await;
    let (person, turn) = (Person::slow(Approval::Allow), Canceller::new());
    let cx = anybody().approver(person.clone()).cancel(turn.token());
    let call = tokio::spawn(world.root.tools().execute(dsh_llm::ToolCall::new("c1", "t", "{}"), cx));
    person.gate.reached().await;
    turn.cancel();
    let executed = call.await.unwrap();
    assert_eq!((executed.code, executed.began), (Some("tools::cancelled"), false));
    assert_eq!(person.gate.waiting(), 0, "the question is withdrawn");
}

/// T3: what is restricted, or gone, while somebody is asked does not run, whatever the answer.
#[tokio::test]
async fn a_restriction_that_comes_while_somebody_is_asked_holds() {
    let world = asking().await;
    let scope = world.root.scope("agent").unwrap();
    let person = Person::slow(Approval::Allow);
    let cx = dsh_tools::ExecuteContext::from(scope.key()).approver(person.clone());
    let call = tokio::spawn(world.root.tools().execute(dsh_llm::ToolCall::new("c1", "t", "{}"), cx));
    person.gate.reached().await;
    deny(scope.ctx(), &["t"]);
    person.gate.open();
    let executed = call.await.unwrap();
    assert_eq!(
        shown(&executed),
        (Some("tools::unknown_tool"), "the tool `t` is denied for this agent; it was not run".into())
    );
    assert!(!executed.began);
}

/// K9: nothing of a tool's plugin is kept while somebody is asked about it.
#[tokio::test]
async fn a_plugin_unloads_while_somebody_is_asked() {
    let (world, probes) = (asking().await, dsh_testkit::Probes::new());
    let probe = probes.probe();
    let pack = world.mount("pack", move |ctx| {
        let probe = probe.clone();
        ctx.tools().register(crate::support::tool("late", move |_| {
            probe.touch();
            async { Ok(().into()) }
        }))?;
        Ok(())
    });
    let pack = pack.await;
    let live = probes.balance();
    let person = Person::slow(Approval::Allow);
    let call =
        world.root.tools().execute(dsh_llm::ToolCall::new("c1", "late", "{}"), anybody().approver(person.clone()));
    let call = tokio::spawn(call);
    person.gate.reached().await;
    pack.dispose().await.unwrap();
    until(|| probes.balance() < live).await;
    person.gate.open();
    assert_eq!(call.await.unwrap().code, Some("tools::unknown_tool"));
}
