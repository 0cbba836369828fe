use super::*;
use crate::config::{Config, Guard};
use crate::text::testing::gist;
use proptest::prelude::*;

/// Whether a quick look finds that B greets another reader, and the decision of the rule, under both guards.
fn judged(a: &str, b: &str) -> Vec<(bool, Decision)> {
    let (a, b) = (gist(a), gist(b));
    let under = |guard| {
        let mut verifier = Verifier::new(Config { guard, ..Config::default() }.policy());
        (greet_others(verifier.policy, a.view(), b.view()), verifier.read(b.view()).decide(a.view()))
    };
    [Guard::Facts, Guard::Careful].map(under).into()
}

#[test]
fn another_reader_is_told_by_a_glance() {
    let text = |name: &str| format!("尊敬的{name}您好，您预约的门诊已经成功，请携带身份证提前到院取号。");
    for (a, b, told) in [
        ("王芳", "李丽娟", true),
        ("王芳", "王娟", true),
        ("王芳", "李芳", true),
        ("王号", "李丽娟", true),
        ("王芳", "王芳娟", false),
        ("王芳", "王芳", false),
        ("王芳", "客户", false),
        ("王芳", "李您", false),
    ] {
        for (found, decision) in judged(&text(a), &text(b)) {
            assert_eq!(found, told, "{a} / {b}");
            assert!(!found || matches!(decision, Decision::No(_)), "{a} / {b}: {decision:?}");
        }
    }
    // Not in a remark on a repost, nor in a brief text.
    assert!(!judged("尊敬的王芳您好请取号", "尊敬的李丽您好请取号")[0].0);
    let repost =
        |name: &str| format!("尊敬的{name}您好，今天见 //@甲: 您预约的门诊已经成功，请携带身份证提前到院取号。");
    assert!(!judged(&repost("王芳"), &repost("李丽"))[0].0);
}

