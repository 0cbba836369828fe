//! The largest clusters as a page to leaf through.

use std::fmt::Write;

use super::{Cluster, Clusters, Wording};
use crate::formats::time::rfc3339;
use crate::near::difference::{Piece, cut, pieces};
use crate::record::RecordId;
use crate::report::chart::escape;
use crate::report::{counted, grouped, styled_page};

/// Clusters on a page …
pub const CLUSTERS: usize = 200;
/// … texts of each, beside the kept one's …
pub const WORDINGS: usize = 50;
/// … characters of each text …
pub const CHARACTERS: usize = 500;
/// … and ids of repeats.
pub const IDS: usize = 500;

impl Clusters {
    /// The largest clusters of `least` messages or more, and of two or more, as a page that needs nothing but itself: with scripts
    /// one after another, with arrow keys and a search, without them all below each other. Every text stands as it differs
    /// from the kept one. At most [`CLUSTERS`] with [`WORDINGS`] texts of [`CHARACTERS`] characters each.
    pub fn html(&self, name: &str, least: u64) -> String {
        let mut found: Vec<&Cluster> = self.clusters.iter().filter(|cluster| cluster.count() >= least.max(2)).collect();
        found.sort_by_key(|cluster| std::cmp::Reverse(cluster.count()));
        let kept = self.clusters.len() as u64;
        let all: u64 = self.clusters.iter().map(Cluster::count).sum();
        let mut body = format!(
            "<p>{}: {} in {}, of which {} {} more than one{}.</p>\n",
            escape(name),
            counted(all, "message"),
            counted(kept, "cluster"),
            grouped(found.len() as u64),
            if found.len() == 1 { "has" } else { "have" },
            match least {
                0..=2 => String::new(),
                least => format!(" and at least {}", grouped(least)),
            },
        );
        if found.len() > CLUSTERS {
            let _ = writeln!(body, "<p>Here are the {CLUSTERS} largest.</p>");
            found.truncate(CLUSTERS);
        }
        body += "<p class=\"soft\">Below the kept text: the others, with <del>what they lack</del> and <ins>what they have in its \
                 place</ins>. 最上面是保留的原文，其余为重复，<del>缺少的</del>与<ins>换成的</ins>已标出。</p>\n\
                 <nav hidden><button type=\"button\">← previous 上一组</button><output></output>\
                 <button type=\"button\">next 下一组 →</button>\
                 <input type=\"search\" placeholder=\"search 搜索 ( / )\" aria-label=\"search 搜索\"></nav>\n";
        for (number, cluster) in found.iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = section(&mut body, number + 1, cluster);
        }
        let _ = writeln!(body, "<script>\n{}</script>", include_str!("page.js"));
        styled_page("quchong clusters", include_str!("page.css"), &body)
    }
}

fn section(to: &mut String, number: usize, cluster: &Cluster) -> std::fmt::Result {
    let Cluster { id, text, exact, near, times, repeats, same, wordings, representative } = cluster;
    writeln!(to, "<section id=\"c{number}\">\n<h2>{number}. {}</h2>", counted(cluster.count(), "message"))?;
    let (exact, near) = (grouped(*exact), grouped(*near));
    write!(to, "<p class=\"soft\">kept 保留 1 · exact 相同 {exact} · near 近似 {near}")?;
    if let Some((first, last)) = times.and_then(|(first, last)| Some((rfc3339(first, 1000)?, rfc3339(last, 1000)?))) {
        let until = if first == last { String::new() } else { format!(" – {last}") };
        write!(to, " · {first}{until}")?;
    }
    if let Some((id, _)) = representative {
        write!(to, " · represented by 代表 {}", markup(&cut(&id.to_string(), CHARACTERS)))?;
    }
    writeln!(to, "</p>\n<ol>")?;
    let text = cut(text, CHARACTERS);
    item(to, "kept", *same, id, &markup(&text))?;
    for Wording { text: other, count, id } in wordings.iter().take(WORDINGS) {
        item(to, "", *count, id, &compared(&text, &cut(other, CHARACTERS)))?;
    }
    writeln!(to, "</ol>")?;
    if let Some(more) = wordings.len().checked_sub(WORDINGS).filter(|more| *more > 0) {
        writeln!(to, "<p class=\"soft\">… and {}.</p>", counted(more as u64, "less frequent wording"))?;
    }
    let ids: Vec<String> = repeats.iter().take(IDS).map(|id| markup(&cut(&id.to_string(), CHARACTERS))).collect();
    let more = if repeats.len() > IDS { " …" } else { "" };
    writeln!(
        to,
        "<details class=\"soft\"><summary>ids of the repeats 重复的编号</summary>{}{more}</details>\n</section>",
        ids.join(" ")
    )
}

fn item(to: &mut String, class: &str, count: u64, id: &RecordId<'_>, text: &str) -> std::fmt::Result {
    let (count, id) = (grouped(count), markup(&cut(&id.to_string(), CHARACTERS)));
    writeln!(
        to,
        "<li class=\"{class}\"><b>{count} ×</b><p dir=\"auto\">{text}</p><span class=\"soft\">{id}</span></li>"
    )
}

/// `other` with what differs from `text`.
fn compared(text: &str, other: &str) -> String {
    let mark = |piece: &Piece<'_>| match piece {
        Piece::Same(text) => markup(text),
        Piece::Lacks(text) => format!("<del>{}</del>", markup(text)),
        Piece::Adds(text) => format!("<ins>{}</ins>", markup(text)),
    };
    pieces(text, other).iter().map(mark).collect()
}

/// Escaped text that keeps its lines.
fn markup(text: &str) -> String {
    text.split('\n').map(escape).collect::<Vec<_>>().join("\n")
}
