//! Charts as SVG text: axes, marks, lines and areas, legible on light and on dark paper. On a page, the words around the drawing
//! are text of the page, so that lines break on a telephone. In a document of its own, the words are part of the drawing.

mod scale;

use crate::locale::tr;
#[cfg(feature = "lab")]
use maud::PreEscaped;

use super::{Markup, clean, html};
use scale::Scale;

/// An axis and its labels.
#[derive(Debug, Clone, Default)]
pub(crate) struct Axis {
    /// Its label.
    pub(crate) label: String,
    /// Whether it is logarithmic; then values must be above 0.
    pub(crate) log: bool,
    /// Whether its values are shares, shown in per cent from 0 to 100.
    pub(crate) shares: bool,
    /// The names of the values 0, 1, 2…, if the axis shows things instead of numbers.
    pub(crate) names: Vec<String>,
    /// Values with their labels, if the labels are not the values themselves. The axis then ends at the lowest and the highest
    /// value drawn.
    pub(crate) ticks: Vec<(f64, String)>,
}

/// A point. Coordinates are in the units of the axes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Point {
    /// Along the horizontal axis.
    pub(crate) x: f64,
    /// Along the vertical axis.
    pub(crate) y: f64,
    /// An interval of y.
    pub(crate) interval: Option<(f64, f64)>,
    /// Drawn hollow: y is a bound, not a value.
    pub(crate) hollow: bool,
    /// Drawn with a ring and a label: the recommended setting.
    pub(crate) marked: bool,
}

/// Points of one kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct Series {
    /// Its name in the legend; empty for none.
    pub(crate) name: String,
    /// Its colour, 0..=1 along the scale. The shapes of its points and the dashes of its line depend on its index among the series.
    pub(crate) shade: f64,
    /// Whether the series is someone else's result: then it has the colour of marks, and is hollow in the legend, too.
    pub(crate) theirs: bool,
    /// Measured points.
    pub(crate) points: Vec<Point>,
    /// A line through these points: the prediction of theory.
    pub(crate) line: Vec<(f64, f64)>,
    /// An area of columns, in order.
    pub(crate) area: Vec<Column>,
}

/// One column of an area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Column {
    /// Its beginning and its end along the horizontal axis.
    pub(crate) x: (f64, f64),
    /// Its beginning and its end along the vertical axis.
    pub(crate) y: (f64, f64),
}

/// A chart.
#[derive(Debug, Clone)]
pub(crate) struct Chart {
    /// Its title.
    pub(crate) title: String,
    /// The horizontal axis.
    pub(crate) x: Axis,
    /// The vertical axis.
    pub(crate) y: Axis,
    /// The series that are drawn.
    pub(crate) series: Vec<Series>,
    /// A dashed horizontal line and its label.
    pub(crate) level: Option<(f64, String)>,
}

/// Width of a drawing in pixels.
const WIDTH: f64 = 640.0;
/// Height of a drawing in pixels.
const HEIGHT: f64 = 340.0;
// Room for the labels of the axes.
const LEFT: f64 = 66.0;
const RIGHT: f64 = WIDTH - 22.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = HEIGHT - 28.0;

/// Colours and type of every chart. `--l` and `--c` are lightness and chroma, so that one hue serves light and dark paper.
pub(crate) const STYLE: &str = include_str!("chart.css");

/// Shapes of points, drawn around a place, so that series can be told apart without colours.
const SHAPES: [&str; 8] = [
    "m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0z",
    "m-3-3h6v6h-6z",
    "m0-4.2l4 7h-8z",
    "m0-4.4l4.4 4.4l-4.4 4.4l-4.4-4.4z",
    "m0 4.2l4-7h-8z",
    "m-1.2-4.2h2.4v3h3v2.4h-3v3h-2.4v-3h-3v-2.4h3z",
    "m-2.1-3.8l2.1 2.1l2.1-2.1l1.7 1.7l-2.1 2.1l2.1 2.1l-1.7 1.7l-2.1-2.1l-2.1 2.1l-1.7-1.7l2.1-2.1l-2.1-2.1z",
    "m0-4.6l1.3 2.8l3.1.4l-2.3 2.1l.6 3.1l-2.7-1.5l-2.7 1.5l.6-3.1l-2.3-2.1l3.1-.4z",
];

