//! How each site is come to, and what whoever came there is told.

use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context as TaskContext, Poll, Wake, Waker};

use dsh_kernel::{Audience, Context, Failure, FiberChanged, Fx, Outcome, Registered};
use dsh_system_prompt::{
    AssembleContext, AssembleEvent, PromptChange, PromptSection, PromptVariable, SystemPromptExt, ToolProvider,
};
use dsh_testkit::Gate;

use super::code::{Bomb, Code, Dropped, Holding};
use super::scene::{Ask, Ping, Scene, summary};
use super::table::{Fault, Site};
use super::told;
use crate::support::{Part, schema, until};

/// Sets the site up and comes to it; returns what was told there.
pub(crate) async fn come_to(scene: &Scene) -> String {
    let (site, ctx, code) = (scene.stage.site, scene.ctx(), scene.code.clone());
    let told = match site {
        Site::VariableProvider | Site::ToolProvider | Site::SectionText => {
            provider(site, &ctx, code, scene);
            scene.assembled().await
        }
        Site::AssembleCalled | Site::AssembleBeforeNext | Site::AssembleAfterNext | Site::AssembleLater => {
            assemble_listener(site, &ctx, code, scene);
            scene.assembled().await
        }
        Site::ChangeOnAdd | Site::ChangeOnRemove => change_listener(site, &ctx, code, scene).await,
        Site::EmitListener => {
            let bomb = code.bomb();
            let listener = move |_: &Ping| {
                bomb.hold();
                code.call()
            };
            scene.stage.keep(ctx.on(listener).unwrap());
            told::kernel(scene.root.emit(&Ping, Audience::Everyone))
        }
        Site::SerialCalled | Site::SerialFirst | Site::SerialLater => serial_listener(site, &ctx, code, scene).await,
        Site::FiberListener => fiber_listener(&ctx, code, scene).await,
        Site::SyncBody | Site::AsyncBodyFirst | Site::AsyncBodyLater => body(site, &ctx, code, scene).await,
        Site::SyncLink
        | Site::AsyncLinkMade
        | Site::AsyncLinkFirst
        | Site::AsyncLinkLater
        | Site::OutcomeOfALink
        | Site::DropOfALink => {
            let own = ctx.effect("site", |fx| {
                link(site, fx, code, scene);
                Ok(())
            });
            scene.stage.keep(own.unwrap());
            scene.remove().await
        }
        Site::StartCalled | Site::StartAtOnce | Site::StartLater => {
            drop(code);
            scene.go();
            told::kernel(scene.culprit().ready().await)
        }
        Site::TaskCalled | Site::TaskFirst | Site::TaskLater => task(site, &ctx, code, scene).await,
        Site::DropOfAService
        | Site::DropOfAProvider
        | Site::DropOfAListener
        | Site::DropOfAPlugin
        | Site::DropOfAnExtension => destructor(site, &ctx, code, scene).await,
        Site::DropOfAnUntoldFailure | Site::DropOfAnOutdatedFailure => failure(site, &ctx, &code, scene).await,
        Site::Waker | Site::DropOfAWaker => waker(site, &ctx, code, scene).await,
    };
    let holds_a_bomb = matches!(
        site,
        Site::VariableProvider
            | Site::ToolProvider
            | Site::SectionText
            | Site::ChangeOnAdd
            | Site::ChangeOnRemove
            | Site::EmitListener
            | Site::FiberListener
    );
    if scene.stage.fault == Fault::PanicInDestructor && holds_a_bomb {
        return format!("{told}, removed: {}", scene.remove().await);
    }
    told
}

fn provider(site: Site, ctx: &Context, code: Code, scene: &Scene) {
    let bomb = code.bomb();
    let ask = move |_: &AssembleContext| {
        bomb.hold();
        code.call()
    };
    let handle = ctx.system_prompt();
    let own = match site {
        Site::VariableProvider => {
            handle.variable(PromptVariable::try_computed("site", move |cx| ask(cx).map(|()| "x")))
        }
        Site::ToolProvider => {
            handle.tools(ToolProvider::try_computed(move |cx| ask(cx).map(|()| vec![schema("s_tool")])))
        }
        _ => handle.section(PromptSection::try_computed("site", 40, move |cx| ask(cx).map(|()| "site"))),
    };
    scene.stage.keep(own.unwrap());
}

fn assemble_listener(site: Site, ctx: &Context, code: Code, scene: &Scene) {
    let own = ctx.on_waterfall::<AssembleEvent, _>(move |assembly, _, next| {
        let code = code.clone();
        if site == Site::AssembleCalled {
            code.make();
        }
        Holding::new(&code.clone(), async move {
            match site {
                Site::AssembleBeforeNext => code.poll().await?,
                Site::AssembleLater => {
                    tokio::task::yield_now().await;
                    code.poll().await?;
                }
                _ => {}
            }
            let assembly = next.run(assembly).await?;
            if site == Site::AssembleAfterNext {
                code.poll().await?;
            }
            Ok(assembly)
        })
    });
    scene.stage.keep(own.unwrap());
}

