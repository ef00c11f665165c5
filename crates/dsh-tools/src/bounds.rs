//! Results of bounded size: what is over the limit is cut at a line, with a mark that says how much is missing.

use std::fmt::Write as _;

use dsh_llm::{ContentBlock, Resource, ResourceBody};

use crate::config::ToolsConfig;

/// So many blocks a result may have: each costs the model something, however little is in it.
const BLOCKS: usize = 256;

/// So many bytes of the limit are kept for marks, so that what has been cut once is not cut again.
const RESERVED: usize = 320;

/// Cuts content to the limits. What is within them stays as it is, so that doing it twice changes nothing more.
pub(crate) fn bound(content: Vec<ContentBlock>, config: &ToolsConfig) -> Vec<ContentBlock> {
    let (text, media) = content.iter().map(size).fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    let fits = text <= config.result_limit && media <= config.media_limit && content.len() <= BLOCKS;
    if fits && content.iter().all(is_told) {
        return content;
    }
    let mut cut = Cut::new(config);
    for block in content {
        cut.take(block);
    }
    cut.finish()
}

/// A result is text, pictures and resources; the other blocks are parts of a conversation.
fn is_told(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Text { .. } | ContentBlock::Image(_) | ContentBlock::Resource(_))
}

/// How many bytes of text and of other data a block has.
fn size(block: &ContentBlock) -> (usize, usize) {
    if let ContentBlock::Text { text, .. } = block {
        return (text.len(), 0);
    }
    if let ContentBlock::Image(image) = block {
        return (image.media_type.len(), image.data.len());
    }
    let ContentBlock::Resource(resource) = block else { return (0, 0) };
    let address = resource.uri.len() + resource.media_type.as_ref().map_or(0, String::len);
    if let ResourceBody::Text(text) = &resource.body {
        return (address + text.len(), 0);
    }
    (address, if let ResourceBody::Data(data) = &resource.body { data.len() } else { 0 })
}

struct Cut {
    kept: Vec<ContentBlock>,
    text_left: usize,
    media_left: usize,
    /// The text that was cut, and what is missing of it and of all texts after it.
    gap: Option<usize>,
    missing_bytes: usize,
    missing_lines: usize,
    /// Blocks that do not fit as a whole, and cannot be cut.
    left_out: usize,
    left_out_bytes: usize,
}

impl Cut {
    fn new(config: &ToolsConfig) -> Self {
        Self {
            kept: Vec::new(),
            text_left: config.result_limit.saturating_sub(RESERVED),
            media_left: config.media_limit,
            gap: None,
            missing_bytes: 0,
            missing_lines: 0,
            left_out: 0,
            left_out_bytes: 0,
        }
    }

    fn take(&mut self, block: ContentBlock) {
        // Two places are kept for marks.
        let has_place = self.kept.len() < BLOCKS - 2;
        if let ContentBlock::Text { text, .. } = block {
            return self.take_text(&text, has_place);
        }
        let (text, media) = size(&block);
        if is_told(&block) && has_place && text <= self.text_left && media <= self.media_left {
            self.text_left -= text;
            self.media_left -= media;
            self.kept.push(block);
            return;
        }
        self.left_out += 1;
        self.left_out_bytes += text + media;
        // Where a resource stands can be told even so.
        let ContentBlock::Resource(resource) = block else { return };
        let link = ContentBlock::Resource(Resource::new(resource.uri, ResourceBody::Link));
        let (address, _) = size(&link);
        if has_place && address <= self.text_left {
            self.text_left -= address;
            self.kept.push(link);
        }
    }

    fn take_text(&mut self, text: &str, has_place: bool) {
        let is_whole = has_place && self.gap.is_none() && text.len() <= self.text_left;
        if is_whole {
            self.text_left -= text.len();
            self.kept.push(ContentBlock::text(text));
            return;
        }
        let room = if has_place && self.gap.is_none() { self.text_left } else { 0 };
        let end = cut_end(text, room);
        let rest = text.get(end..).unwrap_or_default();
        self.missing_bytes += rest.len();
        self.missing_lines += rest.lines().count();
        if self.gap.is_none() {
            self.gap = Some(self.kept.len());
            self.text_left = 0;
            self.kept.push(ContentBlock::text(text.get(..end).unwrap_or_default()));
        }
    }

    fn finish(mut self) -> Vec<ContentBlock> {
        if let Some(ContentBlock::Text { text, .. }) = self.gap.and_then(|place| self.kept.get_mut(place)) {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            let (bytes, lines) = (self.missing_bytes, self.missing_lines);
            // Writing to a string does not fail.
            let _infallible = write!(text, "[cut here: {bytes} bytes more, on {lines} lines; ask for a part of it]");
        }
        if self.left_out > 0 {
            let (count, bytes) = (self.left_out, self.left_out_bytes);
            let blocks = if count == 1 { "block" } else { "blocks" };
            self.kept.push(ContentBlock::text(format!(
                "[left out: {count} {blocks} of {bytes} bytes, too large or too many]"
            )));
        }
        self.kept
    }
}

/// Where to cut a text that has room for so many bytes: after a line, if that keeps at least half of them; else between two
/// characters.
fn cut_end(text: &str, room: usize) -> usize {
    let end = text.floor_char_boundary(room);
    let head = text.get(..end).unwrap_or_default();
    match head.rfind('\n') {
        Some(line) if line + 1 >= end / 2 => line + 1,
        Some(_) | None => end,
    }
}