/// Dashes of lines. Their number and that of the shapes have no common divisor, so that combinations repeat late.
const DASHES: [&str; 5] = ["none", "7 3", "2 3", "10 3 2 3", "4 2 1 2 1 2"];

impl Chart {
    /// The chart as a `figure` of a page; it needs [`STYLE`].
    pub(crate) fn html(&self) -> Markup {
        let title = clean(&self.title);
        html! {
            figure {
                figcaption { (title) }
                p class="soft" { (clean(&self.y.label)) }
                svg class="chart" role="img" aria-label=(title) viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } { (self.drawing()) }
                p class="soft x" { (clean(&self.x.label)) }
                @if self.series.iter().any(|series| !series.name.is_empty()) {
                    ul class="keys" {
                        @for (number, series) in self.labelled() {
                            li { svg class="chart" viewBox="0 0 34 14" aria-hidden="true" { (key(number, series)) } (clean(&series.name)) }
                        }
                    }
                }
            }
            "\n"
        }
    }

    /// The series of the legend, each with its index.
    fn labelled(&self) -> impl Iterator<Item = (usize, &Series)> {
        self.series.iter().enumerate().filter(|(_, series)| !series.name.is_empty())
    }

    /// Draws axes, series and marks within [`WIDTH`] and [`HEIGHT`].
    fn drawing(&self) -> Markup {
        let points = || self.series.iter().flat_map(|s| s.points.iter());
        let lines = || self.series.iter().flat_map(|s| s.line.iter());
        let columns = || self.series.iter().flat_map(|s| s.area.iter());
        let xs = points().map(|p| p.x).chain(lines().map(|p| p.0)).chain(columns().flat_map(|c| [c.x.0, c.x.1]));
        let ys = points().flat_map(|p| [p.y, p.interval.map_or(p.y, |i| i.1)]).chain(lines().map(|p| p.1));
        let ys = ys.chain(columns().map(|c| c.y.1)).chain(self.level.iter().map(|l| l.0));
        let (x, y) = (Scale::new(&self.x, xs, LEFT, RIGHT), Scale::new(&self.y, ys, BOTTOM, TOP));
        html! {
            (axes(&x, &y))
            @for (number, series) in self.series.iter().enumerate() { (drawn(number, series, &x, &y)) }
            (self.level(&y))
            @for point in points().filter(|point| point.marked) { (ring(point, &x, &y)) }
        }
    }

    fn level(&self, y: &Scale) -> Markup {
        html! {
            @if let Some((value, label)) = &self.level {
                @let at = y.at(*value);
                path class="level" d={ "M" (LEFT) " " (format_args!("{at:.1}")) "H" (RIGHT) } {}
                text class="soft halo" x=(LEFT + 6.0) y=(format_args!("{:.1}", at - 6.0)) { (clean(label)) }
            }
        }
    }
}

fn axes(x: &Scale, y: &Scale) -> Markup {
    html! {
        @for (value, label) in y.ticks() {
            @let at = y.at(value);
            path class="grid" d={ "M" (LEFT) " " (format_args!("{at:.1}")) "H" (RIGHT) } {}
            text class="soft" x=(LEFT - 8.0) y=(format_args!("{:.1}", at + 4.0)) text-anchor="end" { (clean(&label)) }
        }
        @for (value, label) in x.ticks() {
            @let at = format!("{:.1}", x.at(value));
            path class="grid" d={ "M" (at) " " (TOP) "V" (BOTTOM) } {}
            text class="soft" x=(at) y=(BOTTOM + 20.0) text-anchor="middle" { (clean(&label)) }
        }
    }
}

