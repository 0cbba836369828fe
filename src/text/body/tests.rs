use super::*;
use crate::text::normalise::canonical;
use proptest::prelude::*;

fn body(text: &str, rules: Rules) -> (String, Vec<String>) {
    let (canonical, mut out) = (canonical(text), Body::default());
    body_into(&canonical, rules, &mut out);
    let topics = out.topics.iter().map(|range| canonical[range.clone()].to_owned()).collect();
    (out.text, topics)
}

/// Text, then its body under this rule alone.
const EXAMPLES: &[(Rule, &[(&str, &str)])] = &[
    (
        Rule::Repost,
        &[
            ("好//@张三:不错//@李四-1 ：真的", "好 不错 真的"),
            ("回复@张三:谢谢 回复我", "谢谢 回复我"),
            ("轉發微博", ""),
            ("转发微博//@张三:看", "看"),
            ("转发微博抽奖", "转发微博抽奖"),
            ("【转】新闻 [转载]旧闻", "新闻 旧闻"),
            ("转：好文", "好文"),
            ("他转：好文", "他转:好文"),
            ("http://a //@", "http://a //@"),
            ("好 /@张三：不错", "好 不错"),
        ],
    ),
    (
        Rule::Mention,
        &[
            ("@何平Apple 好", "好"),
            ("谢谢@人民日报：好", "谢谢 :好"),
            ("写信 a@qq.com 吧 @ 家", "写信 a@qq.com 吧 @ 家"),
            ("@这里没有空格所以不会是一个名字而是一句话了", "@这里没有空格所以不会是一个名字而是一句话了"),
        ],
    ),
    (
        Rule::Url,
        &[
            ("看https://m.weibo.cn/a?b=1&c=%20这里", "看 这里"),
            ("看t.cn/A6xyZ大家，http://t.cn/b，好", "看 大家, ,好"),
            ("详情O网页链接 ok", "详情 ok"),
            ("好看。O湖北省发布：最新通告！ 快看", "好看。 快看"),
            ("O型血 5 O左右", "o型血 5 o左右"),
            ("多人泪奔O山东：援鄂医疗队出征 好", "多人泪奔 好"),
            ("相册URLkixd 看curl", "相册 看curl"),
            ("www.a.com:80/x。", "。"),
            ("点击 s.lib.cn/3Xa9 兑换，或到馆", "点击 兑换,或到馆"),
            ("账单已出 bk.cn/8Kd2。", "账单已出 。"),
            ("网址 s.lib.cn/3Xa9", "网址 s.lib.cn/3xa9"),
            ("见a.cn/8Kd2", "见a.cn/8kd2"),
            ("点击 a.cn/news，a@b.cn/3Xa9，asp.net/c1a", "点击 a.cn/news,a@b.cn/3xa9,asp.net/c1a"),
        ],
    ),
    (
        Rule::Emoticon,
        &[
            ("好[爱心][/cp]吧[得意地笑]", "好 吧"),
            ("[2020] [这是很长的一句话不是表情]", "[2020] [这是很长的一句话不是表情]"),
        ],
    ),
    (Rule::Emoji, &[("好👍🏻吧❤️ 1️⃣二", "好 吧 二"), ("棒??? ?", "棒"), ("好吗？ 吗?吗", "好吗? 吗?吗")]),
    (
        Rule::Topic,
        &[
            ("#武汉 加油#好#a##b #", "好"),
            ("加油#武汉##武汉新增17例", "加油"),
            ("好#排名# #1", "好 #1"),
            ("C#语言 ##", "c#语言 ##"),
            ("【#标题#】内容", "【 】内容"),
        ],
    ),
    (
        Rule::Video,
        &[
            ("好L一手video的秒拍视频 L央视的微博視頻", "好"),
            ("天然l的微博视频 l央 视的微博视频", "天然l的微博视频 l央 视的微博视频"),
        ],
    ),
    (
        Rule::Place,
        &[
            ("吃鸡 2北京·海淀", "吃鸡"),
            ("吃鸡 2天津", "吃鸡"),
            ("还有 2个小时", "还有 2个小时"),
            ("放假 2月3日", "放假 2月3日"),
            ("吃鸡 2北京 走", "吃鸡 2北京 走"),
            ("2北京", "2北京"),
        ],
    ),
    (
        Rule::Page,
        &[
            ("好 收起全文d", "好"),
            ("好…全文", "好..."),
            ("好 展开全文c 查看图片", "好"),
            ("看全文 点击查看图片说明", "看全文 点击查看图片说明"),
            ("好。（人民日报）", "好。"),
            ("大结局（女生）", "大结局(女生)"),
            ("好 via：央视新闻", "好"),
            ("好 来源：人民网 (记者张三) 收起全文d", "好"),
            ("好（人民日报）又来", "好(人民日报)又来"),
            ("（呵呵）", "(呵呵)"),
            ("敦煌壁画的守护者｜深度", "敦煌壁画的守护者"),
            ("敦煌壁画的守护者 —— 图集 ", "敦煌壁画的守护者"),
            ("独家丨敦煌壁画的守护者", "敦煌壁画的守护者"),
            ("【视频】敦煌壁画的守护者", "敦煌壁画的守护者"),
            ("敦煌壁画的守护者｜下周", "敦煌壁画的守护者|下周"),
            ("敦煌壁画的深度", "敦煌壁画的深度"),
            ("这种蔬菜不能生吃|辟谣_健康频道_某某网", "这种蔬菜不能生吃"),
            ("这种蔬菜不能生吃_某某日报", "这种蔬菜不能生吃"),
            ("这种蔬菜|不能生吃", "这种蔬菜|不能生吃"),
            ("敦煌壁画的守护者讲的是...展开", "敦煌壁画的守护者讲的是..."),
            ("湖北日报｜早报", "湖北日报|早报"),
        ],
    ),
    // If punctuation stays, it ends no clause.
    (Rule::Civility, &[("您好，明天上午八点停水", "您好,明天上午八点停水")]),
    (
        Rule::Punctuation,
        &[
            ("【好】！，“一、二”①②~", "好 一 二"),
            ("6.3万 1,234 20:30 9% 2020.1.20.", "6.3万 1,234 20:30 9% 2020.1.20"),
            ("1,2,3 5.好 %", "1 2 3 5 好"),
            ("a-b_c", "a b c"),
            ("wi-fi e-mail t-shirt", "wifi email tshirt"),
            ("降到-5度,跌至-3.2元", "降到-5度 跌至-3.2元"),
            ("covid-19 x-t5 coca-cola 8月xx-xx号 out-of-town", "covid 19 x t5 coca cola 8月xx xx号 out of town"),
            ("8m4b-hxrg-h5cz-a8tc ae:b3:b7:f5:5d:5e", "8m4bhxrgh5cza8tc aeb3b7f55d5e"),
            ("027-8888-2019 400-820-8820 138-0013-8000", "027 88882019 4008208820 13800138000"),
            ("训练800-900-1000米 027-88882019", "训练800 900 1000米 027 88882019"),
            ("0-1 2024-800-1234 027-88", "0 1 2024 800 1234 027 88"),
            ("2001:db8:c1ba:30d4::199", "2001db8c1ba30d4199"),
            ("4d843319-a188-4c93-afcf-6e6bf99c9eb5", "4d843319a1884c93afcf6e6bf99c9eb5"),
            ("ipad-air5-2022 2024-01-15 10:30:45 p40-pro-max", "ipad air5 2022 2024 01 15 10:30:45 p40 pro max"),
            ("8.国内快讯", "国内快讯"),
            ("12、国内快讯 3.15晚会", "国内快讯 3.15晚会"),
            ("3.15晚会", "3.15晚会"),
        ],
    ),
];

