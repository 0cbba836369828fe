//! Finds what bulk messages say at their end about how to stop them: 拒收请回复R, 退订回T.

use std::ops::Range;

/// What a reader asks for.
const ASKED: [&str; 3] = ["退订", "拒收", "取消订阅"];
/// What a reader replies.
const REPLIES: [&str; 8] = ["td", "tt", "qx", "00", "t", "n", "r", "0"];
/// Fewest characters of a message without its end.
const MESSAGE: usize = 6;
/// Marks that part the message and the opt-out, or open a bracket around it. Other marks end the message: 还在等什么?退订回t.
const BETWEEN: [char; 11] = [' ', ',', ';', ':', '、', '|', '/', '-', '(', '[', '【'];

/// Returns the place of the opt-out at the end of a text, or before the signature there: …退订回T【店名】. The place is empty, and at the
/// end, if there is none.
pub(super) fn opt_out(text: &str) -> Range<usize> {
    let signature = text.strip_suffix('】').and_then(|inside| inside.rfind('【')).unwrap_or(text.len());
    // The brackets at the end are those of the opt-out (【退订回T】) or of a signature.
    let cuts = [text.len(), signature].map(|end| without_opt_out(&text[..end]).len()..end);
    cuts.into_iter().find(|cut| !cut.is_empty()).unwrap_or(text.len()..text.len())
}

/// Returns the text without its opt-out. A text of little else stays as it is.
fn without_opt_out(text: &str) -> &str {
    let mut left = text;
    loop {
        let end = left.trim_end_matches(|c: char| !c.is_alphanumeric());
        let Some(before) = before_opt_out(end) else { return left };
        let before = before.trim_end_matches(BETWEEN);
        if before.chars().nth(MESSAGE - 1).is_none() {
            return left;
        }
        left = before;
    }
}

/// Returns what comes before an opt-out at the end.
fn before_opt_out(text: &str) -> Option<&str> {
    let before = match without(text, &ASKED) {
        // 回t退订, td退订
        Some(asked) => before_reply(asked).or_else(|| asked.strip_suffix("td"))?,
        // 退订回t, 退订td
        None => without(before_reply(text).or_else(|| text.strip_suffix("td"))?, &ASKED)?,
    };
    Some(without(before, &["如需", "如要"]).unwrap_or(before))
}

/// Returns what comes before a call to reply at the end: 请回复t.
fn before_reply(text: &str) -> Option<&str> {
    let before = without(without(text, &REPLIES)?, &["回复", "恢复", "回", "复"])?;
    Some(before.strip_suffix('请').unwrap_or(before))
}

/// Returns what comes before one of these endings.
fn without<'t>(text: &'t str, endings: &[&str]) -> Option<&'t str> {
    endings.iter().find_map(|ending| text.strip_suffix(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opt_outs_leave_the_message() {
        for (text, left) in [
            ("今晚24点过期,退订回t", "今晚24点过期"),
            ("今晚24点过期 拒收请回复r", "今晚24点过期"),
            ("今晚24点过期,拒收请回复r,退订回t。", "今晚24点过期"),
            ("今晚24点过期,如需退订请回复td", "今晚24点过期"),
            ("今晚24点过期(回t退订)", "今晚24点过期"),
            ("今晚24点过期【退订回t】", "今晚24点过期"),
            ("今晚24点过期 td退订", "今晚24点过期"),
            ("今晚24点过期 复td退订", "今晚24点过期"),
            ("您还在等什么?退订回t", "您还在等什么?"),
            ("退订回t", "退订回t"),
            ("今晚24点退订", "今晚24点退订"),
            ("会员积分请回复t", "会员积分请回复t"),
        ] {
            assert_eq!(without_opt_out(text), left);
        }
        let signed = "今晚24点过期,退订回t【店名】";
        assert_eq!(&signed[opt_out(signed)], ",退订回t");
        let bracketed = "今晚24点过期【退订回t】";
        assert_eq!(&bracketed[opt_out(bracketed)], "【退订回t】");
        assert!(opt_out("今晚24点过期【店名】").is_empty());
    }
}