/// The class and the hue of a series, which depend on its index among the series.
fn look(number: usize, series: &Series) -> (String, String) {
    let kind = match series.theirs {
        true => " theirs",
        false if series.name.is_empty() => " plain",
        false if !series.area.is_empty() => " filled",
        false if number % 2 == 1 => " odd",
        false => "",
    };
    (format!("s{kind}"), format!("--h:{:.0}", 290.0 - 265.0 * series.shade))
}

fn shape(number: usize, series: &Series) -> &'static str {
    SHAPES[if series.theirs || series.name.is_empty() { 0 } else { number % SHAPES.len() }]
}

fn dashes(number: usize, series: &Series) -> &'static str {
    DASHES[if series.name.is_empty() { 0 } else { number % DASHES.len() }]
}

/// The area, the line and the points of a series.
fn drawn(number: usize, series: &Series, x: &Scale, y: &Scale) -> Markup {
    let line: Vec<String> = series.line.iter().map(|p| format!("{:.1},{:.1}", x.at(p.0), y.at(p.1))).collect();
    let (class, style) = look(number, series);
    html! {
        g class=(class) style=(style) {
            @if !series.name.is_empty() { title { (clean(&series.name)) } }
            @if !series.area.is_empty() { path class="area" d=(outline(&series.area, x, y)) {} }
            @if !line.is_empty() {
                polyline class="line" stroke-dasharray=(dashes(number, series)) points=(line.join(" ")) {}
            }
            @for p in &series.points {
                @let (px, py) = (format!("{:.1}", x.at(p.x)), format!("{:.1}", y.at(p.y)));
                @if let Some((low, high)) = p.interval {
                    path class="bar" d={ "M" (px) (format_args!(" {:.1}V{:.1}", y.at(low), y.at(high))) } {}
                }
                path class=(if p.hollow { "pt hollow" } else { "pt" }) d={ "M" (px) " " (py) (shape(number, series)) } {}
            }
        }
    }
}

/// The outline of columns: one closed path around each run of columns that touch each other.
fn outline(columns: &[Column], x: &Scale, y: &Scale) -> String {
    let mut out = String::new();
    for run in columns.chunk_by(|a, b| a.x.1 >= b.x.0) {
        let there = run.iter().map(|c| format!("V{:.1}H{:.1}", y.at(c.y.1), x.at(c.x.1)));
        let back = run.iter().rev().map(|c| format!("V{:.1}H{:.1}", y.at(c.y.0), x.at(c.x.0)));
        out.extend(run.first().map(|first| format!("M{:.1} {:.1}", x.at(first.x.0), y.at(first.y.0))));
        out.extend(there.chain(back));
        out.push('Z');
    }
    out
}

/// The sample of a series in the legend: 34 pixels wide and 14 high.
fn key(number: usize, series: &Series) -> Markup {
    let (class, style) = look(number, series);
    html! {
        g class=(class) style=(style) {
            @if series.area.is_empty() {
                @if !series.line.is_empty() {
                    path class="line" stroke-dasharray=(dashes(number, series)) d="M1 7H33" {}
                }
                path class=(if series.theirs { "pt hollow" } else { "" }) d={ "M17 7" (shape(number, series)) } {}
            } @else {
                rect x="8" y="1" width="18" height="12" rx="2" {}
            }
        }
    }
}

/// A ring around the recommended point.
fn ring(point: &Point, x: &Scale, y: &Scale) -> Markup {
    let (px, py) = (x.at(point.x), y.at(point.y));
    // Towards the middle, so that the words stay on the drawing.
    let (tx, anchor) = if px > (LEFT + RIGHT) / 2.0 { (px - 13.0, "end") } else { (px + 13.0, "start") };
    let base = py + if py > BOTTOM - 20.0 { -12.0 } else { 16.0 };
    let [px, py, tx, base] = [px, py, tx, base].map(|place| format!("{place:.1}"));
    html! {
        circle class="ring" cx=(px) cy=(py) r="8" {}
        text class="ringed halo" x=(tx) y=(base) text-anchor=(anchor) { (tr!("recommended")) }
    }
}

