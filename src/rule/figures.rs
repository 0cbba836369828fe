//! The figures of a text: its numbers, and its codes of letters and digits.
//!
//! 【江城银行】您的信用卡积分12500分将于12月31日失效，登录手机银行即可兑换好礼 / 【江城银行】温馨提示：您信用卡的12500积分12月31日就要失效啦，快登录手机银行兑换好礼吧: a sender that words a
//! notice anew keeps its figures. But the next notice of a template has other figures, and a text with another fact differs in few places.
//! So if two texts have the same figures and differ in many places, other words there say nothing new, and the texts need no [common
//! runs](super::thresholds).
//!
//! A few small figures are often the same by chance. So the texts must also open with the same clause, such as the name of the sender, or
//! their figures must be [telling](Figures::are_telling). At least one figure must be no part of a date or of a name.

use std::ops::RangeInclusive;

use super::bounds::LONG;
use super::facts::value;
use crate::text::GistView;
use crate::text::lexicon::{CIVIL, FILLER, lexicon};
use crate::text::tokens::{Token, is_code, is_large, is_number, is_one_of, is_word, number, small, spelled};

/// The number of tokens of texts that may be worded anew. Longer texts have common runs.
const REWORDED: RangeInclusive<usize> = LONG..=100;
/// Texts that are worded anew differ in at least so many places.
pub(super) const PLACES: usize = 5;
/// The number of tokens of an opening clause that may be a sender's name.
const OPENING: RangeInclusive<usize> = 2..=8;
/// Beginnings of a greeting.
const GREETINGS: [&str; 3] = ["尊敬", "亲爱", "各位"];
/// So many numbers of two digits or more are rarely the same by chance.
const MANY: usize = 3;

/// The figures of a text that may be worded anew.
#[derive(Debug)]
pub(crate) struct Figures {
    /// Sorted, each once. 一 and 1 are not among them, because they often count nothing.
    pub(crate) all: Vec<Token>,
    /// The number of tokens of the [opening clause](opening), or 0.
    pub(crate) opening: usize,
}

impl Figures {
    /// Returns the figures of a text; `None` if its length does not fit, or if all its numbers are parts of dates or of names such as V2EX.
    pub(crate) fn of(text: GistView<'_>) -> Option<Self> {
        Some(Self { all: figures(text.body.list)?, opening: opening(text) })
    }

    /// Whether other texts rarely have these figures: three of two digits or more, or two with a [large](is_large) number or a code.
    pub(crate) fn are_telling(&self) -> bool {
        let long = || self.all.iter().filter(|figure| small(**figure).is_none_or(|value| value > 9));
        let is_rare = |figure: &Token| is_code(*figure) || is_large(*figure);
        long().count() >= MANY || long().count() > 1 && long().any(is_rare)
    }
}

/// Returns the figures of a body, as [`Figures::of`] does.
pub(crate) fn figures(list: &[Token]) -> Option<Vec<Token>> {
    if !REWORDED.contains(&list.len()) {
        return None;
    }
    let counts = |figure: Token| is_number(figure) && figure != number(1);
    let is_in_date = |at: usize| list.get(at + 1).is_some_and(|behind| is_one_of(*behind, "年月日号"));
    let is_in_name = |at: usize| at > 0 && is_word(list[at - 1]);
    if !(0..list.len()).any(|at| counts(value(list[at])) && !is_in_date(at) && !is_in_name(at)) {
        return None;
    }
    let values = list.iter().map(|token| value(*token));
    let mut all: Vec<Token> = values.filter(|figure| counts(*figure) || is_code(*figure)).collect();
    all.sort_unstable();
    all.dedup();
    Some(all)
}

/// Returns the number of tokens of the opening clause if it may be a sender's name, and otherwise 0. 尊敬的会员您好 and 温馨提示 are no senders.
fn opening(text: GistView<'_>) -> usize {
    let first = text.clause_ends().find(|end| *end > 0).unwrap_or_default();
    let clause = text.body.list.get(..first).unwrap_or_default();
    let greets = || {
        let spelled = spelled(clause);
        spelled.contains(['您', '你']) || GREETINGS.iter().any(|word| spelled.starts_with(word))
    };
    let is_filler = || lexicon().get(clause).is_some_and(|entry| entry.is(FILLER | CIVIL));
    if OPENING.contains(&first) && !greets() && !is_filler() { first } else { 0 }
}

/// Whether two texts have the same figures, and rarely by chance.
pub(crate) fn have_same_figures(a: GistView<'_>, b: GistView<'_>) -> bool {
    let (Some(x), Some(y)) = (Figures::of(a), Figures::of(b)) else { return false };
    let open_alike = || y.opening > 0 && a.body.list[..x.opening] == b.body.list[..y.opening];
    x.all == y.all && (y.are_telling() || open_alike())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::text::{Analyser, Clean};

    #[test]
    fn a_sender_that_words_a_notice_anew_keeps_its_figures() {
        let (analyser, mut clean) = (Analyser::new(&Config::default()), Clean::default());
        let mut gist = |text: &str| {
            analyser.analyse(text, &mut clean);
            clean.gist()
        };
        let a = "【云栖体检】您的年度体检套餐还剩8天到期，请尽快预约到院";
        for (a, b, same) in [
            (a, "【云栖体检】亲爱的会员，8天后您的年度体检套餐就到期了，速来预约", true),
            (a, "【云栖体检】亲爱的会员，八天后您的年度体检套餐就到期了，速来预约", true),
            (a, "【云栖体检】亲爱的会员，6天后您的年度体检套餐就到期了，速来预约", false),
            (
                "尊敬的会员，您的年度体检套餐还剩8天到期，请尽快预约到院",
                "尊敬的会员，8天后您的年度体检套餐就到期了，速来预约",
                false,
            ),
            // Another sender, no sender, and no figure.
            (a, "【江城体检】亲爱的会员，8天后您的年度体检套餐就到期了，速来预约", false),
            (a, "亲爱的会员您好啊我们的会员，8天后您的年度体检套餐就到期了，速来预约", false),
            (
                "【云栖体检】您的年度体检套餐就要到期，请尽快预约到院",
                "【云栖体检】您的年度体检套餐快要到期了，尽快预约",
                false,
            ),
            // Dates only.
            (
                "【云栖体检】您的年度体检套餐8月到期，请尽快预约到院",
                "【云栖体检】8月您的年度体检套餐就要到期了，尽快预约",
                false,
            ),
            ("【樱花客户端】为V2EX用户做的第一个原生应用", "【樱花客户端】第一个原生应用，做给V2EX的各位用户", false),
            // Telling figures, whatever the openings.
            ("今年到店体检满3000元减150元，欢迎各位街坊来店", "体检季到店，满3000元即减150元，街坊们快来", true),
            ("今年到店体检满3000元减5元，欢迎各位街坊来店", "体检季到店，满3000元即减5元，街坊们快来", false),
        ] {
            let (x, y) = (gist(a), gist(b));
            assert_eq!(have_same_figures(x.view(), y.view()), same, "{a} / {b}");
            assert_eq!(have_same_figures(y.view(), x.view()), same, "{b} / {a}");
        }
    }
}
