//! A kernel with tools on it, a folder for scripts, and pipes that tell who is alive.

#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use dsh_kernel::{Context, Failure, Fiber, Kernel, Plugin};
use dsh_llm::{NO_PARAMETERS, ToolCall, ToolSchema};
use dsh_system_prompt::{PromptConfig, SystemPrompt};
use dsh_tool_command::CommandTool;
use dsh_tools::{ExecuteContext, Executed, Tool, ToolRegistry, Tools, ToolsConfig, ToolsExt as _};

/// A kernel, and a folder in which commands run.
pub(crate) struct Scene {
    pub(crate) kernel: Kernel,
    folder: tempfile::TempDir,
}

/// A plugin that has one tool.
struct Pack(std::sync::Mutex<Option<Tool>>);

impl Plugin for Pack {
    const NAME: &'static str = "pack";
    type Inject = (ToolRegistry,);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        ctx.tools().register(self.0.lock().unwrap().take().unwrap())?;
        Ok(())
    }
}

impl Scene {
    pub(crate) async fn new() -> Self {
        let kernel = Kernel::new();
        let root = kernel.root();
        root.plugin(SystemPrompt::new(PromptConfig::new())).unwrap().ready().await.unwrap();
        root.plugin(Tools::new(ToolsConfig::new().result_limit(1 << 20))).unwrap().ready().await.unwrap();
        Self { kernel, folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A file in the folder, which may be executed.
    pub(crate) fn script(&self, name: &str, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// A tool `t` that runs these words in the folder.
    pub(crate) fn tool(&self, words: &[&str]) -> CommandTool {
        let schema = ToolSchema::new("t", "", NO_PARAMETERS).unwrap();
        let tool = CommandTool::new(schema, words).unwrap();
        tool.folder(self.path()).environment([("PATH", "/usr/bin:/bin")])
    }

    /// A tool `t` that runs this script of a shell.
    pub(crate) fn shell(&self, script: &str) -> CommandTool {
        self.tool(&["/bin/sh", "-c", script])
    }

    /// Mounts a plugin that has this tool.
    pub(crate) async fn mount(&self, tool: impl Into<Tool>) -> Fiber {
        let fiber = self.kernel.root().plugin(Pack(std::sync::Mutex::new(Some(tool.into())))).unwrap();
        fiber.ready().await.unwrap();
        fiber
    }

    /// What a call of `t` comes to.
    pub(crate) fn execute(&self, cx: ExecuteContext) -> impl Future<Output = Executed> + Send + use<> {
        let tools = self.kernel.root().tools();
        async move { tools.execute(ToolCall::new("c1", "t", r#"{"a": "é"}"#), cx).await }
    }

    /// Mounts the tool and calls it once.
    pub(crate) async fn call(&self, tool: impl Into<Tool>) -> Executed {
        let fiber = self.mount(tool).await;
        let executed = self.execute(ExecuteContext::new()).await;
        fiber.dispose().await.unwrap();
        executed
    }

    /// A named pipe in the folder.
    pub(crate) fn pipe(&self, name: &str) -> PathBuf {
        let path = self.path().join(name);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    }
}

/// Reads a named pipe on a thread: what holds its other end is alive.
pub(crate) struct Witness(BufReader<std::fs::File>);

impl Witness {
    /// Waits until somebody has opened it, and said a line.
    pub(crate) async fn heard(path: PathBuf) -> (Self, String) {
        tokio::task::spawn_blocking(move || {
            let mut reader = BufReader::new(std::fs::File::open(path).unwrap());
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            (Self(reader), line)
        })
        .await
        .unwrap()
    }

    /// Waits until nobody is left who holds it; what was said in the meantime.
    pub(crate) async fn alone(mut self) -> String {
        tokio::task::spawn_blocking(move || {
            let mut rest = String::new();
            self.0.read_to_string(&mut rest).unwrap();
            rest
        })
        .await
        .unwrap()
    }
}

/// The text of a result.
pub(crate) fn text(executed: &Executed) -> String {
    let texts: Vec<&str> = executed.result.content.iter().filter_map(|block| block.as_text()).collect();
    texts.join("\n")
}

/// The error of this crate that a call failed with.
#[track_caller]
pub(crate) fn refusal(executed: &Executed) -> &dsh_tool_command::Error {
    assert_eq!((executed.code, executed.result.is_error), (Some(dsh_tools::code::FAILED), true), "{executed:?}");
    executed.failure().unwrap().downcast_ref().unwrap()
}
