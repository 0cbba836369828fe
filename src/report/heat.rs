//! Heat maps as SVG text: a square table of shares, the darker the larger.

use std::fmt::Write;

use super::chart::escape;

/// A square table of values, with the same names for rows and columns.
#[derive(Debug, Clone)]
pub struct HeatMap {
    /// Its title.
    pub title: String,
    /// Names of the rows, and of the columns.
    pub names: Vec<String>,
    /// Row by row: values, of which 0..=1 are told apart by shade and those below 0 are as pale as 0.
    pub values: Vec<Vec<f64>>,
}

/// Side of a cell in pixels.
const CELL: f64 = 22.0;
/// Room for the names of rows and columns.
const NAMES: f64 = 118.0;
/// Room for the title.
const TITLE: f64 = 34.0;

impl HeatMap {
    /// The map as an `svg` element; it needs [`STYLE`](super::chart::STYLE).
    pub fn svg(&self) -> String {
        let side = CELL * self.names.len() as f64;
        // Names of columns lean to the right.
        let (width, height) = (NAMES + side + NAMES / 2.0, TITLE + NAMES + side + 8.0);
        let title = escape(&self.title);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart heat\" role=\"img\" aria-label=\"{title}\" \
             viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\"><title>{title}</title>\
             <text class=\"title\" x=\"8\" y=\"22\">{title}</text>"
        );
        // Writing to a String cannot fail.
        let _ = self.draw(&mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    fn draw(&self, svg: &mut String) -> std::fmt::Result {
        let top = TITLE + NAMES;
        for (number, name) in self.names.iter().enumerate() {
            let (at, name) = (CELL * (number as f64 + 0.5), escape(name));
            let (x, y) = (NAMES + at, top + at);
            write!(svg, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text>", NAMES - 6.0, y + 4.0)?;
            write!(svg, "<text transform=\"translate({} {}) rotate(-60)\">{name}</text>", x + 4.0, top - 6.0)?;
        }
        for (row, values) in self.values.iter().enumerate() {
            for (column, value) in values.iter().enumerate() {
                let (x, y) = (NAMES + CELL * column as f64, top + CELL * row as f64);
                let names = [row, column].map(|at| self.names.get(at).map_or("", String::as_str));
                write!(svg, "<g><title>{}</title>", escape(&format!("{} · {}: {value:.3}", names[0], names[1])))?;
                let shade = value.clamp(0.0, 1.0);
                write!(svg, "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" style=\"--a:{shade:.3}\"/>")?;
                let (tx, ty) = (x + CELL / 2.0, y + CELL / 2.0 + 3.0);
                let value = format!("{:.0}", 100.0 * value);
                write!(svg, "<text class=\"cell\" x=\"{tx}\" y=\"{ty}\" text-anchor=\"middle\">{value}</text></g>")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_drawn_and_names_are_text() {
        let names = vec!["a<b".to_owned(), "乙".to_owned()];
        let svg = HeatMap { title: "题".into(), names, values: vec![vec![1.0, -0.25], vec![0.5, 1.0]] }.svg();
        assert_eq!(svg.matches("<rect").count(), 4);
        assert!(
            svg.contains("a&lt;b · 乙: -0.250") && svg.contains("--a:0.000") && svg.contains(">50</text>"),
            "{svg}"
        );
    }
}
