//! Aligned columns, and words that fill lines.

/// The columns of a terminal that a view is made for.
const WIDTH: usize = 100;

/// A wider cell pushes its own row to the right, and not all others.
const WIDEST: usize = 32;

/// What stands before each column.
const GAP: &str = "  ";

/// A table. Its last column is of places, which may be long: one with which the row would be too wide stands beneath it.
#[derive(Debug)]
pub(in crate::commands) struct Columns<const N: usize> {
    headings: [&'static str; N],
    /// Which columns are of numbers, and so end at one place.
    numbers: [bool; N],
    rows: Vec<([String; N], String)>,
}

impl<const N: usize> Columns<N> {
    /// Columns with these headings; one that ends with `>` is of numbers.
    pub(in crate::commands) fn new(headings: [&'static str; N]) -> Self {
        Self {
            headings: headings.map(|heading| heading.trim_end_matches('>')),
            numbers: headings.map(|heading| heading.ends_with('>')),
            rows: Vec::new(),
        }
    }

    /// Adds a row, and the place in its last column, which may be empty.
    pub(in crate::commands) fn row(&mut self, cells: [String; N], place: String) {
        self.rows.push((cells, place));
    }

    /// Adds a line to the row before: more for one column.
    pub(in crate::commands) fn more(&mut self, column: usize, cell: Option<String>) {
        if let Some(cell) = cell {
            let mut cells = [const { String::new() }; N];
            if let Some(place) = cells.get_mut(column) {
                *place = cell;
            }
            self.rows.push((cells, String::new()));
        }
    }

    /// The table, a newline after each of its lines.
    pub(in crate::commands) fn write(&self) -> String {
        let mut widths = self.headings.map(width);
        for (cells, _) in &self.rows {
            for (widest, cell) in widths.iter_mut().zip(cells) {
                *widest = (*widest).max(width(cell).min(WIDEST));
            }
        }
        let has_places = self.rows.iter().any(|(_, place)| !place.is_empty());
        let mut table = self.line(&self.headings.map(str::to_owned), &widths, if has_places { "source" } else { "" });
        for (cells, place) in &self.rows {
            table.push_str(&self.line(cells, &widths, place));
        }
        table
    }

    fn line(&self, cells: &[String; N], widths: &[usize; N], place: &str) -> String {
        let mut line = String::new();
        for ((cell, widest), is_number) in cells.iter().zip(widths).zip(self.numbers) {
            let fill = " ".repeat(widest.saturating_sub(width(cell)));
            let (before, after) = if is_number { (fill.as_str(), "") } else { ("", fill.as_str()) };
            line.extend([GAP, before, cell, after]);
        }
        let fits = width(&line) + GAP.len() + width(place) <= WIDTH;
        let beneath = if fits { GAP } else { "\n      " };
        [if fits { line.as_str() } else { line.trim_end() }, beneath, place].concat().trim_end().to_owned() + "\n"
    }
}

/// Words after each other, with commas, in lines that are not too long.
pub(in crate::commands) fn filled(words: impl IntoIterator<Item = String>) -> String {
    let mut text = String::new();
    let mut at = 0;
    let mut words = words.into_iter().peekable();
    while let Some(mut word) = words.next() {
        if words.peek().is_some() {
            word.push(',');
        }
        let wide = width(&word);
        if at > 0 && at + 1 + wide <= WIDTH {
            text.push(' ');
            at += 1;
        } else {
            text.push_str(if at > 0 { "\n" } else { "" });
            text.push_str(GAP);
            at = GAP.len();
        }
        text.push_str(&word);
        at += wide;
    }
    text + "\n"
}

/// How many columns of a terminal a text takes.
fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

#[cfg(test)]
mod tests {
    use super::{Columns, filled};

    #[test]
    fn columns_are_aligned_whatever_width_their_characters_have() {
        let mut columns = Columns::new(["order>", "name", "bytes>"]);
        columns.row(["-100", "größe", "9"].map(str::to_owned), "a.md:1".to_owned());
        columns.row(["0.5", "大きさ", "1024"].map(str::to_owned), "b.md:2-30".to_owned());
        columns.more(1, Some("over x".to_owned()));
        columns.row(["1", "c", "7"].map(str::to_owned), String::new());
        let table = "
  order  name    bytes  source
   -100  größe       9  a.md:1
    0.5  大きさ   1024  b.md:2-30
         over x
      1  c           7
";
        assert_eq!(columns.write(), table.trim_start_matches('\n'));
    }

    #[test]
    fn what_is_too_wide_moves_its_own_row_alone() {
        let mut columns = Columns::new(["name"]);
        columns.row(["n".repeat(40)], "a.md:1".to_owned());
        columns.row(["short".to_owned()], "b.md:1".to_owned());
        columns.row(["deep".to_owned()], "folder/".repeat(10) + "c.md:1");
        let wide = format!("  {}  a.md:1\n", "n".repeat(40));
        let short = format!("  short{}  b.md:1\n", " ".repeat(27));
        let deep = format!("  deep\n      {}c.md:1\n", "folder/".repeat(10));
        assert_eq!(columns.write(), format!("  name{}  source\n{wide}{short}{deep}", " ".repeat(28)));
    }

    #[test]
    fn words_fill_lines() {
        let words = (0..30).map(|number| format!("word{number}"));
        let text = filled(words);
        assert!(text.lines().all(|line| line.len() <= 100) && text.lines().count() == 3, "{text}");
        assert!(text.ends_with("word28, word29\n"), "{text}");
    }
}
