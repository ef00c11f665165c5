//! The fixed shape of a file under `rules/`.

/// One of these files, read strictly.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) code: String,
    pub(super) summary: String,
    pub(super) severity: String,
    pub(super) example: Example,
    /// What is put in place of the example's blocks of the same names.
    pub(super) mended: Vec<Block>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Example {
    /// It cannot be shown by files and a command.
    None { reason: String },
    /// A project that gets the code.
    Shown(Vec<Block>),
}

/// A fenced block of an example.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// ```` ```toml dsh.toml ````: a file of the project.
    File { path: String, text: String },
    /// ```` ```console ````: what is run in place of the usual command, without `$ dsh`.
    Command(Vec<String>),
}

/// A piece of Markdown, as far as these files use it.
#[derive(Debug)]
enum Piece {
    Title(String),
    Heading(String),
    Prose(String),
    Fence(Block),
}

impl Page {
    /// Reads a file; what is not in its place is an error.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = pieces(text)?.into_iter().peekable();
        let Some(Piece::Title(code)) = pieces.next() else { return Err("a title comes first".to_owned()) };
        let Some(Piece::Prose(summary)) = pieces.next() else { return Err("one sentence comes next".to_owned()) };
        let severity = match pieces.next() {
            Some(Piece::Prose(line)) => line.strip_prefix("Severity: ").and_then(severity),
            _ => None,
        };
        let severity = severity.ok_or("`Severity: WORD` comes third, with where it is otherwise in brackets")?;
        let mut part = |heading: &str| match pieces.next() {
            Some(Piece::Heading(found)) if found == heading => {
                let (mut prose, mut blocks) = (Vec::new(), Vec::new());
                while let Some(piece) = pieces.next_if(|piece| !matches!(piece, Piece::Heading(_))) {
                    match piece {
                        Piece::Prose(text) => prose.push(text),
                        Piece::Fence(block) => blocks.push(block),
                        Piece::Title(_) | Piece::Heading(_) => return Err("a second title".to_owned()),
                    }
                }
                Ok((prose, blocks))
            }
            other => Err(format!("`## {heading}` is missing before {other:?}")),
        };
        let (why, blocks) = part("Why it matters")?;
        if why.is_empty() || !blocks.is_empty() {
            return Err("why it matters is told in words".to_owned());
        }
        let (prose, blocks) = part("Example")?;
        let reason = prose.first().and_then(|text| text.strip_prefix("None: ")).map(str::to_owned);
        let (right, mended) = part("What would be right")?;
        let example = match reason {
            Some(_) if !blocks.is_empty() || right.is_empty() => {
                return Err("without an example there are no blocks, and words say what would be right".to_owned());
            }
            Some(reason) => Example::None { reason },
            None if blocks.is_empty() || mended.is_empty() => {
                return Err("an example has blocks, mended ones too".to_owned());
            }
            None => Example::Shown(blocks),
        };
        match pieces.next() {
            None => Ok(Self { code, summary, severity, example, mended }),
            Some(piece) => Err(format!("nothing comes after what would be right: {piece:?}")),
        }
    }
}

fn severity(line: &str) -> Option<String> {
    let (word, otherwise) = line.split_once(' ').unwrap_or((line, ""));
    let in_brackets = otherwise.is_empty() || (otherwise.starts_with('(') && otherwise.ends_with(')'));
    in_brackets.then(|| word.to_owned())
}

fn pieces(text: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.is_empty() {
            continue;
        }
        if line.starts_with("```") {
            let info = line.trim_start_matches('`');
            let fence = line.strip_suffix(info).unwrap_or(line);
            let mut body = String::new();
            loop {
                match lines.next() {
                    Some(line) if line == fence => break,
                    Some(line) => body.extend([line, "\n"]),
                    None => return Err(format!("a block is not closed: {line}")),
                }
            }
            pieces.push(Piece::Fence(block(info, body)?));
        } else if let Some(title) = line.strip_prefix("# ") {
            pieces.push(Piece::Title(title.to_owned()));
        } else if let Some(heading) = line.strip_prefix("## ") {
            pieces.push(Piece::Heading(heading.to_owned()));
        } else {
            let mut prose = vec![line];
            while let Some(line) = lines.next_if(|line| !line.is_empty()) {
                prose.push(line);
            }
            if let Some(long) = prose.iter().find(|line| line.chars().count() > 80) {
                return Err(format!("a terminal has 80 columns: {long}"));
            }
            pieces.push(Piece::Prose(prose.join("\n")));
        }
    }
    Ok(pieces)
}

fn block(info: &str, body: String) -> Result<Block, String> {
    if info == "console" {
        let command = body.strip_prefix("$ dsh ").and_then(|command| command.strip_suffix('\n'));
        let command = command.filter(|command| !command.contains(['\n', '"', '\'']));
        let words = |command: &str| command.split(' ').map(str::to_owned).collect();
        return command.map(|command| Block::Command(words(command))).ok_or(format!("one plain command: {body}"));
    }
    match info.split_once(' ') {
        Some((_, path)) => Ok(Block::File { path: path.to_owned(), text: body }),
        None => Err(format!("a block names its file: `{info} FILE`")),
    }
}