#[test]
fn each_rule_takes_off_its_wrapping() {
    for (rule, examples) in EXAMPLES {
        for (text, form) in *examples {
            assert_eq!(body(text, Rules::NONE.with(*rule)).0, *form, "{rule:?} {text}");
            assert_eq!(body(text, Rules::NONE).0, canonical(text), "{text}");
        }
    }
    assert_eq!(EXAMPLES.len(), Rule::NAMED.len());
}

#[test]
fn the_table_is_what_characters_are() {
    for c in '\0'..='\u{ffff}' {
        assert_eq!(CLASSES[c as usize], classify(c), "{c:?}");
    }
}

#[test]
fn a_rule_that_is_off_leaves_its_wrapping() {
    for (rule, text, form) in [
        (Rule::Repost, "好//@张三:不错", "好 不错"),
        (Rule::Mention, "好 @张三", "好 张三"),
        (Rule::Url, "看t.cn/a", "看t cn a"),
        (Rule::Emoticon, "好[爱心]", "好 爱心"),
        (Rule::Emoji, "好👍", "好👍"),
        (Rule::Topic, "#武汉#好", "武汉 好"),
        (Rule::Video, "好 L央视的微博视频", "好 l央视的微博视频"),
        (Rule::Place, "吃鸡 2北京·海淀", "吃鸡 2北京 海淀"),
        (Rule::Emoji, "吃鸡 2北京😭", "吃鸡 2北京😭"),
        (Rule::Page, "好。（人民日报）", "好 人民日报"),
        (Rule::Civility, "明早八点停水，不便之处敬请谅解", "明早八点停水 不便之处敬请谅解"),
        (Rule::Punctuation, "好。", "好。"),
    ] {
        assert_eq!(body(text, Rules::ALL.without(rule)).0, form, "{text}");
    }
}

