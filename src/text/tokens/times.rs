//! The tokens of dates and of times of day.

use std::ops::Range;

use super::{Token, Tokens, number};
use crate::text::clock::Clock;

impl Tokens {
    /// A date: the year, 年, the month, 月, the day, 日. The bytes it takes.
    pub(super) fn date(&mut self, date: [(u32, usize); 3], each: impl FnMut(Range<usize>)) -> usize {
        self.days(date.into_iter().zip(['年', '月', '日']).map(|((value, end), name)| (value, end, name)), each)
    }

    /// Numbers of a date, each with where it ends, and 年, 月 or 日. The bytes they take.
    pub(super) fn days(
        &mut self,
        days: impl IntoIterator<Item = (u32, usize, char)>,
        mut each: impl FnMut(Range<usize>),
    ) -> usize {
        let mut start = 0;
        for (value, end, name) in days {
            self.list.push(number(value));
            each(start..end);
            self.list.push(name as Token);
            each(end..end);
            start = end;
        }
        start
    }

    /// A time of day: the hour, 点, and the minutes unless there are none.
    pub(super) fn time(&mut self, clock: Clock, mut each: impl FnMut(Range<usize>)) {
        let [hour, mark, end] = clock.ends;
        let whole = clock.minute == 0;
        let tokens = [(number(clock.hour), 0..hour), (Token::from('点'), hour..if whole { end } else { mark })];
        for (token, place) in tokens.into_iter().chain((!whole).then(|| (number(clock.minute), mark..end))) {
            self.list.push(token);
            each(place);
        }
    }
}
