//! Reads the lists in `data/lexicon/`: one entry a line, `#` before a comment, `[name]` before a section.

use crate::hash::HashMap;

/// A line of a list that has an entry: no heading, and not blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'l> {
    /// The line number, counted from 1.
    pub(super) number: usize,
    /// The heading of the section that the line is in; empty before the first heading.
    pub(super) section: &'l str,
    /// The text of the line, without its comment.
    pub(super) text: &'l str,
}

impl<'l> Line<'l> {
    /// The words of the line.
    pub(super) fn words(self) -> impl Iterator<Item = &'l str> {
        self.text.split_whitespace()
    }
}

/// Returns the entry lines of a list.
pub(super) fn lines(list: &str) -> impl Iterator<Item = Line<'_>> {
    let mut section = "";
    list.lines().zip(1..).filter_map(move |(line, number)| {
        let text = line.split('#').next().unwrap_or_default().trim();
        if let Some(name) = text.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            section = name.trim();
            return None;
        }
        (!text.is_empty()).then_some(Line { number, section, text })
    })
}

/// Returns the text of the lines of each section.
pub(super) fn sections(list: &str) -> HashMap<&str, Vec<&str>> {
    let mut sections: HashMap<&str, Vec<&str>> = HashMap::default();
    lines(list).for_each(|line| sections.entry(line.section).or_default().push(line.text));
    sections
}

/// Returns the text of each line of a section. The section may be split: another of the same name may follow other sections.
pub(crate) fn section<'l>(list: &'l str, name: &str) -> impl Iterator<Item = &'l str> {
    lines(list).filter(move |line| line.section == name).map(|line| line.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "# A list.\n\n[a] # Behind a heading.\n x y # [b]\n \n#[c]\nz\n[ b 1 ]\nw\n[a]\nv\n";

    #[test]
    fn headings_comments_and_blank_lines_are_no_entries() {
        let found: Vec<_> = lines(LIST).map(|line| (line.number, line.section, line.text)).collect();
        assert_eq!(found, [(4, "a", "x y"), (7, "a", "z"), (9, "b 1", "w"), (11, "a", "v")]);
        assert_eq!(lines("x\r\n[a]\r\ny z").flat_map(Line::words).collect::<Vec<_>>(), ["x", "y", "z"]);
    }

    #[test]
    fn a_section_ends_where_another_begins() {
        let found = |name: &str| section(LIST, name).collect::<Vec<_>>();
        for name in ["a", "b 1"] {
            assert_eq!(sections(LIST)[name], found(name));
        }
        assert_eq!((found("a"), found("b 1"), found("c")), (vec!["x y", "z", "v"], vec!["w"], vec![]));
    }
}
