//! Charts as SVG text: axes, marks, lines and a legend, legible on light and on dark paper.

#[cfg(feature = "lab")]
use maud::PreEscaped;

use super::{Markup, clean, html};

/// What one axis shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Axis {
    /// Its label.
    pub(crate) label: String,
    /// Whether it is logarithmic; then values must be above 0.
    pub(crate) log: bool,
    /// Names of the values 0, 1, 2…, if it shows things instead of numbers.
    pub(crate) names: Vec<String>,
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
    /// Its name in the legend; none if empty.
    pub(crate) name: String,
    /// Its colour, 0..=1 along the scale.
    pub(crate) shade: f64,
    /// Whether it is somebody else's: in the colour of marks, hollow in the legend too.
    pub(crate) theirs: bool,
    /// Measured points.
    pub(crate) points: Vec<Point>,
    /// A line through these: what theory says.
    pub(crate) line: Vec<(f64, f64)>,
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
    /// What is drawn.
    pub(crate) series: Vec<Series>,
    /// A dashed horizontal line and its label.
    pub(crate) level: Option<(f64, String)>,
}

/// Width of a chart in pixels.
pub(crate) const WIDTH: f64 = 760.0;
/// Height of a chart in pixels.
pub(crate) const HEIGHT: f64 = 400.0;
// Room for the labels of the axes; the legend takes what its names need.
const LEFT: f64 = 76.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 52.0;