/// Tests each clause of `titles`, `roles` and `apart`, and cases close to them. In each row: whether the later text repeats the earlier
/// one.
#[test]
fn what_is_told_again_and_what_is_told_anew() {
    for (a, b, repeats) in [
        // Another work, and the same one misspelt or cut.
        ("转让两张周六晚上的话剧票《茶馆》，一楼中间，半价", "转让两张周六晚上的话剧票《雷雨》，一楼中间，半价", false),
        ("转让两张周六晚上的话剧票《茶馆》，一楼中间，半价", "转让两张周六晚上的话剧票《茶管》，一楼中间，半价", true),
        (
            "转让两张周六晚上的电影票《流浪地球》，中间，半价",
            "转让两张周六晚上的电影票《流浪地球之家园》，中间，半价",
            true,
        ),
        // Who owes whom, but lists and clauses may move.
        ("律师你好，对方欠我五万块一直没还怎么办", "律师你好，我欠对方五万块一直没还怎么办", false),
        (
            "体检中心提示，检查前三天不要饮酒、不要熬夜，当天空腹",
            "体检中心提示，检查前三天不要熬夜、不要饮酒，当天空腹",
            true,
        ),
        ("指数收跌，半导体、光伏板块领跌，煤炭板块逆势走强", "指数收跌，煤炭、光伏板块领跌，半导体板块逆势走强", false),
        ("统计局：10月房价同比上涨0.3%，环比下降0.3%", "统计局：10月房价环比上涨0.3%，同比下降0.3%", false),
        ("感谢志愿者家属的支持和理解，大家都辛苦了", "感谢志愿者家属的理解和支持，大家都辛苦了", true),
        (
            "值日提醒：今天唐鹏程检查卫生角，沈超打水，放学前请组长检查",
            "值日提醒：今天罗鹏程检查卫生角，沈超打水，放学前请组长检查",
            false,
        ),
        ("第二次换人：山东泰山用罗德里换下乌戈", "第二次换人：山东泰山用蒂亚戈换下罗德里", false),
        // Another noun, also where two places differ, in a clause of its own, and before a common end.
        (
            "交通广播：解放路西向东方向近红旗路路口因展会散场通行缓慢，请改走和平路",
            "交通广播：解放路西向东方向近机场路路口因展会散场通行缓慢，请改走建设路",
            false,
        ),
        (
            "货讯：惠州到金华，苗木，需九米六高栏，明早装货，有车的老板请联系",
            "货讯：惠州到金华，玩具，需九米六高栏，明早装货，有车的老板请联系",
            false,
        ),
        (
            "柚子和猪肝能不能一起吃？营养师今天在直播间为大家解答这个问题",
            "带鱼和鸽子能不能一起吃？营养师今天在直播间为大家解答这个问题",
            false,
        ),
        (
            "前天在操场捡到一个黑色的钱包，里面有身份证，请失主到教务处领取",
            "前天在操场捡到一个黑色的皮夹，里面有身份证，请失主到教务处领取",
            true,
        ),
        // One common run, and no difference that says anything.
        ("儿子，家里都挺好，你爸血压不高，你安心上班", "儿子，家里挺好的，你爸血压不高了，你安心上班吧", true),
        (
            "灯会门票今天开售，早鸟票八折，点此购买 https://t.cn/A6xR2k?from=wx",
            "灯会门票今天开售，早鸟票八折，点此购买 https://t.cn/A6xR2k?from=sms&uid=8831",
            true,
        ),
        // How often.
        ("有家族史的人建议从四十岁开始每年做一次肠镜检查", "有家族史的人建议从四十岁开始每五年做一次肠镜检查", false),
        ("保持健康的秘诀是每天坚持走路和早睡", "保持健康的秘诀是每一天坚持走路和早睡", true),
        // Prices as they are said.
        ("水果店开业酬宾，苹果三块五一斤，先到先得", "水果店开业酬宾，苹果3.5元一斤，先到先得", true),
        ("水果店开业酬宾，苹果三块五一斤，先到先得", "水果店开业酬宾，苹果3.51元一斤，先到先得", false),
        ("网上买的九块九手机壳，手感还好", "网上买的9.9元手机壳，手感还好", true),
        ("家里剩下一块二手表带，有人要吗", "家里剩下1.2元手表带，有人要吗", false),
        // Said twice, keywords, who told it, and time in another place.
        ("海啸警报！请沿海居民迅速向高处转移！", "海啸警报！海啸警报！请沿海居民迅速向高处转移！向高处转移！", true),
        ("奥运冠军全红婵回村过年", "奥运冠军全红婵回村过年 全红婵 过年", true),
        ("奥运冠军全红婵回村过年", "奥运冠军全红婵回村过年 全红婵 退役", false),
        ("人社部将尽快出台超龄劳动者权益保障办法", "人社部将尽快出台超龄劳动者权益保障办法，据人社部官微", true),
        ("今年第一场雪落在未名湖上悄无声息", "今年第一场雪落在未名湖上悄无声息。图/学生通讯社", true),
        ("这家店写的菜单非常好", "这家店写的菜单非常好，图也不错", false),
        ("今天零点，油价又要上调了", "油价今天零点又要上调了", true),
        // Spans of time, and tenths.
        ("打球的注意，场地订的是晚上7点到9点，二号场", "打球的注意，场地订的是19点到21点，二号场", true),
        ("打球的注意，场地订的是晚上7点到9点，二号场", "打球的注意，场地订的是19点到9点，二号场", false),
        ("公司上半年营业收入同比增长一成八", "公司上半年营业收入同比增长18%", true),
        ("公司上半年营业收入同比增长一成八", "公司上半年营业收入同比增长28%", false),
        // What an editor or an advertiser adds to a message.
        ("森林火险等级升至五级，严禁一切野外用火", "森林火险等级升至五级，严禁一切野外用火 编号YJ-0065", true),
        (
            "孕早期补充叶酸，每天0.4毫克，坚持到孕三个月",
            "孕早期补充叶酸，每天0.4毫克，坚持到孕三个月（科普第118期）",
            true,
        ),
        ("如何评价交友综艺《婚介所》的嘉宾和规则？", "如何评价交友综艺《婚介所》的嘉宾和规则？第一期", false),
        (
            "我市本周新增手足口病例明显增多，以幼儿为主",
            "疾控中心通报：我市本周新增手足口病例明显增多，以幼儿为主",
            true,
        ),
        (
            "您的爱车保养已完成，请到店取车，营业至晚八点。",
            "您的爱车保养已完成，请到店取车，营业至晚八点。关注公众号“车小匠”，领洗车券！",
            true,
        ),
        (
            "您的爱车保养已完成，请到店取车，营业至晚八点。",
            "您的爱车保养已完成，请到店取车，营业至晚八点。点击蓝字关注，店主昨天去世。",
            false,
        ),
        // Classifiers.
        ("出两个实木餐椅，坐垫新换过，便宜出", "出两张实木餐椅，坐垫新换过，便宜出", true),
        ("出两个实木餐椅，坐垫新换过，便宜出", "出两套实木餐椅，坐垫新换过，便宜出", false),
        ("给我一根香蕉，谢谢啊", "给我一把香蕉，谢谢啊", false),
        // The scope of 不.
        ("羽毛球拍一对，可小刀，不包邮，同城可面交", "羽毛球拍一对，不刀，包邮，同城也可面交", false),
        // Nouns across a comma, a noun's modifier, and another clause.
        (
            "我是租客，房东没经我同意进屋换了门锁，我的东西还在里面",
            "我是房东，租客没经我同意自己换了门锁，他的东西还在里面",
            false,
        ),
        ("我是租客，房东没退押金", "我是房东，租客没退押金", false),
        ("请带护照、照片到二楼办理签证手续", "请带照片、护照到二楼办理签证手续", true),
        ("司机死亡，乘客受伤", "乘客死亡，司机受伤", false),
        ("苹果涨价，香蕉降价", "香蕉涨价，苹果降价", false),
        ("苹果涨价，香蕉降价", "香蕉降价，苹果涨价", true),
        // A refutation before its claim.
        ("地震局辟谣：今晚八点城北将有六级余震", "今晚八点城北将有六级余震", false),
        // Midnight and noon.
        ("活动时间改为晚上12点，地点不变", "活动时间改为中午12点，地点不变", false),
        ("图书馆今晚12点截止续借", "图书馆今晚24点截止续借", true),
        ("快来认领这只流浪猫", "快来认领这只流浪猫（编号YJ-0065）", false),
        ("针对车主，房主，法人提供信用贷款，请咨询刘经理", "针对房主，车主，法人提供信用贷款，详情请咨询刘经理", true),
        ("这款面膜敏感肌能用吗，里面有没有酒精", "这款面膜敏感肌能用吗，里面有没有香精", false),
        ("临街商铺出售，朝东，简装，步行可到购物中心", "临街商铺出售，朝东，带全套家电，步行可到购物中心", false),
        // A link, followed by a way to unsubscribe.
        (
            "您的积分将于月底清零，请尽快兑换礼品：dwz.cn/a8Kd2 回TD退订",
            "您的积分将于月底清零，请尽快兑换礼品：dwz.cn/p3Wm9 回TD退订",
            true,
        ),
    ] {
        let (_, decision) = judged(a, b).swap_remove(0);
        assert_eq!(!matches!(decision, Decision::No(_)), repeats, "{a} / {b}: {decision:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// If `greet_others` finds another reader, the rule refuses the pair.
    #[test]
    fn who_is_told_is_no_repeat(
        head in prop::sample::select(vec!["尊敬的", "亲爱的", "恭喜", "请", "", "张三，李四和"]),
        names in prop::collection::vec("[王李张林三华][芳华三号好您王]{0,2}", 2),
        run in prop::sample::select(vec!["您好，您预约的", "同学三号，您好", "先生，王华您好，请", "您号好号"]),
        rests in prop::collection::vec("[您号院王李张芳华三好请，]{0,6}", 2),
        tail in prop::sample::select(vec!["门诊已经成功请携带身份证提前到院取号", "请王芳和李华到院取号，请张三华取号，谢谢", "您好，您预约的门诊已经成功请取号"]),
        same in any::<bool>(),
    ) {
        let side = |at: usize| format!("{head}{}{run}{}，{tail}", names[at], rests[if same { 0 } else { at }]);
        for (found, decision) in judged(&side(0), &side(1)) {
            prop_assert!(!found || matches!(decision, Decision::No(_)), "{} / {}: {:?}", side(0), side(1), decision);
        }
    }
}
