//! UTF-16 without a mark is recognised in any script, and not read as other characters.

use super::Place;

const TEXTS: [(&str, &[&str]); 11] = [
    ("Russian", &["Привет, как дела?", "Сегодня хорошая погода в Москве", "Завтра будет дождь"]),
    ("Greek", &["Καλημέρα σας", "Τι κάνετε σήμερα;", "Ευχαριστώ πολύ"]),
    ("Hebrew", &["שלום לכם חברים", "מה שלומכם היום", "תודה רבה לכולם"]),
    ("Arabic", &["صباح الخير يا أصدقاء", "كيف حالكم اليوم", "شكرا جزيلا لكم"]),
    ("Thai", &["สวัสดีครับทุกคน", "วันนี้อากาศดีมาก", "ขอบคุณมากครับ"]),
    ("Hindi", &["नमस्ते दोस्तों कैसे हो", "आज मौसम बहुत अच्छा है", "बहुत धन्यवाद आपका"]),
    ("Korean", &["안녕하세요 여러분", "오늘은 날씨가 아주 좋습니다", "내일 서울에 비가 옵니다"]),
    ("Korean without blanks", &["안녕하세요", "반갑습니다여러분", "내일또만나요"]),
    ("Japanese", &["今日は東京でとても良い天気です", "明日は雨が降るそうですから傘を", "電車がまた十分ほど遅れている"]),
    ("Kana", &["こんにちはみなさん", "ありがとうございました", "カタカナのテスト"]),
    ("Chinese", &["今天武汉的樱花开了，我在东湖边等你", "上海下午有雨，请大家带伞出门", "三号线又在换乘站停了十分钟"]),
];

fn encoded(text: &str, big: bool) -> Vec<u8> {
    text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

#[test]
fn it_is_known_in_any_script() {
    for (script, texts) in TEXTS {
        for big in [false, true] {
            let lines = texts.join("\n") + "\n" + texts[0] + "\n";
            let place = Place::new().with("in.txt", encoded(&lines, big));
            let run = place.run(&["dedup", "in.txt", "--output", "annotated"]);
            let said = if big { "utf-16be" } else { "utf-16le" };
            assert!(run.said.contains(said), "{script} {said}: {}", run.said);
            let seen: Vec<String> = run.out.lines().map(|line| line.replace("{\"text\":\"", "")).collect();
            assert!(
                seen.len() == 4 && seen.iter().zip(texts).all(|(seen, text)| seen.starts_with(text)),
                "{script} {said}: {}",
                run.out
            );
            assert!(seen[3].contains("\"exact\""), "{script}: {}", run.out);
        }
    }
}

/// UTF-16 is recognised by its line ends: some characters look like ASCII letters, but a line end has a zero byte.
#[test]
fn it_is_known_by_its_line_ends() {
    let trains: String = (1..=100).map(|line| format!("上海第{line}号线今天停运\n")).collect();
    for text in
        ["我在\n", "我在\r\n你好\r\n", "你好\n今天武汉的樱花开了\n上海\n", "上海\n", "《三体》一书\n上班了\n", &trains]
    {
        for big in [false, true] {
            let place = Place::new().with("in.txt", encoded(text, big));
            let run = place.run(&["dedup", "in.txt", "--output", "annotated"]);
            assert!(run.said.contains(if big { "utf-16be" } else { "utf-16le" }), "{text:?} {big}: {}", run.said);
            assert!(text.lines().zip(run.out.lines()).all(|(text, out)| out.contains(text)), "{text:?}: {}", run.out);
        }
    }
}

/// Shift JIS is not taken for UTF-16, although pairs of its bytes are ideographs in UTF-16.
#[test]
fn shift_jis_is_not() {
    let (text, _, lost) = encoding_rs::SHIFT_JIS
        .encode("今日は東京でとても良い天気です\n明日は雨が降るそうですから傘を\n電車がまた十分ほど遅れている\n");
    assert!(!lost);
    let place = Place::new().with("in.txt", text);
    let run = place.run(&["dedup", "in.txt", "--output", "annotated"]);
    assert!(!run.said.contains("utf-16") && run.said.contains("in 3 = "), "{}", run.said);
}

/// UTF-32 is read with a mark and without, in both byte orders and any script, and kept lines leave as they came. In one byte order it
/// begins as UTF-16 does. A table in UTF-32 is refused, as a table in UTF-16 is.
#[test]
fn utf_32_is_read() {
    for (script, texts) in TEXTS {
        for (big, said) in [(false, "utf-32le"), (true, "utf-32be")] {
            let unit = |c: char| if big { u32::from(c).to_be_bytes() } else { u32::from(c).to_le_bytes() };
            let encoded = |text: &str| text.chars().flat_map(unit).collect::<Vec<u8>>();
            for mark in ["\u{feff}", ""] {
                let kept = format!("{mark}{}\n", texts.join("\n"));
                let place = Place::new().with("in.txt", encoded(&format!("{kept}{}\n", texts[0])));
                let run = place.run(&["dedup", "in.txt", "-o", "out.txt"]);
                assert!(run.said.contains(said) && run.said.contains("exact 1,"), "{script} {said}: {}", run.said);
                assert!(place.read("out.txt") == encoded(&kept), "{script} {said}");
            }
        }
    }
    let table = "\u{feff}id,text\n1,a\n".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect::<Vec<u8>>();
    let run = Place::new().with("in.csv", table).run(&["dedup", "in.csv"]);
    assert!(run.said.contains("tables in utf-32le are not read") && run.out.is_empty(), "{}", run.said);
}

/// Text in another encoding is not taken for UTF-16.
#[test]
fn nothing_else_is() {
    let table = "a\tb\tc\td\te\tf\tg\th\ti\n".repeat(4);
    for text in [
        "Привет, как дела?\nСегодня хорошая погода\n",
        "今天武汉的樱花开了\n",
        "a\u{1}b\u{1}c\u{1}\n",
        &table,
        "\u{4}\n",
        "abc\n\0\0\0\nab\n",
        "안녕하세요 여러분\n오늘은 날씨가 좋습니다\n",
    ] {
        let place = Place::new().with("in.txt", text);
        let run = place.run(&["dedup", "in.txt", "--summary", "sum.json"]);
        assert!(!run.said.contains("utf-16"), "{text:?}: {}", run.said);
    }
}

/// Chinese in GB18030 is not taken for Korean, although most of its characters begin with a byte that Hangul has in UTF-16.
#[test]
fn chinese_in_gb18030_is_not_korean() {
    let texts = ["今天武汉的樱花开了我在东湖边等你", "上海下午有雨请大家带伞出门", "三号线又在换乘站停了十分钟", "啊"];
    for lines in [&texts[..], &texts[1..], &texts[3..]] {
        let text = lines.join("\n") + "\n" + texts[0] + "\n" + texts[2] + "\n";
        let place = Place::new().with("utf8.txt", &text);
        let packed = std::process::Command::new("iconv").args(["-t", "GB18030"]).arg(place.path("utf8.txt")).output();
        let place = place.with("in.txt", packed.unwrap().stdout);
        let run = place.run(&["dedup", "in.txt"]);
        assert!(run.said.contains("gb18030") && !run.said.contains("utf-16"), "{text:?}: {}", run.said);
    }
}
