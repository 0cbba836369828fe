//! HTML for notebooks, which show it instead of a repr.

use pyo3::prelude::*;
use quchong::explain::Explanation;

use crate::verdicts::Verdict;

/// Number of repeats of a batch to show.
const SHOWN: usize = 20;

/// Escapes a text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Makes a table row: a heading, then cells that are already HTML.
fn row(heading: &str, cells: &[String]) -> String {
    let cells: String = cells.iter().map(|cell| format!("<td style=\"text-align:left\">{cell}</td>")).collect();
    format!("<tr><th>{heading}</th>{cells}</tr>")
}

/// Shows the counts, and the first repeats: index, kind, id of the repeated message, and the engine that found it.
pub fn verdicts(py: Python<'_>, verdicts: &[Verdict]) -> PyResult<String> {
    let count = |kind| verdicts.iter().filter(|verdict| verdict.kind() == kind).count();
    let counts = ["kept", "exact", "near", "error"].map(|kind| format!("{} {kind}", count(kind))).join(", ");
    let repeats = verdicts.iter().enumerate().filter(|(_, verdict)| !verdict.kept());
    let mut rows = String::new();
    for (index, verdict) in repeats.clone().take(SHOWN) {
        let of = verdict.of(py)?.map_or(String::new(), |of| escaped(&of.bind(py).to_string()));
        let alike = match (verdict.similarity(), verdict.distance()) {
            (Some(similarity), _) => format!("{similarity:.3}"),
            (_, Some(bits)) => format!("{bits} of 64 bits"),
            _ => String::new(),
        };
        let engine = verdict.engine().unwrap_or_default().to_owned();
        rows += &row(&index.to_string(), &[verdict.kind().to_owned(), of, engine, alike]);
    }
    let more = repeats.count().saturating_sub(SHOWN);
    let more = if more > 0 { format!("<p>… and {more} more repeats</p>") } else { String::new() };
    let head = ["kind", "of", "engine", "similarity"].map(|name| format!("<b>{name}</b>"));
    let table = if rows.is_empty() { rows } else { format!("<table>{}{rows}</table>", row("index", &head)) };
    Ok(format!("<p>{} messages: {counts}</p>{table}{more}", verdicts.len()))
}

/// Shows the two bodies, the stretches in which they differ, and the verdict on B.
pub fn explanation(explanation: &Explanation) -> String {
    let stretch = |[a, b]: &[String; 2]| format!("<del>{}</del> <ins>{}</ins>", escaped(a), escaped(b));
    let differs = match &explanation.differs {
        Some(pairs) => pairs.iter().map(stretch).collect::<Vec<_>>().join(" · "),
        None => "too long to be aligned".to_owned(),
    };
    let rows = [
        row("A", &[escaped(&explanation.a.body)]),
        row("B", &[escaped(&explanation.b.body)]),
        row("differs", &[differs]),
        row("B is", &[format!("<b>{}</b>: {}", explanation.verdict, escaped(&explanation.reason))]),
    ];
    format!("<table>{}</table>", rows.concat())
}
