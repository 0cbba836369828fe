//! Heat maps as SVG text: a square table of shares, with darker cells for larger shares.

use super::{Markup, clean, html};

/// A square table of values, with the same names for rows and columns.
#[derive(Debug, Clone)]
pub(crate) struct HeatMap {
    /// Its title.
    pub(crate) title: String,
    /// The names of the rows, and likewise of the columns.
    pub(crate) names: Vec<String>,
    /// The values, row by row. Values in 0..=1 differ in shade; values below 0 are as pale as 0.
    pub(crate) values: Vec<Vec<f64>>,
}

/// Side of a cell in pixels.
const CELL: f64 = 22.0;
/// Room for the names of rows and columns.
const NAMES: f64 = 118.0;

impl HeatMap {
    /// The map as a `figure` of a page; it needs [`STYLE`](super::chart::STYLE).
    pub(crate) fn html(&self) -> Markup {
        let side = CELL * self.names.len() as f64;
        // Names of columns lean to the right.
        let (width, height) = (NAMES + side + NAMES / 2.0, NAMES + side + 8.0);
        let title = clean(&self.title);
        html! {
            figure class="heat" {
                figcaption { (title) }
                div class="wide" {
                    svg class="chart heat" role="img" aria-label=(title) viewBox={ "0 0 " (width) " " (height) }
                        width=(width) height=(height) {
                        @for (number, name) in self.names.iter().enumerate() { (name_at(number, name)) }
                        @for (row, values) in self.values.iter().enumerate() {
                            @for (column, value) in values.iter().enumerate() { (self.cell(row, column, *value)) }
                        }
                    }
                }
            }
            "\n"
        }
    }

    fn cell(&self, row: usize, column: usize, value: f64) -> Markup {
        let (x, y) = (NAMES + CELL * column as f64, NAMES + CELL * row as f64);
        let [of, with] = [row, column].map(|at| clean(self.names.get(at).map_or("", String::as_str)));
        let shade = value.clamp(0.0, 1.0);
        html! {
            g {
                title { (of) " · " (with) ": " (format_args!("{value:.3}")) }
                rect x=(x) y=(y) width=(CELL) height=(CELL) style={ "--a:" (format_args!("{shade:.3}")) } {}
                text class="cell" x=(x + CELL / 2.0) y=(y + CELL / 2.0 + 3.0) text-anchor="middle" {
                    (format_args!("{:.0}", 100.0 * value))
                }
            }
        }
    }
}

/// Writes the name of a row and of the same column.
fn name_at(number: usize, name: &str) -> Markup {
    let (at, name) = (CELL * (number as f64 + 0.5), clean(name));
    let (x, y) = (NAMES + at + 4.0, NAMES - 6.0);
    html! {
        text x=(NAMES - 6.0) y=(NAMES + at + 4.0) text-anchor="end" { (name) }
        text transform={ "translate(" (x) " " (y) ") rotate(-60)" } { (name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_drawn_and_names_are_text() {
        let names = vec!["a<b".to_owned(), "乙".to_owned()];
        let svg =
            HeatMap { title: "题".into(), names, values: vec![vec![1.0, -0.25], vec![0.5, 1.0]] }.html().into_string();
        assert_eq!(svg.matches("<rect").count(), 4);
        assert!(
            svg.contains("a&lt;b · 乙: -0.250") && svg.contains("--a:0.000") && svg.contains(">50</text>"),
            "{svg}"
        );
    }
}