#[test]
fn rules_work_together() {
    for (text, form, topics) in [
        ("#硬核#【标题】好 2呼伦贝尔 L左左的微博视频 ??? #武汉 # ?", "标题 好", &["硬核", "武汉"][..]),
        ("//@甲:#武汉#加油[心]//@乙：顶 O网页链接 收起全文d", "加油 顶", &["武汉"]),
        ("转发微博 @甲 👍 ?", "", &[]),
        ("吃鸡 2北京·海淀😭😭", "吃鸡", &[]),
        ("尊敬的业主您好！明早八点停水，不便之处敬请谅解。", "明早八点停水", &[]),
        ("吃鸡 2北京[泪] 👍🏻", "吃鸡", &[]),
        ("吃鸡 2北京😭走", "吃鸡 2北京 走", &[]),
        ("吃鸡 2北京[2020]", "吃鸡 2北京 2020", &[]),
        ("还有 2个😭", "还有 2个", &[]),
        ("#武汉# ？", "", &["武汉"]),
    ] {
        let (body, found) = body(text, Rules::ALL);
        assert_eq!((body.as_str(), found), (form, topics.iter().map(|topic| topic.to_string()).collect()), "{text}");
    }
}

/// The person to add, to write to or to vote for is part of the message; the author of the post is not.
#[test]
fn names_that_are_asked_for_are_content() {
    for (text, form) in [
        ("找工作请私信@小王", "找工作请私信@小王"),
        ("年度歌手我投给@小王", "年度歌手我投给@小王"),
        ("今天天气真好 @小王", "今天天气真好"),
        ("据@小王", "据"),
    ] {
        assert_eq!(body(text, Rules::ALL).0, form, "{text}");
    }
}

#[test]
fn repost_markers_are_known_by_their_place() {
    let (mut out, canonical) = (Body::default(), canonical("好//@甲:不错/@乙:原文 1/2"));
    body_into(&canonical, Rules::ALL, &mut out);
    assert_eq!((out.text.as_str(), out.reposts.as_slice()), ("好 不错 原文 1 2", &["好".len(), "好 不错".len()][..]));
}

proptest! {
    #[test]
    fn bodies_are_canonical(text in prop_oneof![any::<String>(), hostile()], bits in any::<u16>()) {
        let rules = Rule::NAMED.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
        let rules = rules.fold(Rules::NONE, |rules, (_, (_, rule))| rules.with(*rule));
        body_into(&text, rules, &mut Body::default()); // not canonical: no promise but that it returns
        let mut out = Body::default();
        body_into(&canonical(&text), rules, &mut out);
        let form = out.text;
        prop_assert!(out.reposts.iter().all(|at| form.is_char_boundary(*at)), "{:?} {}", out.reposts, form);
        prop_assert_eq!(canonical(&form), form);
    }
}

/// Texts that consist mostly of the beginnings and ends of wrapping.
fn hostile() -> impl Strategy<Value = String> {
    const PIECES: &str = "//@|回复@|转发微博|转:|【转】|@|:|http://|t.cn/|www.|o网页链接|o|[|]|👍|?|#|l|的微博视频| 2|北京| |收起全文d\
            |...|全文|via|来源:|(|)|,|1|1.2|a|中|①|%|\u{301}|\u{20e3}";
    let piece = prop::sample::select(PIECES.split('|').collect::<Vec<_>>());
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// After a change of the classes, or of Unicode, run `QUCHONG_BLESS=1 cargo test --lib text::body` to write the file again.
#[test]
fn the_file_of_classes_is_made_of_them() {
    let class = |code| char::from_u32(code).map_or(Class::Plain, classify);
    let mut bytes = Vec::new();
    for code in (0..1 << 16).filter(|code| *code == 0 || class(*code) != class(code - 1)) {
        let number = Class::ALL.iter().position(|other| *other == class(code)).unwrap();
        bytes.extend([code as u8, (code >> 8) as u8, number as u8]);
    }
    if std::env::var_os("QUCHONG_BLESS").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/text/classes.bin"), &bytes).unwrap();
    }
    assert!(bytes == include_bytes!("../classes.bin"), "src/text/classes.bin is not of the classes");
}
