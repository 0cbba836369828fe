//! Compares words that only join and shade others, but may turn the meaning: 因为下雨，… / 如果下雨，…, 能预约 / 要预约, 放在柜子上 / 放在柜子里.

use super::Statement;
use crate::text::cues::{CUES, Family, Row};

impl Statement<'_> {
    /// Whether one of the likeliest words of the text is in the row.
    fn has_one_of(&self, row: &Row) -> bool {
        self.words.cut.iter().any(|word| row.words.is_codes(word.tokens(self.list())))
    }

    /// Whether the texts have words of different rows of a family, or only one text has a word of a row for which this matters.
    pub(super) fn is_turned_by_a_word(self, b: Statement<'_>) -> bool {
        let is_turned = |family: &Family| {
            let mut only = [false; 2];
            family.rows.iter().any(|row| {
                let (own, of_b) = (self.has_one_of(row), b.has_one_of(row));
                only = [only[0] || own && !of_b, only[1] || of_b && !own];
                row.is_one_sided && own != of_b || only == [true; 2]
            })
        };
        [&CUES.joins, &CUES.shades, &CUES.whom, &CUES.place].into_iter().any(is_turned)
    }
}
