//! Every place where foreign code is called, times every way in which it goes wrong there: the fault is told to whom it concerns, and
//! everybody else is served as if nothing had been (K13, K9).
//!
//! The two lists are in [`table`], how a site is come to in [`sites`], what the code does there in [`code`], what has to come of it in
//! [`expected`], and what must hold afterwards in [`scene`].

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "where most sites are alike; what a new one has to say of itself is asked by matches without a wildcard"
)]

mod code;
mod ears;
mod expected;
mod never;
mod process;
mod scene;
mod sites;
mod table;
mod told;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use expected::{Came, expected};
use scene::{Scene, same};
use table::{Fault, Site, impossible};

/// On the runtime's clock, which is paused: it passes only where nothing is left to do.
const NEVER: Duration = Duration::from_hours(1);

/// K13, K3, K4, K7, K8, K9, K11, K14, S8, S9
#[test]
fn each_fault_at_each_site_is_contained() {
    let pairs = Site::ALL.iter().flat_map(|site| Fault::ALL.iter().map(|fault| (*site, *fault)));
    let rows: Vec<_> = pairs.filter(|(site, fault)| impossible(*site, *fault).is_none()).collect();
    process::each_row(&rows, |(site, fault)| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let row = async {
            match tokio::time::timeout(NEVER, Box::pin(row(*site, *fault))).await {
                Ok(result) => result,
                Err(_) => Err("it waits for ever".to_owned()),
            }
        };
        catch_unwind(AssertUnwindSafe(|| runtime.block_on(row))).unwrap_or_else(|panic| {
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("one without a message");
            Err(format!("a panic got out: {message}"))
        })
    });
}

async fn row(site: Site, fault: Fault) -> Result<(), String> {
    let scene = Scene::new(site, fault).await;
    if fault == Fault::NeverEnd {
        return never::row(scene).await;
    }
    let told = sites::come_to(&scene).await;
    if fault == Fault::Mount {
        // What was mounted from inside is started as soon as the call is over; nothing else is asked of the kernel before.
        let tree = scene.stage.kernel.inspect().to_string();
        let mounted = tree.lines().map(str::trim).find(|line| line.starts_with("child ")).unwrap_or("nothing");
        same("what was mounted", mounted, if site.is_of_the_gone() { "nothing" } else { "child [active]" })?;
    }
    if fault == Fault::WaitForItsEnd {
        scene.stage.never.open();
    }
    quiet().await;
    let came = Came { told, said: scene.stage.said.take().join(", "), logged: scene.heard.take().join("\n") };
    let expected = expected(site, fault);
    came.is_as(&expected.came)?;
    scene.stands_as_new(&expected.prompt, &expected.without_culprit, "ok").await
}

/// Lets every task run until it waits.
async fn quiet() {
    for _ in 0..64 {
        tokio::task::yield_now().await;
    }
}
