//! Words that only join and shade what others say, but of which one may turn it: 因为下雨，… / 如果下雨，…, 能预约 / 要预约, 放在柜子上 / 放在柜子里.

use super::Statement;
use crate::text::cues::{CUES, Family, Row};

impl Statement<'_> {
    /// Whether one of the likeliest words of the text is in the row.
    fn has_one_of(&self, row: &Row) -> bool {
        let spells = |word: &[u32], spelled: &str| word.iter().copied().eq(spelled.chars().map(u32::from));
        self.words.cut.iter().any(|word| row.words.iter().any(|one| spells(word.tokens(self.list()), one)))
    }

    /// Whether the texts have words of different rows of a family, or only one of them has one of a row where that matters.
    pub(super) fn is_turned_by_a_word(self, b: Statement<'_>) -> bool {
        let is_turned = |family: &Family| {
            let rows: Vec<_> =
                family.rows.iter().map(|row| (row.is_one_sided, self.has_one_of(row), b.has_one_of(row))).collect();
            let is_one = rows.iter().any(|(is_one_sided, own, of_b)| *is_one_sided && own != of_b);
            is_one || rows.iter().any(|(_, own, of_b)| *own && !of_b) && rows.iter().any(|(_, own, of_b)| *of_b && !own)
        };
        [&CUES.joins, &CUES.shades, &CUES.whom, &CUES.place].into_iter().any(is_turned)
    }
}