/// Colours and type of every chart. `--l` and `--c` are lightness and chroma, so that one hue serves both papers.
pub(crate) const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#fff;--ink:#1c1e21;--soft:#5c636b;--grid:#e3e6ea;--l:.55;--c:.15;--mark:#c2185b}
@media(prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e6e8eb;--soft:#a3abb4;--grid:#2c3239;--l:.77;--c:.13;--mark:#ff6fa5}}
svg.chart text{fill:var(--ink);font:12px system-ui,'Noto Sans CJK SC','PingFang SC','Microsoft YaHei',sans-serif}
svg.chart .soft{fill:var(--soft)}svg.chart .title{font-size:15px;font-weight:600}
svg.chart .grid{stroke:var(--grid);fill:none}svg.chart .level{stroke:var(--soft);stroke-dasharray:5 4}
svg.chart .s{--k:oklch(var(--l) var(--c) var(--h));stroke:var(--k);fill:var(--k)}
svg.chart .s.plain{--k:var(--soft)}svg.chart .s.theirs{--k:var(--mark);stroke-width:2}svg.chart .theirs circle{fill:var(--paper)}svg.chart .s .bar{opacity:.45}svg.chart .s .line{fill:none;stroke-width:1.4;opacity:.75}svg.chart .hollow{fill:var(--paper)}
svg.chart .ring{fill:none;stroke:var(--mark);stroke-width:2.5}svg.chart text.ringed{fill:var(--mark);font-weight:600}
svg.heat rect{fill:oklch(var(--l) var(--c) 250);fill-opacity:var(--a)}svg.heat text.cell{font-size:9px}
svg.chart .halo{paint-order:stroke;stroke:var(--paper);stroke-width:4px}
";

/// From values to pixels.
struct Scale {
    low: f64,
    high: f64,
    log: bool,
    names: Vec<String>,
    from: f64,
    to: f64,
}

impl Scale {
    fn new(axis: &Axis, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let usable = values.filter(|v| v.is_finite() && (!axis.log || *v > 0.0));
        let (low, high) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = match (low.is_finite(), axis.log) {
            _ if !axis.names.is_empty() => (-0.5, axis.names.len() as f64 - 0.5),
            (false, log) => (if log { -1.0 } else { 0.0 }, 1.0),
            (true, true) => (low.log10() - 0.04, high.log10() + 0.04),
            (true, false) => (0.0, high * 1.05),
        };
        let high = if high > low { high } else { low + 1.0 };
        Self { low, high, log: axis.log, names: axis.names.clone(), from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let value = if self.log { value.max(1e-300).log10() } else { value };
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.from + share * (self.to - self.from)
    }

    fn ticks(&self) -> Vec<(f64, String)> {
        if !self.names.is_empty() {
            return self.names.iter().enumerate().map(|(at, name)| (at as f64, name.clone())).collect();
        }
        let span = self.high - self.low;
        if self.log {
            let step = (span / 8.0).ceil().max(1.0) as i32;
            let mut tens: Vec<i32> = (self.low.ceil() as i32..=self.high.floor() as i32).collect();
            tens.retain(|ten| ten % step == 0);
            return tens.into_iter().map(|ten| (10f64.powi(ten), format!("10{}", superscript(ten)))).collect();
        }
        let raw = span / 6.0;
        let ten = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|s| s * ten).find(|s| *s >= raw).unwrap_or(ten);
        let places = usize::try_from(-(step.log10().floor() as i64)).unwrap_or(0);
        let count = (self.high / step).floor() as i64;
        (0..=count).map(|i| (i as f64 * step, format!("{:.places$}", i as f64 * step))).collect()
    }
}

fn superscript(number: i32) -> String {
    let digit = |c| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(c as usize - '0' as usize);
    number.to_string().chars().map(|c| if c == '-' { '⁻' } else { digit(c).unwrap_or(c) }).collect()
}

impl Chart {
    /// The chart as an `svg` element; it needs [`STYLE`].
    pub(crate) fn svg(&self) -> Markup {
        self.svg_at(None)
    }

    /// The same, so far from the top of the document.
    fn svg_at(&self, top: Option<f64>) -> Markup {
        let points = || self.series.iter().flat_map(|s| s.points.iter());
        let lines = || self.series.iter().flat_map(|s| s.line.iter());
        let xs = points().map(|p| p.x).chain(lines().map(|p| p.0));
        let ys = points().flat_map(|p| [p.y, p.interval.map_or(p.y, |i| i.1)]).chain(lines().map(|p| p.1));
        let x = Scale::new(&self.x, xs, LEFT, self.right());
        let y = Scale::new(&self.y, ys.chain(self.level.iter().map(|l| l.0)), HEIGHT - BOTTOM, TOP);
        let title = clean(&self.title);
        html! {
            svg y=[top] xmlns="http://www.w3.org/2000/svg" class="chart" role="img" aria-label=(title)
                viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) {
                title { (title) }
                text class="title" x=(LEFT) y="22" { (title) }
                (self.axes(&x, &y))
                @for (number, series) in self.series.iter().enumerate() { (self.series(number, series, &x, &y)) }
                (self.level(&y))
                @for point in points().filter(|point| point.marked) { (self.ring(point, &x, &y)) }
            }
            "\n"
        }
    }

    /// Where the drawing ends and the legend begins.
    fn right(&self) -> f64 {
        let width = |name: &str| name.chars().map(|c| if c.is_ascii() { 6.4 } else { 12.0 }).sum::<f64>();
        WIDTH - 40.0 - self.series.iter().map(|series| width(&series.name)).fold(40.0, f64::max)
    }

    fn axes(&self, x: &Scale, y: &Scale) -> Markup {
        let (right, bottom) = (self.right(), HEIGHT - BOTTOM);
        let (middle, half) = ((LEFT + right) / 2.0, (TOP + bottom) / 2.0);
        html! {
            @for (value, label) in x.ticks() {
                @let at = format!("{:.1}", x.at(value));
                path class="grid" d={ "M" (at) " " (TOP) "V" (bottom) } {}
                text class="soft" x=(at) y=(bottom + 18.0) text-anchor="middle" { (clean(&label)) }
            }
            @for (value, label) in y.ticks() {
                @let at = y.at(value);
                path class="grid" d={ "M" (LEFT) " " (format_args!("{at:.1}")) "H" (right) } {}
                text class="soft" x=(LEFT - 8.0) y=(format_args!("{:.1}", at + 4.0)) text-anchor="end" { (clean(&label)) }
            }
            text x=(middle) y=(HEIGHT - 12.0) text-anchor="middle" { (clean(&self.x.label)) }
            text transform={ "translate(18 " (half) ") rotate(-90)" } text-anchor="middle" { (clean(&self.y.label)) }
        }
    }

    /// The points and the line of a series, and its name in the legend.
    fn series(&self, number: usize, series: &Series, x: &Scale, y: &Scale) -> Markup {
        // Many names stand closer.
        let step = (HEIGHT - TOP - 10.0).min(19.0 * self.series.len() as f64) / self.series.len().max(1) as f64;
        let size = step.min(15.0) * 0.8;
        let (at, base) = (self.right() + 14.0, TOP + 10.0 + step * number as f64);
        let name = clean(&series.name);
        let class = match series.theirs {
            true => "s theirs",
            false if name.is_empty() => "s plain",
            false => "s",
        };
        let line: Vec<String> = series.line.iter().map(|p| format!("{:.1},{:.1}", x.at(p.0), y.at(p.1))).collect();
        html! {
            g class=(class) style={ "--h:" (format_args!("{:.0}", 290.0 - 265.0 * series.shade)) } {
                @if !name.is_empty() { title { (name) } }
                @if !line.is_empty() { polyline class="line" points=(line.join(" ")) {} }
                @for p in &series.points {
                    @let (px, py) = (format!("{:.1}", x.at(p.x)), format!("{:.1}", y.at(p.y)));
                    @if let Some((low, high)) = p.interval {
                        path class="bar" d={ "M" (px) (format_args!(" {:.1}V{:.1}", y.at(low), y.at(high))) } {}
                    }
                    circle class=(if p.hollow { "pt hollow" } else { "pt" }) cx=(px) cy=(py) r="3.2" {}
                }
                @if !name.is_empty() { circle cx=(at) cy=(format_args!("{:.1}", base - 4.0)) r="4" {} }
            }
            @if !name.is_empty() {
                text x=(at + 10.0) y=(format_args!("{base:.1}")) style={ "font-size:" (format_args!("{size:.1}")) "px" } {
                    (name)
                }
            }
        }
    }

    fn level(&self, y: &Scale) -> Markup {
        html! {
            @if let Some((value, label)) = &self.level {
                @let at = y.at(*value);
                path class="level" d={ "M" (LEFT) " " (format_args!("{at:.1}")) "H" (self.right()) } {}
                text class="soft halo" x=(LEFT + 6.0) y=(format_args!("{:.1}", at - 6.0)) { (clean(label)) }
            }
        }
    }

    /// A ring around the recommended point.
    fn ring(&self, point: &Point, x: &Scale, y: &Scale) -> Markup {
        let (px, py) = (x.at(point.x), y.at(point.y));
        // Towards the middle, so that the words stay on the paper.
        let is_right = px > (TOP + HEIGHT - BOTTOM) / 2.0 + 200.0;
        let (tx, anchor) = if is_right { (px - 13.0, "end") } else { (px + 13.0, "start") };
        let base = py + if py > HEIGHT - BOTTOM - 20.0 { -12.0 } else { 16.0 };
        let [px, py, tx, base] = [px, py, tx, base].map(|place| format!("{place:.1}"));
        html! {
            circle class="ring" cx=(px) cy=(py) r="8" {}
            text class="ringed halo" x=(tx) y=(base) text-anchor=(anchor) { "recommended 推荐" }
        }
    }
}

/// Charts under each other as one SVG document.
#[cfg(feature = "lab")]
pub(crate) fn document(charts: &[Chart]) -> String {
    let height = HEIGHT * charts.len() as f64;
    let svg = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (WIDTH) " " (height) } width=(WIDTH) height=(height) {
            "\n"
            style { (PreEscaped(STYLE)) }
            "\n"
            rect width="100%" height="100%" style="fill:var(--paper)" {}
            "\n"
            @for (number, chart) in charts.iter().enumerate() { (chart.svg_at(Some(HEIGHT * number as f64))) }
        }
        "\n"
    };
    svg.into_string()
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
        let svg = Chart { title: String::new(), x, y: Axis::default(), series, level: None }.svg().into_string();
        assert!(svg.contains(">一</text>") && svg.contains(">&lt;二&gt;</text>"), "{svg}");
    }

    #[test]
    fn charts_without_points_have_axes() {
        for log in [true, false] {
            let axis = Axis { log, ..Axis::default() };
            let chart = Chart { title: String::new(), x: axis.clone(), y: axis, series: vec![], level: None };
            assert!(!chart.svg().into_string().contains("NaN") && !chart.svg().into_string().contains("inf"));
        }
    }
}
