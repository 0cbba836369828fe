//! Tests of tokens.

use super::*;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Numbers of any length, units, and words that are read as others, in any order.
    #[test]
    fn each_token_has_a_place_whatever_the_numbers(parts in prop::collection::vec(prop_oneof![
        4 => "[0-9]{1,3}",
        1 => "[0-9]{1,60}[.][0-9]{1,90}",
        1 => "0{0,70}1?",
        6 => prop::sample::select(vec![
            "公斤", "千克", "kg", "斤", "个半小时", "个半", "半", "点", "时", "分", "秒", "分之", "比", "到", "至", ":", "-", "/", ".", ",", " ", "%", "年", "月",
            "日", "号", "下午", "早上", "晚上", "凌晨", "两", "三", "十", "百", "千", "万", "亿", "零下", "块", "块钱", "米", "成", "折", "角", "毛", "钱", "里", "尺", "今日", "中国人民银行", "半小时",
            "一刻钟", "您", "GDP", "Ⅳ", "①", "a", "的",
        ]).prop_map(str::to_owned),
    ], 1..12)) {
        let (text, mut tokens, mut places) = (parts.concat(), Tokens::default(), Vec::new());
        tokens.read_with(&text, |place| places.push(place));
        prop_assert_eq!(tokens.list.len(), places.len(), "{}", text);
        for place in places {
            prop_assert!(text.get(place.clone()).is_some(), "{} {:?}", text, place);
        }
    }
}

fn read(body: &str) -> Tokens {
    let mut tokens = Tokens::default();
    tokens.read(body);
    tokens
}

#[test]
fn a_token_is_a_character_a_word_or_a_number() {
    let tokens = read("新增 covid19 病例1,234例");
    let kinds: String = tokens
        .list
        .iter()
        .map(|&token| match character(token) {
            Some(c) => c,
            None if is_number(token) => '0',
            None => 'w',
        })
        .collect();
    assert_eq!(kinds, "新增w0病例0例");
    assert_eq!(read("1,234例"), read("1234例"));
    assert_eq!(read("第三名"), read("第3名"));
    assert_ne!(read("7例"), read("9例"));
    assert_eq!(read("哈哈哈哈"), read("哈哈"));
    assert!(read(" ,.").list.is_empty());
}

#[test]
fn a_time_is_one_however_it_is_written() {
    assert_eq!(read("18:00起"), read("18时起"));
    assert_eq!(read("于01:12:36打开"), read("于1点12分36秒打开"));
    assert_ne!(read("于01:12:36打开"), read("于01:12:37打开"));
    assert_eq!(read("晚9点半"), read("晚21:30"));
    assert_ne!(read("9点半"), read("9点"));
    assert_ne!(read("上午9点"), read("晚上9点"));
    assert_eq!(read("上午9点"), read("早上 9:00"));
    assert_eq!(read("门诊下午两点半开始"), read("门诊14:30开始"));
    assert_eq!(read("周三晚8点"), read("周三晚上八点"));
    assert_ne!(read("今晚8点"), read("明晚8点"));
    assert_ne!(read("下午开会"), read("开会"));
}

/// A longer word is read as one: 火车站 is not read as 火 and 车站.
#[test]
fn a_wording_is_one_wherever_it_stands() {
    for (a, b, same) in [
        ("今日停课", "今天停课", true),
        ("今日停课", "明日停课", false),
        ("礼拜五交", "周五交", true),
        ("礼拜天交", "周日交", true),
        ("中国人民银行降息", "央行降息", true),
        ("国内生产总值增长", "gdp增长", true),
        ("gdps增长", "国内生产总值s增长", false),
        ("您的账号", "你的帐号", true),
        ("他们俩", "他们两", true),
    ] {
        assert_eq!(read(a) == read(b), same, "{a} / {b}");
    }
    let mut plain = Tokens::default();
    plain.read_plain("今日");
    assert_ne!(plain, read("今日"));
}

