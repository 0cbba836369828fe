//! Quantities of one number in different units: 5公里 / 5米.

use super::{Side, is_numeric};
use crate::text::tokens::{character, is_number};

/// So many tokens of a unit may be before what differs: 毫升 / 毫克.
const LONGEST_PREFIX: usize = 1;

/// Units, the longer before those that they begin with.
const UNITS: &str = "公里 英里 海里 里 英尺 尺 英寸 寸 厘米 毫米 微米 纳米 米 公斤 千克 毫克 微克 克 斤 两 吨 磅 盎司 毫升 滴 升 公顷 亩 平方米 平方公里 \
    人民币 美元 欧元 港元 港币 日元 英镑 韩元 泰铢 卢布 澳元 加元 元 秒 分钟 小时 天 周 个月 年";

impl Side<'_> {
    /// The unit of the number before the gap, also where the gap begins inside the unit: 5毫升 / 5毫克.
    fn unit(&self) -> Option<&'static str> {
        let start = self.range.start;
        let number = (1..=LONGEST_PREFIX + 1).find_map(|back| {
            let at = start.checked_sub(back)?;
            is_number(self.tokens.list[at]).then_some(at)
        })?;
        let text: String = self.tokens.list[number + 1..].iter().take(3).map_while(|&token| character(token)).collect();
        let unit = UNITS.split_whitespace().find(|unit| text.starts_with(unit))?;
        // Not a unit that ends before the gap.
        (number + 1 + unit.chars().count() > start).then_some(unit)
    }
}

/// Whether the gap stands behind a number of both sides, in one unit on the one side and in another on the other.
pub(super) fn units_differ(a: &Side<'_>, b: &Side<'_>) -> bool {
    // 一百二 / 120元: what follows the one is no unit of it.
    let added = |side: &Side<'_>, unit: &str, other: &Side<'_>| {
        other.range.is_empty() && unit.chars().count() <= side.range.len()
    };
    let differ = |(x, y)| x != y && !added(a, x, b) && !added(b, y, a);
    a.unit().zip(b.unit()).is_some_and(differ)
}

/// 三月初三 / 三月十三.
pub(super) fn lunar_days_differ(a: &Side<'_>, b: &Side<'_>) -> bool {
    let ten = |side: &Side<'_>| match side.inside() {
        [token] if side.after(side.range.start).is_some_and(is_numeric) => {
            character(*token).filter(|c| "初十廿".contains(*c))
        }
        _ => None,
    };
    ten(a).zip(ten(b)).is_some_and(|(x, y)| x != y)
}
