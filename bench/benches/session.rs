//! Logs of sessions: append and replay beside what the disk does with the same bytes, and what an idle session holds.

use std::fs::File;
use std::io::Write as _;

use divan::counter::{BytesCount, ItemsCount};
use divan::{AllocProfiler, Bencher};
use dsh_bench::Workload;
use dsh_kernel::Failure;
use dsh_llm::{ContentBlock, Message, ModelRequest, ToolCall, ToolResult};
use dsh_session::{
    Answered, CallEnded, CallStarted, FileStore, Input, Log, Opened, Record, Session, SessionId, SessionStore, TurnEnd,
    TurnEnded, TurnStarted, Via, derive, requests,
};
use tempfile::TempDir;

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// How many turns the log that is read again has; each is ten records.
const TURNS: u32 = 1000;

fn store() -> Result<(TempDir, FileStore), Failure> {
    let folder = tempfile::tempdir()?;
    let store = FileStore::new(folder.path());
    Ok((folder, store))
}

fn id(number: u128) -> SessionId {
    SessionId::new(1_760_000_000_000, number)
}

/// A result of half a kilobyte, as many tools give.
fn result() -> ToolResult {
    ToolResult::new("c1", [ContentBlock::text("src/main.rs: let answer = 42;\n".repeat(16))])
}