/// Numbers are equal however they are spelled; what only looks like a number is none.
#[test]
fn a_number_is_one_however_it_is_written() {
    for (a, b, same) in [
        ("2024.3.5召开", "2024年3月5日召开", true),
        ("2024 03 05召开", "2024年3月5日召开", true),
        ("2024.3.6召开", "2024年3月5日召开", false),
        ("2024.3.5.1版", "2024年3月5日.1版", false),
        ("2024 13 5", "2024年13月5日", false),
        ("08年奥运会", "2008年奥运会", true),
        ("同比增长三成", "同比增长30%", true),
        ("三成员国", "30%员国", false),
        ("等一个半小时", "等1.5小时", true),
        ("等一个半小时", "等一个小时", false),
        ("一匹半的空调", "1.5匹的空调", true),
        ("走了三年半了", "走了3.5年了", true),
        ("还有 1 年半退休", "还有一年半退休", true),
        ("未来 48 小时", "未来48小时", true),
        ("今天半价", "今天0.5价", false),
        ("卖三天半价", "卖3.5天价", false),
        ("未来48小时", "未来两天", true),
        ("24小时营业", "一天营业", false),
        ("花了十二点六亿元", "花了12.6亿元", true),
        ("攒了三点六万", "攒了36000", true),
        ("百名师生到场", "100名师生到场", true),
        ("千余人到场", "一千余人到场", true),
        ("数百名师生", "数一百名师生", false),
        ("百姓人家", "100姓人家", false),
        ("五月廿六日出发", "5月26日出发", true),
        ("五月廿六出发", "5月26出发", false),
        ("身高一米八", "身高1.8米", true),
        ("长三米五个", "长3.5米个", false),
        ("2块5一斤", "2.5元一斤", true),
        ("五千块钱", "5000元", true),
        ("便宜1角2分", "便宜0.12元", true),
        ("便宜一角二分", "便宜0.12元", true),
        ("每斤三元六角", "每斤3.6元", true),
        ("每斤3块6毛", "每斤3.6元", true),
        ("涨了五毛", "涨了0.5元", true),
        ("只要8分钱", "只要0.08元", true),
        ("只要¥5.20", "只要5.2元", true),
        ("服务器192.168.1.1", "服务器192.168.1.10", false),
        ("涨了五毛", "涨了五元", false),
        ("冰山一角", "冰山0.1元", false),
        ("桌子的四角", "桌子的0.4元", false),
        ("三毛流浪", "0.3元流浪", false),
        ("得了5分", "得了0.05元", false),
        ("山路三十里", "山路30里", true),
        ("三里屯", "3里屯", false),
        ("布三尺", "布3尺", true),
        ("大米5kg装", "大米五公斤装", true),
        ("净重 2 千克", "净重2公斤", true),
        ("全长3.5km", "全长3.5千米", true),
        ("零下五度", "-5度", true),
        ("播放1.5w次", "播放1.5万次", true),
        ("快充65wh", "快充65万h", false),
        ("三比零横扫", "3比0横扫", true),
        ("iv级响应", "四级响应", true),
        ("v型反转", "5型反转", true),
        ("vip级", "6级", false),
        ("百分之四点二", "4.2%", true),
        ("净重两公斤", "净重4斤", true),
        ("净重2000克", "净重4斤", true),
        ("净重250克", "净重0.5斤", true),
        ("净重500克", "净重500斤", false),
        ("全程42195米", "全程42.195公里", true),
        ("全程5000米", "全程五公里", true),
        ("全程5000米", "全程5公里半", false),
        ("打七五折", "打7.5折", true),
        ("打75折", "打7.5折", true),
        ("打七折", "打0.7折", false),
        ("体温37度8", "体温37.8度", true),
        ("体温37度8个人", "体温37.8度个人", false),
        ("用时10秒83", "用时10.83秒", true),
        ("用了1万2千度", "用了12000度", true),
        ("用了1万2千瓦", "用了12000瓦", false),
        ("零下五摄氏度", "-5度", true),
        ("净重1.5kg", "净重3斤", true),
        ("净重两公斤", "净重两斤", false),
        ("约三分之一的人", "约1 3的人", true),
        ("约三分之一的人", "约三分之二的人", false),
        ("三分之一十", "1 3十", false),
        ("以2比1获胜", "以2:1获胜", true),
        ("睡7到8小时", "睡7 8个小时", true),
        ("比2大", "2大", false),
        ("等半小时", "等30分钟", true),
        ("炖一个半小时", "炖90分钟", true),
        ("等两小时", "等120分钟", true),
        ("等两小时", "等130分钟", false),
        ("等120分钟", "等 120 分钟", true),
        ("晚点1小时22分钟", "晚点 1 小时 22 分钟", true),
        ("降息25个基点", "降息 25 个基点", true),
        ("身高120厘米", "身高1.2米", true),
        ("身高120cm", "身高120公分", true),
        ("身高165cm100斤", "身高165cm 100斤", true),
        ("长20厘米", "长20毫米", false),
        ("一瓶1500毫升", "一瓶1.5升", true),
        ("降息25个基点", "降息0.25个百分点", true),
        ("降息25个基点", "降息25个百分点", false),
        ("烧到38度5要去医院", "烧到38.5度要去医院", true),
        ("今天38度5月最热", "今天38.5度月最热", false),
        ("白酒42度6瓶装", "白酒42.6度瓶装", false),
        ("晚点1小时20分钟", "晚点80分钟", true),
        ("鏖战2小时3分险胜", "鏖战123分险胜", false),
        ("鏖战2小时3分钟险胜", "鏖战123分钟险胜", true),
        ("大火收汁1分30秒", "大火收汁90秒", true),
        ("大火收汁一分钟三十秒", "大火收汁90秒", true),
        ("以1分57秒83夺冠", "以117秒83夺冠", false),
        ("领先1分30秒时", "领先1分31秒时", false),
        ("充电宝20000mah", "充电宝20000毫安", true),
        ("降息10个基点", "降息10bp", true),
        ("等半小时", "等一小时", false),
        ("一刻钟后开始", "15分钟后开始", true),
        ("3块钱3块", "3元3元", true),
        ("最高35 c", "最高35度", true),
        ("泳池长50m", "泳池长50米", true),
        ("型号50mx", "型号50米x", false),
        ("300名志愿者", "300位志愿者", true),
    ] {
        assert_eq!(read(a) == read(b), same, "{a} / {b}");
    }
}

