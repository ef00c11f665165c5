//! What the deployment decides of every tool.

/// What the deployment decides of every tool.
///
/// ```
/// let config = dsh_tools::ToolsConfig::new().result_limit(20_000).concurrency(4);
/// # drop(config);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolsConfig {
    pub(crate) result_limit: usize,
    pub(crate) media_limit: usize,
    pub(crate) concurrency: usize,
}

/// The least limit of a result: it has to hold a mark that says what is missing.
const LEAST: usize = 512;

impl ToolsConfig {
    /// 50 kB of text a result, 5 MB of pictures and other data, 16 calls side by side.
    pub fn new() -> Self {
        Self { result_limit: 50_000, media_limit: 5_000_000, concurrency: 16 }
    }

    /// How many bytes of text a result may have, marks included; at least 512. What is over is cut at a line, with a mark.
    #[must_use]
    pub fn result_limit(mut self, bytes: usize) -> Self {
        self.result_limit = bytes.max(LEAST);
        self
    }

    /// How many bytes of base64 the pictures and data of a result may have. What does not fit as a whole is left out, with a mark.
    #[must_use]
    pub fn media_limit(mut self, bytes: usize) -> Self {
        self.media_limit = bytes;
        self
    }

    /// How many calls of one step run side by side; at least 1 (T5).
    #[must_use]
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.concurrency = calls.max(1);
        self
    }
}

impl Default for ToolsConfig {
    fn default() -> Self {
        Self::new()
    }
}