async fn change_listener(site: Site, ctx: &Context, code: Code, scene: &Scene) -> String {
    let bomb = code.bomb();
    let when = if site == Site::ChangeOnAdd { Registered::Added } else { Registered::Removed };
    let own = ctx.on::<PromptChange, _>(move |change| {
        bomb.hold();
        let is_it = change.name.as_ref().is_some_and(|name| name.as_str() == "trigger") && change.change == when;
        if is_it { code.call() } else { Ok(()) }
    });
    scene.stage.keep(own.unwrap());
    let trigger = scene.neighbour.ctx().system_prompt().section(PromptSection::new("trigger", 50, "trigger"));
    match trigger {
        Err(error) => {
            let rolled_back = told::kernel(error.teardown().unwrap().await);
            format!("{}, rolled back: {rolled_back}", told::prompt::<()>(Err(error)))
        }
        Ok(trigger) => told::kernel(trigger.dispose().await),
    }
}

async fn serial_listener(site: Site, ctx: &Context, code: Code, scene: &Scene) -> String {
    // Before the neighbour, who answers.
    let own = ctx.prepended().on_serial::<Ask, _>(move |_| {
        let code = code.clone();
        if site == Site::SerialCalled {
            code.make();
        }
        Holding::new(&code.clone(), async move {
            match site {
                Site::SerialFirst => code.poll().await?,
                Site::SerialLater => {
                    tokio::task::yield_now().await;
                    code.poll().await?;
                }
                _ => {}
            }
            Ok(None)
        })
    });
    scene.stage.keep(own.unwrap());
    let answer = scene.root.serial(Arc::new(Ask), Audience::Everyone).await;
    match answer {
        Ok(answer) => format!("answer {answer:?}"),
        Err(error) => told::kernel::<()>(Err(error)),
    }
}

async fn fiber_listener(ctx: &Context, code: Code, scene: &Scene) -> String {
    let bomb = code.bomb();
    let own = ctx.on::<FiberChanged, _>(move |change| {
        bomb.hold();
        if change.path.name().as_str() == "signal" { code.call() } else { Ok(()) }
    });
    scene.stage.keep(own.unwrap());
    let signal = scene.root.plugin_dyn(Part::new("signal", |_| Ok(())));
    match signal {
        Ok(signal) => told::kernel(signal.dispose().await),
        Err(error) => told::kernel::<()>(Err(error)),
    }
}

async fn body(site: Site, ctx: &Context, code: Code, scene: &Scene) -> String {
    let said = scene.stage.said.clone();
    let undone = move |fx: &mut Fx| fx.defer(move || said.push("undone"));
    let bomb = code.bomb();
    let made = if site == Site::SyncBody {
        ctx.effect("site", move |fx| {
            bomb.hold();
            undone(fx);
            code.call()
        })
    } else {
        ctx.effect_async("site", async move |fx| {
            bomb.hold();
            undone(fx);
            if site == Site::AsyncBodyLater {
                tokio::task::yield_now().await;
            }
            code.poll().await
        })
        .await
    };
    match made {
        Ok(own) => format!("ok, undone: {}", told::kernel(own.dispose().await)),
        Err(error) => {
            let rolled_back = match error.teardown() {
                Some(teardown) => told::kernel(teardown.await),
                None => "nothing".to_owned(),
            };
            format!("{}, rolled back: {rolled_back}", told::kernel::<()>(Err(error)))
        }
    }
}

/// What it holds goes with the outcome that is made of it.
struct Ends(Code, Bomb);

impl Outcome for Ends {
    fn into_outcome(self) -> Result<(), Failure> {
        self.1.hold();
        self.0.call()
    }
}

fn link(site: Site, fx: &mut Fx, code: Code, scene: &Scene) {
    // The one that is undone last is undone whatever the other does.
    let said = scene.stage.said.clone();
    fx.defer(move || said.push("undone"));
    match site {
        Site::SyncLink => {
            let bomb = code.bomb();
            fx.defer(move || {
                bomb.hold();
                code.call()
            });
        }
        Site::OutcomeOfALink => {
            let bomb = code.bomb();
            fx.defer(move || Ends(code, bomb));
        }
        Site::DropOfALink => {
            let dropped = code.dropped();
            fx.defer(move || dropped.hold());
        }
        Site::AsyncLinkMade => fx.defer_async(move || {
            code.make();
            ready(())
        }),
        _ => fx.defer_async(move || {
            Holding::new(&code.clone(), async move {
                if site == Site::AsyncLinkLater {
                    tokio::task::yield_now().await;
                }
                code.poll().await
            })
        }),
    }
}

