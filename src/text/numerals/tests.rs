use super::*;

#[test]
fn numerals_are_those_with_a_value() {
    assert!(('\0'..=char::MAX).all(|c| is_numeral(c) == numeral(c).is_some()));
}

#[test]
fn arabic_numbers_are_levelled() {
    for (text, digits, rest) in [
        ("05月", "5", "月"),
        ("1,234人", "1234", "人"),
        ("1,23", "1", ",23"),
        ("6.3万元", "63000", "元"),
        ("5千元", "5000", "元"),
        ("5千克", "5", "千克"),
        ("2 万元", "20000", "元"),
        ("2 元", "2", " 元"),
        ("2亿", "200000000", ""),
        ("1.5万亿", "1500000000000", ""),
        ("9.50%的", "9.5%", "的"),
        ("7.10元", "7.1", "元"),
        ("1.20 kg", "1.2", " kg"),
        ("8.30停水", "8.30", "停水"),
        ("5.20度假", "5.20", "度假"),
        ("0.40版本", "0.40", "版本"),
        ("2020.1.20", "2020", ".1.20"),
        ("2020.1", "2020", ".1"),
        ("20:30", "20", ":30"),
        ("0.6", "0.6", ""),
        ("000", "0", ""),
        ("3.", "3", "."),
    ] {
        let found = arabic(text).unwrap();
        assert_eq!((found.digits.as_str(), &text[found.length..]), (digits, rest), "{text}");
    }
    assert_eq!(arabic("人"), None);
}

#[test]
fn chinese_numbers_are_numbers_where_they_count() {
    for (before, text, digits) in [
        ("第", "七", Some("7")),
        ("百分之", "三十", Some("30")),
        ("周", "二", Some("2")),
        ("", "三名", Some("3")),
        ("", "两万例", Some("20000")),
        ("", "三百二十", Some("320")),
        ("", "二〇二〇年", Some("2020")),
        ("", "一万零五", Some("10005")),
        ("", "十二月", Some("12")),
        ("", "一亿两千三百万", Some("123000000")),
        ("", "六点四级", Some("6.4")),
        ("", "二○二○年", Some("2020")),
        ("", "万一", None),
        ("", "千万不", None),
        ("", "一直", None),
        ("", "百年", None),
        ("", "三国", None),
        ("", "十百千万亿千万亿千万亿千万亿千万亿例", None),
    ] {
        assert_eq!(chinese(text, before).map(|found| found.digits).as_deref(), digits, "{before} {text}");
    }
}
