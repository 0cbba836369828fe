//! Tables in Markdown and HTML.

use super::{Markup, clean, html};

/// A table for Markdown or HTML: a title, a sentence that says how to read it, a head, and rows, some of which are recommended.
#[cfg(feature = "lab")]
pub(crate) struct Table {
    /// Its title.
    pub(crate) title: String,
    /// How to read it.
    pub(crate) words: String,
    /// Names of the columns.
    pub(crate) head: Vec<String>,
    /// The cells of each row, and whether it is recommended.
    pub(crate) rows: Vec<(Vec<String>, bool)>,
}

#[cfg(feature = "lab")]
impl Table {
    /// As Markdown: title, words and rows.
    pub(crate) fn markdown(&self) -> String {
        let rows = self.rows.iter().map(|(row, _)| row.clone());
        format!("\n## {}\n\n{}\n\n{}", self.title, self.words, markdown_table(&self.heads(), rows))
    }

    /// The same as HTML.
    pub(crate) fn html(&self) -> Markup {
        html! {
            h2 { (clean(&self.title)) } "\n"
            (super::paragraph(&self.words))
            (html_table(&self.heads(), self.rows.iter().cloned()))
        }
    }

    fn heads(&self) -> Vec<&str> {
        self.head.iter().map(String::as_str).collect()
    }
}

/// The names of columns in the form that a [`Table`] has.
#[cfg(feature = "lab")]
pub(crate) fn owned(head: &[&str]) -> Vec<String> {
    head.iter().map(|cell| (*cell).to_owned()).collect()
}

/// Writes a table in Markdown. Each of `rows` has as many cells as `head`.
#[cfg(feature = "lab")]
pub(crate) fn markdown_table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let cells = |row: &[String]| {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let head = owned(head);
    let rows: Vec<Vec<String>> = rows.collect();
    let is_words = |column: usize| {
        rows.iter().any(|row| row.get(column).is_some_and(|cell| cell.starts_with(|c: char| c.is_alphabetic())))
    };
    let align = |column| if is_words(column) { "---|" } else { "---:|" };
    let mut out = format!("{}|{}\n", cells(&head), (0..head.len()).map(align).collect::<String>());
    rows.iter().for_each(|row| out += &cells(row));
    out
}

/// Writes a table in HTML. The flag of a row marks it as recommended. Words are aligned left and may be broken, numbers are aligned
/// right.
pub(crate) fn html_table(head: &[&str], rows: impl Iterator<Item = (Vec<String>, bool)>) -> Markup {
    let rows: Vec<_> = rows.collect();
    let is_word = |cell: &String| cell.starts_with(|c: char| c.is_alphabetic()) || cell.starts_with("--");
    let class = |column: usize| rows.iter().any(|(row, _)| row.get(column).is_some_and(is_word)).then_some("words");
    let classes: Vec<Option<&str>> = (0..head.len()).map(class).collect();
    let class = |column: usize| classes.get(column).copied().flatten();
    html! {
        div class="wide" {
            table {
                "\n"
                thead { tr { @for (at, cell) in head.iter().enumerate() { th class=[class(at)] { (clean(cell)) } } } }
                "\n"
                tbody {
                    "\n"
                    @for (row, marked) in &rows {
                        tr class=[marked.then_some("recommended")] {
                            @for (at, cell) in row.iter().enumerate() { td class=[class(at)] { (clean(cell)) } }
                        }
                        "\n"
                    }
                }
            }
        }
        "\n"
    }
}
