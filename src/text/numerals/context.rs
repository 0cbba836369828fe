//! Decides by its context whether a Chinese numeral counts something, or is part of a word.

use super::value::is_digit;
use super::{LONG_UNITS, Numeral, UNITS};

/// Characters before 十分 if it is a score or a time: 扣十分. Elsewhere 十分 means very: 睡眠十分重要.
const SCORES: &str = "得扣加减满评打罚送赢输领差多少约近第晚早到提迟点时前后";
/// Characters after 十分 if it is a score or a time: 十分钟.
const OF_TEN: &str = "钟之制以内后前左右";

/// Whether 十, with the 分 that `rest` begins with, means very: 睡眠十分重要, but not 扣十分 and 十分钟.
pub(super) fn means_very(rest: &str, last: Option<char>) -> bool {
    let is_score = last.is_some_and(|c| is_digit(c) || SCORES.contains(c));
    let Some(after) = rest.strip_prefix('分') else { return false };
    // 十分 alone is a word of the lexicon.
    let says = after.chars().next().map_or(last.is_none(), |c| c.is_alphabetic() && !OF_TEN.contains(c));
    !is_score && says
}

/// Whether `rest` begins with 多 or the like and a unit after a round number: 三百多户, but not 十多.
pub(super) fn is_more_than(run: &str, rest: &str) -> bool {
    let is_round = run.ends_with(['十', '百', '千', '万', '亿']);
    let after = rest.strip_prefix(['多', '余', '馀', '来']).filter(|_| is_round);
    after.is_some_and(|after| {
        after.starts_with(|c: char| UNITS.has(c.into())) || LONG_UNITS.iter().any(|unit| after.starts_with(unit))
    })
}

/// Characters that may follow a unit whose character also begins many words.
const BEHIND: &str = "的一每左就以啊吧了呢多起";

/// Whether 里 is the unit that `rest` begins with: 山路三十里, but not 三里屯.
pub(super) fn is_distance(rest: &str) -> bool {
    let is_end = |c: char| !c.is_alphanumeric() || BEHIND.contains(c) || "路地外远内长".contains(c);
    rest.strip_prefix('里').is_some_and(|after| after.chars().next().is_none_or(is_end))
}

/// Whether 角 or 毛 is the coin that `rest` begins with: 五毛, 每度四角, but not 一毛不拔 and 桌子四角.
pub(super) fn is_coin(run: &str, before: &str, rest: &str) -> bool {
    let Some(after) = rest.strip_prefix(['角', '毛']) else { return false };
    let more = after.trim_start_matches(is_digit);
    more.len() < after.len() && more.starts_with('分')
        || after.starts_with('钱')
        || (rest.starts_with('毛') && run != "一" || before.chars().rev().take(3).any(|c| c == '每')) && is_money(after)
}

/// Whether no character after a coin makes another word of it.
pub(crate) fn is_money(after: &str) -> bool {
    after.chars().next().is_none_or(|c| !c.is_alphanumeric() || c == '钱' || BEHIND.contains(c))
}

/// Characters before a 百, 万 or 亿 alone that make it a number: 票房破亿, 超万人.
const REACHED: [char; 7] = ['破', '超', '逾', '过', '近', '达', '满'];
/// Characters that make 百 or 千 an indefinite number: 数百名 has no exact value.
const SOME: [char; 5] = ['数', '几', '上', '成', '两'];

/// Reads a power of ten without a digit as a number, judged by the text `before` and `behind` it: 百 of 百名师生 is 100, 千 of 千余人 is
/// 1000, 百 of 百米 is 100, 亿 of 破亿 is 10^8. But 百姓 is a word.
pub(super) fn one_of(run: &str, before: &str, behind: &str) -> Option<Numeral> {
    const SCALES: [(&str, usize); 7] =
        [("百", 2), ("千", 3), ("万", 4), ("百万", 6), ("千万", 7), ("亿", 8), ("万亿", 12)];
    let zeros = SCALES.iter().find(|(scale, _)| *scale == run)?.1;
    let is_small = zeros < 4;
    let counts = is_small && (behind.starts_with('名') || is_more_than(run, behind))
        || run == "百" && behind.starts_with('米')
        || run == "万亿" && behind.starts_with('元');
    let ends = |c: char| !c.is_alphanumeric() || UNITS.has(c.into()) || "大关美港的了啦".contains(c);
    let is_reached = (before.ends_with(REACHED) || before.ends_with("重回")) && behind.chars().next().is_none_or(ends);
    let is_one = counts && !before.ends_with(SOME) || is_reached;
    is_one.then(|| Numeral { digits: format!("1{}", "0".repeat(zeros)), length: run.len() })
}

/// Characters between the ends of a range.
pub(super) const TO: [char; 4] = ['到', '至', '-', '~'];

/// Whether the numeral is an end of a range: 八千到一万二, 十八至四十八岁. But 一到八点 may mean as soon as it is eight.
pub(super) fn is_range(run: &str, before: &str, behind: &str) -> bool {
    let is_end = |before: &str| before.ends_with(|c| is_digit(c) || matches!(c, '元' | '块' | '岁'));
    if before.strip_suffix(TO).is_some_and(is_end) {
        return true;
    }
    let Some(after) = behind.strip_prefix(TO).filter(|after| after.starts_with(is_digit)) else { return false };
    run != "一" || !after.trim_start_matches(is_digit).starts_with(|c| "点时月号日年".contains(c))
}

/// Whether the words that `rest` begins with make an amount of the round number before them: 一万起, 三十出头.
pub(super) fn is_about(run: &str, rest: &str) -> bool {
    const ABOUT: [&str; 11] = ["左右", "以上", "以下", "以内", "上下", "出头", "不等", "封顶", "包邮", "可刀", "不刀"];
    let is_round = run.chars().nth(1).is_some() && run.ends_with(['十', '百', '千', '万', '亿']);
    let is_end = |after: &str| after.chars().next().is_none_or(|c| !c.is_alphanumeric());
    is_round
        && (ABOUT.iter().any(|word| rest.starts_with(word))
            || rest.strip_prefix(['起', '多', '余']).is_some_and(is_end))
}
