//! Removes column labels, which a headline carries at its beginning or end: 敦煌团队与时间赛跑丨深度.

use std::ops::Range;
use std::sync::LazyLock;

use super::common_chars::CharSet;
use crate::hash::HashSet;

/// Labels that name a newspaper column or a kind of page. A separator parts them from the headline.
const LABELS: &str = "深度 深度报道 快评 观点 图集 组图 多图 高清图 独家 独家专访 独家视频 特稿 评论 短评 锐评 时评 热评 社论 述评 视频 短视频 \
    一图读懂 一图看懂 图解 图说 图文 数说 长图 动图 海报 早报 晚报 夜读 快讯 滚动 要闻 重磅 首发 原创 专访 访谈 对话 人物 特写 调查 解读 分析 \
    专题 专栏 热点 热议 关注 聚焦 探访 直击 现场 观察 深观察 手记 记者手记 策划 特别策划";
/// Longest label with the blanks around it, in characters.
const LONGEST_LABEL: usize = 6;
/// Fewest characters of a headline without its label.
const HEADLINE: usize = 6;

/// Whether a character separates a label from a headline.
fn is_separator(c: char) -> bool {
    static SEPARATORS: CharSet = CharSet::of("|丨·-–—―│┃");
    SEPARATORS.has(c.into())
}

/// Endings of the names of websites, which their pages put at the end of a title: 真相来了_某某网.
const SITE_ENDINGS: [&str; 16] = [
    "网",
    "频道",
    "日报",
    "晚报",
    "早报",
    "时报",
    "客户端",
    "新闻",
    "资讯",
    "电视台",
    "通讯社",
    "论坛",
    "周刊",
    "在线",
    "贴吧",
    "博客",
];
/// Websites whose names end otherwise.
const SITES: &str = "知乎|知乎专栏|豆瓣|豆瓣电影|豆瓣读书|36氪|虎扑|虎扑社区|哔哩哔哩|bilibili|百度知道|百度百科|百度经验|爱奇艺|优酷|优酷视频|腾讯视频|西瓜视频|好看视频|小红书|\
    抖音|快手|今日头条|雪球|简书|掘金|腾讯云|阿里云|新浪财经|东方财富|同花顺|天涯社区|微博|搜狐|网易|澎湃号|网易号|搜狐号|百家号|csdn|the paper";
/// Shortest name after a dash that is known by its ending, in characters: a title may have a dash of its own, as in 手机没信号-断网.
const SHORTEST_AFTER_DASH: usize = 3;
/// Longest name of a site or a part of it, in characters.
const LONGEST_SITE: usize = 10;

/// Longest name of a column between a title and the names of its site, in characters.
const LONGEST_PART: usize = 4;

/// Whether a character separates the names of a site and its parts from a title.
fn is_site_separator(c: char) -> bool {
    matches!(c, '|' | '丨' | '_' | '│' | '┃' | '-')
}

/// Whether the name after a separator is the name of a website, or ends like one.
fn is_site(name: &str, separator: char) -> bool {
    static ALL: LazyLock<HashSet<&str>> = LazyLock::new(|| SITES.split('|').collect());
    let is_long = separator != '-' || name.chars().nth(SHORTEST_AFTER_DASH - 1).is_some();
    ALL.contains(name) || is_long && SITE_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Removes the name of the site that shows a title from its end: 真相来了_健康频道_某某网.
fn without_site(text: &str) -> &str {
    let mut left = text;
    loop {
        let last = left.char_indices().rev().take(LONGEST_SITE + 1).find(|(_, c)| is_site_separator(*c));
        let Some((at, separator)) = last else { return left };
        let name = left[at + separator.len_utf8()..].trim_matches(' ');
        // The parts of the site come between the title and the site.
        let is_short = separator != '-' && name.chars().nth(LONGEST_PART).is_none();
        let is_part = left.len() < text.len() && (separator == '_' || is_short);
        if !is_part && !is_site(name, separator) {
            return left;
        }
        let title = left[..at].trim_end_matches(|c| c == ' ' || is_site_separator(c));
        if title.chars().nth(HEADLINE - 1).is_none() {
            return left;
        }
        left = title;
    }
}

/// Returns the place of the text without column labels at its beginning and end: 敦煌团队与时间赛跑丨深度.
pub(super) fn unlabelled(text: &str) -> Range<usize> {
    static ALL: LazyLock<HashSet<&str>> = LazyLock::new(|| LABELS.split_whitespace().collect());
    let is_label = |word: &str| ALL.contains(word.trim_matches(' '));
    let long = |rest: &str| rest.chars().nth(HEADLINE - 1).is_some();
    let parts = |c: char| c == ' ' || is_separator(c);
    let text = without_site(text);
    let last = text.char_indices().rev().take(LONGEST_LABEL + 1).find(|(_, c)| is_separator(*c));
    let left =
        last.filter(|(at, c)| is_label(&text[at + c.len_utf8()..])).map(|(at, _)| text[..at].trim_end_matches(parts));
    let text = left.filter(|left| long(left)).unwrap_or(text);
    let is_bracketed = text.starts_with('【');
    let is_end = |c: char| if is_bracketed { c == '】' } else { is_separator(c) };
    let first = text.char_indices().take(LONGEST_LABEL + 2).find(|(_, c)| is_end(*c));
    let found = first.filter(|(at, _)| is_label(text[..*at].trim_start_matches('【')));
    let rest = found.map(|(at, c)| text[at + c.len_utf8()..].trim_start_matches(parts)).filter(|rest| long(rest));
    let end = text.len();
    end - rest.unwrap_or(text).len()..end
}
