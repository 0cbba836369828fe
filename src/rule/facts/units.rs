//! Compares quantities with the same number: 5公里 / 5米, 上涨至5元 / 上涨5元.

use super::{Conflict, Side, is_numeric};
use crate::text::cues::CUES;
use crate::text::tokens::{Token, character, is_number, is_one_of};

/// At most this many tokens of a unit may come before the difference: 毫升 / 毫克.
const LONGEST_PREFIX: usize = 1;

/// The units. A longer unit comes before a unit that it begins with.
const UNITS: &str = "公里 英里 海里 里 英尺 尺 英寸 寸 厘米 毫米 微米 纳米 米 公斤 千克 毫克 微克 克 斤 两 吨 磅 盎司 毫升 滴 升 公顷 亩 株 户 箱 袋 瓶 平方米 平方公里 \
    人民币 美元 欧元 澳门元 新台币 台币 新元 卢比 港元 港币 日元 英镑 韩元 泰铢 卢布 澳元 加元 元 秒 分钟 小时 天 周 个月 年 场 轮 集 届";

impl Side<'_> {
    /// Returns the unit of the number, or of 每, before the gap. The gap may begin inside the unit: 5毫升 / 5毫克, 每斤 / 每公斤.
    fn unit(&self) -> Option<&'static str> {
        let start = self.range.start;
        let number = (1..=LONGEST_PREFIX + 1).find_map(|back| {
            let at = start.checked_sub(back)?;
            let token = self.tokens.list[at];
            (is_number(token) || is_one_of(token, "每")).then_some(at)
        })?;
        let text: String = self.tokens.list[number + 1..].iter().take(3).map_while(|&token| character(token)).collect();
        let unit = UNITS.split_whitespace().find(|unit| text.starts_with(unit))?;
        // A unit that ends before the gap does not count.
        (number + 1 + unit.chars().count() > start).then_some(unit)
    }

    /// Whether a verb of change comes directly before the gap.
    fn follows_change(&self) -> bool {
        CUES.change.ends_codes(&self.tokens.list[..self.range.start])
    }

    /// Whether a number follows the gap closely.
    fn precedes_number(&self) -> bool {
        self.tokens.list[self.range.end..].iter().take(BETWEEN + 1).any(|token| is_number(*token))
    }
}

/// Returns how the quantities differ that the gap is a part of.
pub(super) fn quantities_differ(a: &Side<'_>, b: &Side<'_>) -> Option<Conflict> {
    if lunar_days_differ(a, b) {
        Some(Conflict::Number)
    } else if units_differ(a, b) {
        Some(Conflict::Unit)
    } else {
        changes_differ(a, b).then_some(Conflict::Qualifier)
    }
}

/// Whether the gap comes after the same number, or after 每, on both sides, with different units.
fn units_differ(a: &Side<'_>, b: &Side<'_>) -> bool {
    // 一百二 / 120元: the character after 一百 is no unit.
    let added = |side: &Side<'_>, unit: &str, other: &Side<'_>| {
        other.range.is_empty() && unit.chars().count() <= side.range.len()
    };
    // 每千克 / 每公斤. After a number, both are read as 斤.
    let usual = |unit: &'static str| if unit == "千克" { "公斤" } else { unit };
    let differ = |(x, y)| usual(x) != usual(y) && !added(a, x, b) && !added(b, y, a);
    a.unit().zip(b.unit()).is_some_and(differ)
}

/// Most tokens between 到, 至 or 了 and the number: 上涨到每吨120元, 下跌了近5%.
const BETWEEN: usize = 2;

/// Whether one side says to how much something changes, and the other by how much: 上涨至5元 / 上涨5元, 降到8度 / 降了8度.
fn changes_differ(a: &Side<'_>, b: &Side<'_>) -> bool {
    let is = |tokens: &[Token], of: &str| matches!(tokens, [token] if is_one_of(*token, of));
    let (x, y) = (a.inside(), b.inside());
    let to_and_by = |x: &[Token], y: &[Token]| is(x, "到至") && (y.is_empty() || is(y, "了"));
    (to_and_by(x, y) || to_and_by(y, x)) && a.follows_change() && a.precedes_number() && b.precedes_number()
}

/// Whether the days of a lunar month differ: 三月初三 / 三月十三.
fn lunar_days_differ(a: &Side<'_>, b: &Side<'_>) -> bool {
    let ten = |side: &Side<'_>| match side.inside() {
        [token] if side.after(side.range.start).is_some_and(is_numeric) => {
            character(*token).filter(|c| "初十廿".contains(*c))
        }
        _ => None,
    };
    ten(a).zip(ten(b)).is_some_and(|(x, y)| x != y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::testing::gist;
    use crate::text::tokens::Tokens;

    #[test]
    fn each_unit_can_be_read_behind_a_number() {
        let mut tokens = Tokens::default();
        let mut is_read = |text: String, unit: &str| {
            tokens.read(&text);
            let number = tokens.list.iter().rposition(|token| is_number(*token)).unwrap();
            tokens.list[number + 1..].iter().copied().eq(unit.chars().map(Token::from))
        };
        // 5公斤, 5千克 and 5 千克 are read as 10斤, but 5到6公斤 is not. 5分钟 is read as 5分, but the words after 14:30 are read by themselves.
        let forms = ["5", "5 ", "5到6", "14:30"];
        let mut is_dead = |unit: &&str| !forms.iter().any(|number| is_read(format!("{number}{unit}"), unit));
        let dead: Vec<&str> = UNITS.split_whitespace().filter(|unit| is_dead(unit)).collect();
        assert_eq!(dead, [""; 0]);
    }

    #[test]
    fn to_how_much_is_not_by_how_much() {
        let differ = |verb: &str, x: &str, y: &str, rest: &str| {
            let [a, b] = [x, y].map(|mark| gist(&format!("去年{verb}{mark}{rest}")));
            let (a, b) = (a.view(), b.view());
            let start = 2 + verb.chars().count();
            let [x, y] = [x, y].map(|mark| start..start + mark.chars().count());
            changes_differ(&Side { tokens: a.body, range: x }, &Side { tokens: b.body, range: y })
        };
        for verb in CUES.change.each() {
            for mark in ["到", "至"] {
                for other in ["", "了"] {
                    assert!(differ(verb, mark, other, "80元"), "{verb}{mark} / {verb}{other}");
                    assert!(differ(verb, other, mark, "近80元"), "{verb}{other} / {verb}{mark}");
                }
            }
            assert!(!differ(verb, "到", "至", "80元"), "{verb}");
            assert!(!differ(verb, "到", "了", "最高的地方"), "{verb}");
        }
        assert!(!differ("走", "到", "了", "80米"));
    }
}
