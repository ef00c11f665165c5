//! What never ends: everybody else is served, it is named where it is waited for, and it goes with its end (K9).

use std::future::Future;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use dsh_kernel::Name;
use dsh_testkit::poll_once;

use super::expected::prompts;
use super::quiet;
use super::scene::{Scene, same};
use super::sites;
use super::table::Site;
use super::told;

/// What waits for the site, as whoever came there does.
type Comes<'a> = Pin<Box<dyn Future<Output = String> + 'a>>;

pub(crate) async fn row(scene: Scene) -> Result<(), String> {
    let (with, without) = prompts(scene.stage.site);
    let end = {
        let mut comes: Comes<'_> = Box::pin(sites::come_to(&scene));
        for _ in 0..64 {
            if let Poll::Ready(told) = poll_once(&mut comes) {
                return Err(format!("it came to an end: {told}"));
            }
            tokio::task::yield_now().await;
        }
        same("what the code did", &scene.stage.said.take().join(", "), "ran")?;
        same("the next assembly", &scene.assembled().await, &with)?;
        match scene.stage.site {
            Site::AssembleBeforeNext
            | Site::AssembleAfterNext
            | Site::AssembleLater
            | Site::SerialFirst
            | Site::SerialLater => call(&scene, comes).await?,
            Site::AsyncBodyFirst | Site::AsyncBodyLater => body(&scene, comes).await?,
            Site::AsyncLinkFirst | Site::AsyncLinkLater => link(&scene, comes).await?,
            Site::StartAtOnce | Site::StartLater => start(&scene, comes).await?,
            Site::TaskFirst | Site::TaskLater => task(&scene, comes).await?,
            site => return Err(format!("{site:?} is no future")),
        }
        ended(&scene)
    };
    scene.stands_as_new(&without, &without, &end).await
}

/// Whoever called waits; the owner's end does not, and nobody is warned (K9).
async fn call(scene: &Scene, mut comes: Comes<'_>) -> Result<(), String> {
    scene.clock.advance(Duration::from_mins(2));
    quiet().await;
    same("the log", &scene.heard.take().join("\n"), "")?;
    same("the end of its owner", &ended(scene), "ok")?;
    same("whether the caller still waits", &poll_once(&mut comes).is_pending().to_string(), "true")
}

/// The owner's end waits for the body, and the body for its caller, who lets go of it (K3).
async fn body(scene: &Scene, comes: Comes<'_>) -> Result<(), String> {
    same("the owner in the tree", &owner(scene), "culprit [active]/- section culprit/- site (its body runs)")?;
    left(scene, &["site"]).await?;
    same("the owner in the tree", &owner(scene), "culprit [unloading]/- site (its body runs)")?;
    same("the log", &scene.heard.take().join("\n"), "")?;
    drop(comes);
    same("what the code did", &scene.stage.said.take().join(", "), "undone")?;
    same("the end of its owner", &ended(scene), "ok")
}

/// It is named after ten seconds, and then each minute.
async fn link(scene: &Scene, comes: Comes<'_>) -> Result<(), String> {
    let warning = |waited: &str| format!("WARN a link has not ended owner=host/culprit label=site waited={waited}");
    for (later, heard) in [(9_999, String::new()), (1, warning("10s")), (59_999, String::new()), (1, warning("70s"))] {
        scene.clock.advance(Duration::from_millis(later));
        quiet().await;
        same("the log", &scene.heard.take().join("\n"), &heard)?;
    }
    let undoing = "- site (undoing `site` for 70s)";
    same("the owner in the tree", &owner(scene), &format!("culprit [active]/- section culprit/{undoing}"))?;
    left(scene, &["site"]).await?;
    same("the owner in the tree", &owner(scene), "culprit [unloading]/- site (undoing `site` for 71s)")?;
    scene.stage.never.open();
    same("who came there", &comes.await, "ok")?;
    same("what the code did", &scene.stage.said.take().join(", "), "undone")?;
    same("the end of its owner", &ended(scene), "ok")
}

/// The disposal waits for the start to settle (K2).
async fn start(scene: &Scene, comes: Comes<'_>) -> Result<(), String> {
    same("the owner in the tree", &owner(scene), "culprit [loading]/- section culprit")?;
    left(scene, &["culprit", "section culprit"]).await?;
    scene.clock.advance(Duration::from_secs(1));
    quiet().await;
    same("the log", &scene.heard.take().join("\n"), "")?;
    scene.stage.never.open();
    same("who came there", &comes.await, "kernel::disposed of host/culprit")?;
    same("the log", &scene.heard.take().join("\n"), "WARN a start was slow owner=host/culprit took=2s")?;
    same("the end of its owner", &ended(scene), "ok")
}

/// It is aborted when its grace has passed (K14).
async fn task(scene: &Scene, comes: Comes<'_>) -> Result<(), String> {
    same("the owner in the tree", &owner(scene), "culprit [active]/- section culprit/- site")?;
    left(scene, &["site"]).await?;
    same("the owner in the tree", &owner(scene), "culprit [unloading]/- site (undoing `site` for 1s)")?;
    let end = scene.culprit().dispose();
    scene.clock.advance(Duration::from_secs(4));
    let aborted = "the task did not end within 5s of its cancellation and was aborted";
    let failed = format!("kernel::links_failed of host/culprit at site: {aborted}");
    same("the end of its owner", &told::kernel(end.await), &failed)?;
    let warning = format!("WARN a link failed owner=host/culprit label=site failure={aborted:?}");
    same("the log", &scene.heard.take().join("\n"), &warning)?;
    drop(comes);
    Ok(())
}

/// Disposes the owner, for a second: these are left, by label.
async fn left(scene: &Scene, labels: &[&str]) -> Result<(), String> {
    let mut end = Box::pin(scene.culprit().dispose_within(Duration::from_secs(1)));
    for _ in 0..64 {
        if let Poll::Ready(result) = poll_once(&mut end) {
            return Err(format!("the disposal came to an end: {}", told::kernel(result)));
        }
        tokio::task::yield_now().await;
    }
    scene.clock.advance(Duration::from_secs(1));
    let Err(error) = end.await else { return Err("the disposal came to an end".to_owned()) };
    let left = error.left().iter().map(Name::as_str).collect::<Vec<_>>().join(", ");
    same("what is left", &left, &labels.join(", "))?;
    same("the limit's end", &told::kernel::<()>(Err(error)), "kernel::unfinished of host/culprit")
}

/// The culprit as the tree shows it, with what is below it.
fn owner(scene: &Scene) -> String {
    let tree = scene.stage.kernel.inspect().to_string();
    let lines = tree.lines().skip_while(|line| !line.trim_start().starts_with("culprit"));
    let below = |(index, line): &(usize, &str)| *index == 0 || line.trim_start().starts_with('-');
    lines.enumerate().take_while(below).map(|(_, line)| line.trim_start()).collect::<Vec<_>>().join("/")
}

/// The end of the culprit, which has come by now.
fn ended(scene: &Scene) -> String {
    match poll_once(&mut scene.culprit().dispose()) {
        Poll::Ready(result) => told::kernel(result),
        Poll::Pending => "it waits".to_owned(),
    }
}