/// Writes charts one below the other as one SVG document, which contains their words.
#[cfg(feature = "lab")]
pub(crate) fn document(charts: &[Chart]) -> String {
    let longest = |chart: &Chart| chart.labelled().map(|(_, series)| width(&series.name)).fold(0.0, f64::max);
    let wide = WIDTH + 60.0 + charts.iter().map(longest).fold(0.0, f64::max);
    let tall = HEIGHT + 90.0;
    let height = tall * charts.len() as f64;
    let svg = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox={ "0 0 " (wide) " " (height) } width=(wide) height=(height) {
            "\n"
            style { (PreEscaped(STYLE)) }
            "\n"
            rect width="100%" height="100%" style="fill:var(--paper)" {}
            "\n"
            @for (number, chart) in charts.iter().enumerate() {
                g transform={ "translate(0 " (tall * number as f64) ")" } { (worded(chart)) }
                "\n"
            }
        }
        "\n"
    };
    svg.into_string()
}

/// Draws a chart with its words around it.
#[cfg(feature = "lab")]
fn worded(chart: &Chart) -> Markup {
    // Many names are set closer together.
    let count = chart.labelled().count().max(1) as f64;
    let step = (BOTTOM - TOP).min(19.0 * count) / count;
    html! {
        text class="title" x="16" y="24" { (clean(&chart.title)) }
        text class="soft" x="16" y="42" { (clean(&chart.y.label)) }
        g transform="translate(0 46)" {
            (chart.drawing())
            @for (place, (number, series)) in chart.labelled().enumerate() {
                @let base = TOP + step * place as f64;
                g transform={ "translate(" (RIGHT + 8.0) " " (format_args!("{base:.1}")) ")" } {
                    (key(number, series))
                    text x="40" y="11" style={ "font-size:" (format_args!("{:.1}", step.min(15.0) * 0.8)) "px" } { (clean(&series.name)) }
                }
            }
            text class="soft" x=((LEFT + RIGHT) / 2.0) y=(HEIGHT + 12.0) text-anchor="middle" { (clean(&chart.x.label)) }
        }
    }
}

/// The approximate width of a name in pixels.
#[cfg(feature = "lab")]
fn width(name: &str) -> f64 {
    name.chars().map(|c| if c.is_ascii() { 6.4 } else { 12.0 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_drawn_and_names_are_text() {
        let point = |x, y| Point { x, y, marked: x > 50.0, ..Point::default() };
        let series = Series {
            name: "a<b&\"中\"\u{1}".into(),
            points: vec![point(1.0, 0.1), point(100.0, 0.2)],
            ..Series::default()
        };
        let axis = |log| Axis { label: "轴".into(), log, ..Axis::default() };
        let chart = Chart { title: "题".into(), x: axis(true), y: axis(false), series: vec![series], level: None };
        let svg = document(&[chart]);
        assert_eq!(svg.matches("class=\"pt\"").count(), 2);
        assert!(svg.contains("a&lt;b&amp;&quot;中&quot;\u{fffd}"), "{svg}");
        assert!(svg.contains("class=\"ring\"") && svg.contains("10²"), "{svg}");
    }

    #[test]
    fn an_axis_may_have_names() {
        let points = (0..3).map(|at| Point { x: f64::from(at), y: 0.5, ..Point::default() }).collect();
        let names = vec!["一".to_owned(), "<二>".to_owned(), "三".to_owned()];
        let x = Axis { names, ..Axis::default() };
        let series = vec![Series { points, ..Series::default() }];
        let svg = Chart { title: String::new(), x, y: Axis::default(), series, level: None }.html().into_string();
        assert!(svg.contains(">一</text>") && svg.contains(">&lt;二&gt;</text>"), "{svg}");
    }

    #[test]
    fn charts_without_points_have_axes() {
        for log in [true, false] {
            let axis = Axis { log, ..Axis::default() };
            let chart = Chart { title: String::new(), x: axis.clone(), y: axis, series: vec![], level: None };
            assert!(!chart.html().into_string().contains("NaN") && !chart.html().into_string().contains("inf"));
        }
    }
}
