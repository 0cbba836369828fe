use super::*;
use crate::text::testing::gist;
use crate::text::tokens::common_ends;

fn found(a: &str, b: &str) -> Option<&'static str> {
    let (a, b) = (gist(a), gist(b));
    let (x, y) = (a.view(), b.view());
    let (p, q) = (x.body.list, y.body.list);
    let (head, tail) = common_ends(p, q);
    let gap = Gap { a: head..p.len() - tail, b: head..q.len() - tail };
    let swapped = swapped(x, y).map(|_| Conflict::Roles);
    let fact = |difference: &Difference| match difference.edit {
        Edit::Fact(conflict) => Some(conflict),
        _ => None,
    };
    let by_words = || differences(x, y, std::slice::from_ref(&gap), false).find_map(|difference| fact(&difference));
    swapped.or_else(|| conflict(x, y, &gap)).or_else(by_words).map(Conflict::name)
}

/// Tests an example of each clause, and a similar pair without a conflict.
#[test]
fn a_changed_fact_is_a_conflict_and_the_other_way_round() {
    for (a, b, kind) in [
        ("新增病例7例", "新增病例9例", Some("number")),
        ("湖人七连胜", "湖人九连胜", Some("number")),
        ("票价涨了三成", "票价涨了五成", Some("number")),
        ("谈涉日表态", "谈涉台表态", Some("country about")),
        ("山风等等我", "山风山风等等我", None),
        ("对不孕患者", "对不不孕患者", None),
        ("共76 909例", "共76909例", None),
        ("在2020年春", "在20年春", None),
        ("共买了五千五百个", "共买了5500个", None),
        ("最低-5度", "最低5度", Some("number")),
        ("上涨+2%", "上涨2%", None),
        ("长5公里", "长5米", Some("unit")),
        ("每次5毫升", "每次5毫克", Some("unit")),
        ("毕业十周年", "毕业二十周年", Some("number")),
        ("价格上涨至5元", "价格上涨5元", Some("qualifier")),
        ("体重降到近8公斤", "体重降了近8公斤", Some("qualifier")),
        ("气温升到12度", "气温升至12度", None),
        ("票价涨到了天上", "票价涨了天上", None),
        ("三月初三庙会", "三月十三庙会", Some("number")),
        ("深度十千米", "深度10公里", None),
        ("睡眠十分重要", "睡眠非常重要", None),
        ("这次考了十分", "这次考了九分", Some("number")),
        ("共3元", "共3美元", Some("unit")),
        ("共3元", "共¥3", None),
        ("共3小时", "共3个小时", None),
        ("流量提醒您本月套餐内剩余流量仅有3.2GB", "流量提醒您本月套餐内剩余流量仅有3.2MB", Some("word")),
        ("请勿使用", "请使用", Some("negation")),
        ("检测有效", "检测无效", Some("opposite")),
        ("周六发布", "周日发布", Some("number")),
        ("验证码0123", "验证码123", Some("number")),
        ("在08月", "在8月", None),
        ("验证码1234567890123", "验证码1234567890124", Some("number")),
        ("今天发布", "1月21日发布", None),
        ("河南发布通知", "河北发布通知", Some("province")),
        ("发布通知", "河北发布通知", None),
        ("大家可以出门", "大家不可以出门", Some("negation")),
        ("商业持仓下降", "非商业持仓下降", Some("negation")),
        ("大家能出门吗", "大家能不能出门吗", None),
        ("油价不断上涨", "油价上涨", None),
        ("油价上涨了", "油价下跌了", Some("market move")),
        ("暴雨红色预警", "暴雨橙色预警", Some("colour alert")),
        ("县教育局局长", "县教育局副局长", Some("rank")),
        ("张老师让你过去", "李老师让你过去", Some("person")),
        ("恭喜王明同学获奖", "恭喜王铭同学获奖", Some("person")),
        ("嫌疑人赵刚已落网", "嫌疑人赵钢已落网", Some("person")),
        ("恭喜高考生毕业", "恭喜高考升毕业", None),
        ("感谢老师的辛勤付出", "感谢老师的幸勤付出", None),
        ("七家银行下调利率", "民生银行下调利率", Some("number and word")),
        ("你有种再说一遍", "你有种再说以便", None),
        ("五人参加了比赛", "无人参加了比赛", Some("negation")),
        ("他的身体不好，需要休息", "他的身体很好，需要休息", Some("negation")),
        ("公司没有拒绝赔偿", "公司拒绝了赔偿", Some("negation")),
        ("甲公司起诉乙公司", "乙公司起诉甲公司", Some("roles")),
        ("苹果和香蕉", "香蕉和苹果", None),
        ("先洗手，再吃饭", "再吃饭，先洗手", None),
        ("他末到场", "他未到场", None),
        ("严防输入，严防输入", "严防输入，加油", None),
        ("白皮书将发布", "白皮书发布", Some("qualifier")),
        ("明天可能停课", "明天停课", Some("qualifier")),
        ("有iphone 15 pro现货", "有iphone 15现货", Some("qualifier")),
        ("明天停课有可能吗", "明天停课吗", None),
        ("恭喜张三等十位同学", "恭喜李四等十位同学", Some("person")),
        ("张三同学明天请假", "李四同学明天请假", Some("person")),
        ("恭喜冯提莫获得第一名", "恭喜周二珂获得第一名", Some("person")),
        ("恭喜@甲中奖", "恭喜@乙中奖", Some("word")),
        ("买到iphone了", "买到ipad了", Some("word")),
        ("会c++的来", "会c#的来", Some("word")),
        ("买到好的了", "买到它的了", None),
    ] {
        assert_eq!(found(a, b), kind, "{a} / {b}");
        assert_eq!(found(b, a), kind, "{b} / {a}");
    }
    // A negation later in the omitted end is no conflict, one at its beginning is. A half counts, except one cut off at the end.
    assert_eq!(found("票价两元不变", "票价"), None);
    assert_eq!(found("这种说法不正确", "这种说法"), Some("negation"));
    assert_eq!(found("火锅改7点，别迟到", "火锅改7点半，别迟到"), Some("number"));
    assert_eq!(found("火锅改7点半，别迟到", "火锅改7点，别迟到"), Some("number"));
    assert_eq!(found("火锅改到7点半", "火锅改到7点"), None);
}

#[test]
fn a_moved_number_is_none() {
    let (a, b) = (gist("确诊12例 死亡3例"), gist("死亡3例 确诊12例"));
    let all = Gap { a: 0..a.body.list.len(), b: 0..b.body.list.len() };
    assert_eq!(conflict(a.view(), b.view(), &all), None);
}
