//! Results of bounded size: what is over the limit is cut at a line, with a mark that says how much is missing.

use std::fmt::Write as _;

use dsh_llm::{ContentBlock, Message, Resource, ResourceBody};

use crate::config::ToolsConfig;

/// So many blocks a result may have: each costs the model something, however little is in it.
const BLOCKS: usize = 256;

/// So many of them are kept for marks.
const MARKS: usize = 2;

/// So many bytes of the limit are kept for marks, so that what has been cut once is not cut again.
const RESERVED: usize = 320;

/// Cuts content to the limits. What is within them stays as it is, so that doing it twice changes nothing more.
pub(crate) fn bound(content: Vec<ContentBlock>, config: &ToolsConfig) -> Vec<ContentBlock> {
    let fits = Size::of(&content).fits(config.result_limit, config.media_limit, BLOCKS);
    if fits && content.iter().all(is_told) {
        return content;
    }
    cut(content, config, BLOCKS)
}

/// Cuts content to the limits, and to so many blocks.
fn cut(content: Vec<ContentBlock>, config: &ToolsConfig, blocks: usize) -> Vec<ContentBlock> {
    let mut cut = Cut::new(config, blocks);
    for block in content {
        cut.take(block);
    }
    cut.finish()
}

/// Cuts messages to the limits of one result, all of them together: the first that does not fit is cut, and those after it are left
/// out.
pub(crate) fn bound_messages(mut messages: Vec<Message>, config: &ToolsConfig) -> Vec<Message> {
    for message in &mut messages {
        if !message.content.iter().all(is_told) {
            message.content = cut(message.content.to_vec(), config, BLOCKS).into();
        }
    }
    let all = messages.iter().map(Size::of_message).fold(Size::default(), Size::with);
    if all.fits(config.result_limit, config.media_limit, BLOCKS) {
        return messages;
    }
    // Room for the marks of the one that is cut, and for the one that says how many are left out.
    let (mut text, mut media) = (config.result_limit.saturating_sub(2 * RESERVED), config.media_limit);
    let mut blocks = BLOCKS / 2;
    let mut kept: Vec<Message> = Vec::new();
    let mut messages = messages.into_iter();
    for mut message in messages.by_ref() {
        let size = Size::of_message(&message);
        if size.fits(text, media, blocks) {
            (text, media, blocks) = (text - size.text, media - size.media, blocks - size.blocks);
            kept.push(message);
            continue;
        }
        let mut left = config.clone();
        (left.result_limit, left.media_limit) = (text + RESERVED, media);
        message.content = cut(message.content.to_vec(), &left, blocks.max(MARKS)).into();
        kept.push(message);
        break;
    }
    if let (Some(last), more @ 1..) = (kept.last_mut(), messages.len()) {
        let messages = if more == 1 { "message" } else { "messages" };
        let mark = ContentBlock::text(format!("[left out: {more} {messages} more]"));
        last.content = last.content.iter().cloned().chain([mark]).collect();
    }
    kept
}

/// How much there is in content, or in messages.
#[derive(Clone, Copy, Default)]
struct Size {
    text: usize,
    media: usize,
    blocks: usize,
}

impl Size {
    fn of(content: &[ContentBlock]) -> Self {
        let one = |block| {
            let (text, media) = size(block);
            Self { text, media, blocks: 1 }
        };
        content.iter().map(one).fold(Self::default(), Self::with)
    }

    /// A message without anything in it takes a place too.
    fn of_message(message: &Message) -> Self {
        let size = Self::of(&message.content);
        Self { blocks: size.blocks.max(1), ..size }
    }

    fn with(self, more: Self) -> Self {
        Self { text: self.text + more.text, media: self.media + more.media, blocks: self.blocks + more.blocks }
    }

    fn fits(self, text: usize, media: usize, blocks: usize) -> bool {
        self.text <= text && self.media <= media && self.blocks <= blocks
    }
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
    /// How many blocks there may be, without those of marks.
    places: usize,
    /// The text that was cut, and what is missing of it and of all texts after it.
    gap: Option<usize>,
    missing_bytes: usize,
    missing_lines: usize,
    /// Blocks that do not fit as a whole, and cannot be cut.
    left_out: usize,
    left_out_bytes: usize,
}

impl Cut {
    fn new(config: &ToolsConfig, blocks: usize) -> Self {
        Self {
            kept: Vec::new(),
            text_left: config.result_limit.saturating_sub(RESERVED),
            media_left: config.media_limit,
            places: blocks.saturating_sub(MARKS),
            gap: None,
            missing_bytes: 0,
            missing_lines: 0,
            left_out: 0,
            left_out_bytes: 0,
        }
    }

    fn take(&mut self, block: ContentBlock) {
        let has_place = self.kept.len() < self.places;
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