/// A turn of two steps and a call.
fn turn(session: &Session) -> Result<(), Failure> {
    let request = |session: &Session| ModelRequest::new("scripted", session.messages()).system("You are dsh.");
    session.append(TurnStarted::new())?;
    session.append(Input::new(Message::user("Where is the answer?"), Via::Prompt))?;
    session.append_request(1, &request(session))?;
    let call = ContentBlock::ToolCall(ToolCall::new("c1", "search", r#"{"pattern":"answer"}"#));
    session.append(Answered::new(1, Message::assistant([ContentBlock::text("Let me look."), call])))?;
    session.append(CallStarted::new("c1"))?;
    session.append(CallEnded::new(result()))?;
    session.append(Answered::new(2, Message::assistant([ContentBlock::text("It is in src/main.rs.")])))?;
    session.append(TurnEnded::new(TurnEnd::Completed))?;
    Ok(())
}

/// A session of many turns, without requests, whose hash would be of all that was said before.
fn long(store: &FileStore) -> Result<Session, Failure> {
    let session = Session::create(store, Opened::new(id(1)))?;
    for _ in 0..TURNS {
        session.append(TurnStarted::new())?;
        session.append(Input::new(Message::user("Where is the answer?"), Via::Prompt))?;
        for step in 1..3 {
            let call = ContentBlock::ToolCall(ToolCall::new("c1", "search", r#"{"pattern":"answer"}"#));
            session.append(Answered::new(step, Message::assistant([ContentBlock::text("Let me look."), call])))?;
            session.append(CallStarted::new("c1"))?;
            session.append(CallEnded::new(result()))?;
        }
        session.append(Answered::new(3, Message::assistant([ContentBlock::text("It is in src/main.rs.")])))?;
        session.append(TurnEnded::new(TurnEnd::Completed))?;
    }
    Ok(session)
}

/// What a bench needs before it begins.
#[expect(clippy::expect_used, reason = "a bench has nobody to hand a failure to")]
fn prepared<T>(prepare: impl FnOnce() -> Result<T, Failure>) -> T {
    prepare().expect("what is measured can be set up")
}

/// One record of a call's result, as it is written.
fn line() -> String {
    let record = Record::new(5, 1, 1_760_000_000_000, CallEnded::new(result()));
    Log::new(vec![record]).to_lines()
}

/// A record appended to a file: numbered, checked, written as a line, kept.
#[divan::bench]
fn append_to_a_file(bencher: Bencher<'_, '_>) {
    let (_folder, session) = prepared(|| {
        let (folder, store) = store()?;
        let session = Session::create(&store, Opened::new(id(1)))?;
        session.append(TurnStarted::new())?;
        Ok((folder, session))
    });
    let input = Input::new(Message::user("src/main.rs: let answer = 42;\n".repeat(16)), Via::Steer);
    bencher
        .counter(ItemsCount::new(1_usize))
        .with_inputs(|| input.clone())
        .bench_local_values(|input| session.append(input).map(drop));
}

/// The same number of bytes written to a file, with nothing else done.
#[divan::bench]
fn append_by_hand(bencher: Bencher<'_, '_>) {
    let folder = prepared(|| Ok(tempfile::tempdir()?));
    let mut file = prepared(|| Ok(File::options().append(true).create(true).open(folder.path().join("plain"))?));
    let line = line();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| file.write_all(line.as_bytes()));
}

/// A turn of nine records, and its flush to the disk.
#[divan::bench]
fn a_turn_and_its_flush(bencher: Bencher<'_, '_>) {
    let (_folder, store) = prepared(store);
    let number = std::cell::Cell::new(0);
    let session = || {
        number.set(number.get() + 1);
        prepared(|| Ok(Session::create(&store, Opened::new(id(number.get())))?))
    };
    bencher.with_inputs(session).bench_local_values(|session| {
        prepared(|| turn(&session));
        dsh_testkit::block_on(session.flush())
    });
}

/// As many bytes written to a file and brought to the disk.
#[divan::bench]
fn a_turn_and_its_flush_by_hand(bencher: Bencher<'_, '_>) {
    let folder = prepared(|| Ok(tempfile::tempdir()?));
    let mut file = prepared(|| Ok(File::options().append(true).create(true).open(folder.path().join("plain"))?));
    let bytes = prepared(|| {
        let (_folder, store) = store()?;
        let session = Session::create(&store, Opened::new(id(1)))?;
        turn(&session)?;
        Ok(std::fs::read(store.path(&id(1)))?)
    });
    bencher.bench_local(|| {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            file.write_all(line)?;
        }
        file.sync_all()
    });
}

/// A long log opened again: read, checked, and its messages made.
#[divan::bench(sample_count = 20)]
fn replay_from_a_file(bencher: Bencher<'_, '_>) {
    let (_folder, store) = prepared(store);
    let records = prepared(|| Ok(long(&store)?.len()));
    bencher.counter(ItemsCount::new(records)).bench_local(|| Session::open(&store, &id(1)));
}

/// The same, by the bytes.
#[divan::bench(sample_count = 20)]
fn replay_from_a_file_by_the_bytes(bencher: Bencher<'_, '_>) {
    let (_folder, store) = prepared(store);
    drop(prepared(|| long(&store)));
    let bytes = prepared(|| Ok(std::fs::read(store.path(&id(1)))?.len()));
    bencher.counter(BytesCount::new(bytes)).bench_local(|| store.read(&id(1)));
}

/// The same bytes read, with nothing made of them.
#[divan::bench(sample_count = 20)]
fn replay_by_hand(bencher: Bencher<'_, '_>) {
    let (_folder, store) = prepared(store);
    drop(prepared(|| long(&store)));
    let path = store.path(&id(1));
    let bytes = prepared(|| Ok(std::fs::read(&path)?.len()));
    bencher.counter(BytesCount::new(bytes)).bench_local(|| std::fs::read(&path));
}

/// The same bytes parsed as JSON and let go of.
#[divan::bench(sample_count = 20)]
fn replay_by_a_json_reader(bencher: Bencher<'_, '_>) {
    let (_folder, store) = prepared(store);
    drop(prepared(|| long(&store)));
    let text = prepared(|| Ok(String::from_utf8(std::fs::read(store.path(&id(1)))?)?));
    bencher
        .counter(BytesCount::new(text.len()))
        .bench_local(|| text.lines().flat_map(serde_json::from_str::<serde_json::Value>).count());
}

/// The messages of a long log, from nothing.
#[divan::bench(sample_count = 20)]
fn derive_a_long_log(bencher: Bencher<'_, '_>) {
    let (_folder, store) = prepared(store);
    let records = prepared(|| Ok(long(&store)?.records()));
    bencher.counter(ItemsCount::new(records.len())).bench_local(|| derive(&records));
}

/// A request of the workload's prompt and tools told to the log, its hash included, and rebuilt.
#[divan::bench]
fn a_request_of_the_workload(bencher: Bencher<'_, '_>) {
    let (_folder, session, request) = prepared(|| {
        let (folder, store) = store()?;
        let session = Session::create(&store, Opened::new(id(1)))?;
        turn(&session)?;
        session.append(TurnStarted::new())?;
        let workload = Workload::load()?;
        let system: String = workload.sections.iter().map(|section| section.text.as_str()).collect();
        let mut request = ModelRequest::new("scripted", session.messages()).system(system);
        request.tools = workload.tools.iter().cloned().collect();
        session.append_request(1, &request)?;
        Ok((folder, session, request))
    });
    bencher.bench_local(|| session.append_request(2, &request).map(drop));
}

/// All requests of a session of ten turns rebuilt and proven.
#[divan::bench]
fn rebuild_the_requests_of_ten_turns(bencher: Bencher<'_, '_>) {
    let records = prepared(|| {
        let (_folder, store) = store()?;
        let session = Session::create(&store, Opened::new(id(1)))?;
        (0..10).try_for_each(|_| turn(&session))?;
        Ok(session.records())
    });
    bencher.bench_local(|| requests(&records));
}

/// A session that had one turn and waits: what it holds is what is allocated here and not let go of.
#[divan::bench]
fn an_idle_session(bencher: Bencher<'_, '_>) {
    let (_folder, store) = prepared(store);
    prepared(|| {
        let session = Session::create(&store, Opened::new(id(1)))?;
        turn(&session)
    });
    bencher.bench_local(|| Session::open(&store, &id(1)));
}

/// Sessions in a folder listed, each by its first and its last line.
#[divan::bench(args = [10, 1000])]
fn list(bencher: Bencher<'_, '_>, sessions: u32) {
    let (_folder, store) = prepared(store);
    prepared(|| {
        (0..sessions).try_for_each(|number| {
            let session = Session::create(&store, Opened::new(id(u128::from(number))))?;
            turn(&session)
        })
    });
    bencher.counter(ItemsCount::new(sessions)).bench_local(|| store.list());
}
