use super::*;

/// What a text says without civility at its ends.
fn left(text: &str) -> String {
    let (mut plain, mut breaks) = (String::new(), Vec::new());
    for c in text.chars() {
        if matches!(c, '，' | '。') {
            breaks.push(plain.len());
            plain.push(' ');
        } else {
            plain.push(c);
        }
    }
    plain[news(&plain, &breaks)].trim().to_owned()
}

#[test]
fn civility_at_the_ends_is_no_news() {
    for (text, news) in [
        ("尊敬的业主您好，明天上午八点停水，给您带来不便敬请谅解", "明天上午八点停水"),
        ("体检报告请到一楼领取，感谢您的理解与配合", "体检报告请到一楼领取"),
        ("求扩散，好心人帮帮忙，老人在东湖附近走失", "老人在东湖附近走失"),
        ("荔枝今早到货，欢迎新老顾客前来选购。", "荔枝今早到货"),
    ] {
        assert_eq!(left(text), news);
    }
}

#[test]
fn news_and_judgement_stay() {
    for text in [
        // Too little is left.
        "到了，祝您生活愉快",
        "谢谢，晚安",
        // It is news.
        "明天上午八点停水，下午三点恢复供水",
        "荔枝今早到货，买三斤送一斤",
        "老人在东湖附近走失，已经找到",
        // It is judgement, or somebody is thanked.
        "消防员救出三名儿童，为消防员点赞",
        "小区又涨物业费，我支持",
        "体检报告请到一楼领取，感谢张医生",
        // It is short beside the rest.
        "受台风影响，明天全市中小学和幼儿园停课一天，感谢配合",
    ] {
        assert_eq!(left(text), text.replace('，', " "));
    }
}