#[test]
fn amounts_of_receipts_are_numbers() {
    for (capital, plain) in [("货款叁万伍仟元整", "货款35000元整"), ("壹佰贰拾元", "120元")] {
        assert_eq!(read(capital), read(plain), "{capital}");
    }
    assert_eq!(read("歌手伍佰").list.len(), 4);
    assert_eq!(read("陆元告别").list.len(), 4);
}

/// A code is one token and differs from any other code; what may be written with spaces is no code.
#[test]
fn codes_are_one_token() {
    for code in ["k7w2q9xa", "c37s6g", "h5n1x", "a1b2c", "abcdef123456"] {
        let text = format!("单号{code}已");
        assert_eq!(read(&text).list.len(), 4, "{code}");
        assert!(is_code(read(&text).list[2]));
    }
    for (glued, spaced) in [
        ("iphone12pro", "iphone 12 pro"),
        ("p40pro", "p40 pro"),
        ("70x48mm", "70 x 48 mm"),
        ("10h15m", "10 h 15 m"),
        ("h7n9", "h 7 n 9"),
    ] {
        assert_eq!(read(glued), read(spaced), "{glued}");
    }
}

/// The same holds if runs of one token are cut.
#[test]
fn each_token_has_a_place() {
    for text in [
        "哈哈哈哈 1,000人",
        "2024.3.5 五千块钱",
        "5km 一个半月",
        "1111年半",
        "哈哈哈1点半啊啊啊",
        "一一一一起",
        "a a a 7:05",
        "下午 3点半 今日您您您您一刻钟",
        "三分之一 2比1 两公斤 50%一半",
        "单号k7w2q9xa k7w2q9xa k7w2q9xa已",
        "0.00000000000000000000000000000000000000000000000000000000000000000000001公斤",
    ] {
        let (mut tokens, mut places) = (Tokens::default(), Vec::new());
        tokens.read_with(text, |place| places.push(place));
        assert_eq!(places.len(), tokens.list.len(), "{text}");
    }
}

#[test]
fn digits_come_back() {
    for number in ["5", "1073741823", "1073741824", "13800138000", "6.5", "30%"] {
        let tokens = read(number);
        let mut digits = String::new();
        tokens.view().digits_into(tokens.list[0], &mut digits);
        assert_eq!(digits, number);
        assert!(is_number(tokens.list[0]) && !is_word(tokens.list[0]));
    }
}
