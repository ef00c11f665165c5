//! An idle agent is small, and one that has gone leaves nothing (issue 6, part 9; K15).

use dsh_agent::{AgentOptions, AgentsExt};
use dsh_session::SessionId;
use dsh_testkit::{alone, resident_bytes};

use crate::support::{Played, World, lasting, said};

const AGENTS: u64 = 2_000;

fn on_a_runtime(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(test);
}

async fn make(world: &World, number: u64) -> dsh_agent::AgentHandle {
    let options = AgentOptions::new("agent").session(dsh_agent::NewSession::new().named(SessionId::new(number, 0)));
    world.root.agents().create(options).await.unwrap()
}

#[test]
fn an_idle_agent_takes_less_than_twenty_kilobytes() {
    alone(|| {
        on_a_runtime(async {
            let world = World::new(Played::answers([said("Good.")])).await;
            let mut handles = Vec::new();
            for number in 0..100 {
                handles.push(make(&world, number).await);
            }
            lasting().await;
            let Some(before) = resident_bytes() else { return };
            for number in 100..100 + AGENTS {
                handles.push(make(&world, number).await);
            }
            lasting().await;
            let each = (resident_bytes().unwrap() - before) / AGENTS;
            assert!(each <= 20_000, "{each} bytes an agent");
        });
    });
}

#[test]
fn agents_that_come_and_go_leave_nothing() {
    alone(|| {
        on_a_runtime(async {
            let world = World::new(Played::answers([said("Good.")])).await;
            let mut before = 0;
            for round in 0..4_000 {
                let handle = make(&world, 7).await;
                let agent = handle.agent().clone();
                if round % 10 == 0 {
                    agent.send(dsh_llm::Message::user("Go")).unwrap();
                    agent.when_idle().await;
                }
                handle.dispose().await.unwrap();
                dsh_session::SessionsExt::sessions(&world.root).remove(agent.id()).unwrap();
                if round == 1_000 {
                    before = resident_bytes().unwrap_or_default();
                }
            }
            let grown = resident_bytes().unwrap_or_default().saturating_sub(before);
            assert!(grown < 1_000_000, "{grown} bytes");
        });
    });
}
