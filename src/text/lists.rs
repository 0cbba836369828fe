//! How the lists in `data/lexicon/` are read: an entry a line, `#` before a comment, `[name]` before a section.

/// A line of a list that says something and is no heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'l> {
    /// Its number, from 1 on.
    pub(super) number: usize,
    /// What the heading of its section says; nothing before the first one.
    pub(super) section: &'l str,
    /// What it says, without a comment.
    pub(super) text: &'l str,
}

impl<'l> Line<'l> {
    /// Its words.
    pub(super) fn words(self) -> impl Iterator<Item = &'l str> {
        self.text.split_whitespace()
    }
}

/// The lines of a list.
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

/// What the lines of a section say. It may go on behind others.
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
        assert_eq!((found("a"), found("b 1"), found("c")), (vec!["x y", "z", "v"], vec!["w"], vec![]));
    }
}