async fn task(site: Site, ctx: &Context, code: Code, scene: &Scene) -> String {
    let gate = Gate::new();
    let wait = gate.clone();
    let own = ctx.spawn("site", move |_| {
        if site == Site::TaskCalled {
            code.make();
        }
        Holding::new(&code.clone(), async move {
            // So that its disposer is there.
            wait.wait().await;
            if site == Site::TaskLater {
                tokio::task::yield_now().await;
            }
            if site == Site::TaskCalled { Ok(()) } else { code.poll().await }
        })
    });
    let own = match own {
        Ok(own) => own,
        Err(error) => return told::kernel::<()>(Err(error)),
    };
    scene.stage.keep(own);
    gate.open();
    let gone = || !scene.stage.kernel.inspect().to_string().contains("- site");
    if scene.stage.fault == Fault::NeverEnd {
        std::future::pending::<()>().await;
    }
    until(gone).await;
    "ended".to_owned()
}

async fn destructor(site: Site, ctx: &Context, code: Code, scene: &Scene) -> String {
    match site {
        Site::DropOfAService => {
            let service = Arc::new(Mutex::new(code.dropped()));
            drop(code);
            scene.stage.keep(ctx.provide_dyn("service", service).unwrap());
            scene.remove().await
        }
        Site::DropOfAProvider => {
            let dropped = code.dropped();
            let section = PromptSection::computed("site", 40, move |_| {
                dropped.hold();
                "site"
            });
            scene.stage.keep(ctx.system_prompt().section(section).unwrap());
            let with = scene.assembled().await;
            format!("{with}, removed: {}", scene.remove().await)
        }
        Site::DropOfAListener => {
            let dropped = code.dropped();
            scene.stage.keep(ctx.on::<Ping, _>(move |_| dropped.hold()).unwrap());
            scene.remove().await
        }
        Site::DropOfAPlugin => {
            drop(code);
            told::kernel(scene.culprit().dispose().await)
        }
        _ => {
            let context = AssembleContext::new().with(code.dropped());
            match scene.root.system_prompt().assemble(context).await {
                Ok(assembly) => summary(&assembly),
                Err(error) => told::prompt::<()>(Err(error)),
            }
        }
    }
}

/// A failure that holds something.
struct Holds(Mutex<Option<Dropped>>);

impl Holds {
    fn failure(code: &Code) -> Failure {
        Failure::from(Self(Mutex::new(Some(code.dropped()))))
    }
}

impl std::fmt::Debug for Holds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_poisoned() { "Holds, poisoned" } else { "Holds" })
    }
}

impl std::fmt::Display for Holds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("holds")
    }
}

impl std::error::Error for Holds {}

async fn failure(site: Site, ctx: &Context, code: &Code, scene: &Scene) -> String {
    if site == Site::DropOfAnUntoldFailure {
        let first = scene.neighbour.ctx().on::<Ping, _>(|_| Err::<(), _>(Failure::msg("first"))).unwrap();
        let once = Mutex::new(Some(Holds::failure(code)));
        let listener = move |_: &Ping| once.lock().unwrap().take().map_or(Ok(()), Err);
        scene.stage.keep(ctx.on(listener).unwrap());
        let told = told::kernel(scene.root.emit(&Ping, Audience::Everyone));
        return format!("{told}, removed: {}", told::kernel(first.dispose().await));
    }
    let (once, stage) = (Mutex::new(Some(Holds::failure(code))), Arc::clone(&scene.stage));
    let text = move |_: &AssembleContext| {
        drop(stage.culprit.get().unwrap().dispose());
        once.lock().unwrap().take().map_or(Ok("site"), Err)
    };
    drop(ctx.system_prompt().section(PromptSection::try_computed("site", 40, text)).unwrap());
    scene.assembled().await
}

/// A waker that does something when it wakes, or when it goes.
struct Alarm(Code, Option<Dropped>);

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        if self.1.is_none() {
            self.0.make();
        }
    }
}

async fn waker(site: Site, ctx: &Context, code: Code, scene: &Scene) -> String {
    let gate = Gate::new();
    let dropped = (site == Site::DropOfAWaker).then(|| code.dropped());
    let waker = Waker::from(Arc::new(Alarm(code, dropped)));
    if site == Site::Waker {
        let wait = gate.clone();
        let own = ctx.effect("site", |fx| {
            fx.defer_async(move || async move { wait.wait().await });
            Ok(())
        });
        let mut end = own.unwrap().dispose();
        assert_eq!(Pin::new(&mut end).poll(&mut TaskContext::from_waker(&waker)).map(told::kernel), Poll::Pending);
        gate.open();
        return told::kernel(end.await);
    }
    // Something is unloading, so that there is something to wait for.
    let busy = scene.root.scope("busy").unwrap();
    let wait = gate.clone();
    let slow = busy.ctx().effect("slow", |fx| {
        fx.defer_async(move || async move { wait.wait().await });
        Ok(())
    });
    drop(slow.unwrap());
    let end = busy.dispose();
    let mut settled = Box::pin(scene.stage.kernel.settled());
    assert_eq!(settled.as_mut().poll(&mut TaskContext::from_waker(&waker)).map(told::kernel), Poll::Pending);
    drop(waker);
    drop(settled);
    gate.open();
    told::kernel(end.await)
}
