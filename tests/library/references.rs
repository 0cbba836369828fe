//! Links, names after `@`, and signs: they are removed from a text, but can still be its message if two texts differ in them.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use quchong::compare::Comparer;
use quchong::config::{Config, Preset};
use quchong::explain::Explainer;

const DIFFER: bool = false;
const REPEAT: bool = true;

fn judged(config: &Config, pairs: &[(&str, &str, bool)]) {
    let mut comparer = Comparer::new(config).unwrap();
    for (a, b, expected) in pairs {
        for (a, b) in [(a, b), (b, a)] {
            let is_repeat = !comparer.compare(a, b).verdict.is_kept();
            assert_eq!(is_repeat, *expected, "{a} / {b}");
        }
    }
}

#[test]
fn a_link_may_be_the_message() {
    judged(
        &Config::default(),
        &[
            ("点击链接领取优惠券：https://a.cn/x1", "点击链接领取优惠券：https://b.cn/y2", DIFFER),
            ("报名请点 https://wj.example.cn/s/a8Kd", "报名请点 https://wj.example.cn/s/q2Zm", DIFFER),
            ("领券戳 t.cn/A6xq", "领券戳 t.cn/B8mk", DIFFER),
            ("请扫码或打开 https://m.example.com/q/123 填写", "请扫码或打开 https://m.example.com/q/987 填写", DIFFER),
            ("直播链接 b23.tv/abc1d", "直播链接 b23.tv/xyz9q", DIFFER),
            ("好文推荐 t.cn/A6xq", "好文推荐 t.cn/B8mk", DIFFER),
            // Each sender has another shortened link.
            (
                "今年的职位表公布了，共招三万七千人，报名请点 t.cn/A6oABc1",
                "今年的职位表公布了，共招三万七千人，报名请点 t.cn/A6oXyZ9",
                REPEAT,
            ),
            (
                "今年的职位表公布了，共招三万七千人，报名请点 https://a.cn/jobs/17",
                "今年的职位表公布了，共招三万七千人，报名请点 https://a.cn/jobs/42",
                DIFFER,
            ),
            (
                "今年的职位表公布了，共招三万七千人，报名请点 https://weibo.com/1234567",
                "今年的职位表公布了，共招三万七千人，报名请点 https://weibo.com/7654321",
                DIFFER,
            ),
            ("您的打车券已到账，点击 q.example.cn/x7 使用", "您的打车券已到账，点击 q.example.cn/k2 使用", REPEAT),
            // The same place under another name, or only one text has a link.
            ("领券戳 http://www.a.cn/x1/", "领券戳 https://a.cn/x1?from=group", REPEAT),
            ("今晚的直播在老地方，八点准时见", "今晚的直播在老地方，八点准时见 t.cn/A6xq", REPEAT),
            // The rest of the text is the message.
            (
                "今天江边的樱花开了，我在桥头等你 http://t.cn/A6x1",
                "今天江边的樱花开了，我在桥头等你 http://t.cn/B7y2",
                REPEAT,
            ),
            ("江边的樱花开了，点击查看 http://t.cn/A6x1", "江边的樱花开了，点击查看 http://t.cn/B7y2", REPEAT),
            ("【多地出台新规】详情戳 http://t.cn/A6x1", "【多地出台新规】详情戳 http://t.cn/B7y2", REPEAT),
        ],
    );
}

#[test]
fn a_name_may_be_the_message() {
    judged(
        &Config::default(),
        &[
            ("@王芳 请明天到教务处领取毕业证", "@李娜 请明天到教务处领取毕业证", DIFFER),
            ("@张伟 生日快乐", "@李强 生日快乐", DIFFER),
            ("@客服小美 我的订单还没发货", "@客服小丽 我的订单还没发货", DIFFER),
            ("恭喜@小鱼儿 @大海 @白云 中奖", "恭喜@石头 @小草 @月亮 中奖", DIFFER),
            ("中奖名单：@小鱼儿 @大海 @白云", "中奖名单：@石头 @小草 @月亮", DIFFER),
            ("本期嘉宾 @老周", "本期嘉宾 @小吴", DIFFER),
            (
                "恭喜粉丝@吃鱼不吐刺抽中店里的大奖电烤箱一台，请三天内来领",
                "恭喜粉丝@爱吃米线抽中店里的大奖电烤箱一台，请三天内来领",
                DIFFER,
            ),
            // Lists of names that share one, hints to friends, sources and chains.
            ("恭喜@小鱼儿 @大海 中奖", "恭喜@大海 @小鱼儿 中奖", REPEAT),
            ("@小王 江边的樱花开了，我在桥头等你", "江边的樱花开了，我在桥头等你", REPEAT),
            ("江边的樱花开了，我在桥头等你 @小王", "江边的樱花开了，我在桥头等你 @小李", REPEAT),
            ("//@小王: 江边的樱花开了，我在桥头等你", "//@小李: 江边的樱花开了，我在桥头等你", REPEAT),
            ("@晚报 【樱花开了】江边的樱花昨天开了一半", "@日报 【樱花开了】江边的樱花昨天开了一半", REPEAT),
        ],
    );
}

/// Under `careful`, regardless of the words next to the link or name.
#[test]
fn careful_takes_any_other_link_or_name_for_another_message() {
    judged(
        &Preset::Careful.config(),
        &[
            ("江边的樱花开了，我在桥头等你 http://t.cn/A6x1", "江边的樱花开了，我在桥头等你 http://t.cn/B7y2", DIFFER),
            ("江边的樱花开了，我在桥头等你 @小王", "江边的樱花开了，我在桥头等你 @小李", DIFFER),
            ("#樱花# http://a.cn/x", "#樱花# http://b.cn/y", DIFFER),
            ("江边的樱花开了，我在桥头等你", "江边的樱花开了，我在桥头等你 http://t.cn/B7y2", REPEAT),
            ("江边的樱花开了，我在桥头等你 t.cn/A6x1", "江边的樱花开了，我在桥头等你 http://t.cn/A6x1", REPEAT),
            ("//@小王: 江边的樱花开了，我在桥头等你", "//@小李: 江边的樱花开了，我在桥头等你", REPEAT),
        ],
    );
}

#[test]
fn signs_exclude_each_other() {
    judged(
        &Config::default(),
        &[
            ("本店现招♂服务员两名", "本店现招♀服务员两名", DIFFER),
            ("沪指今日收盘🔺1.2%", "沪指今日收盘🔻1.2%", DIFFER),
            ("早盘主力合约▲2.1%", "早盘主力合约▼2.1%", DIFFER),
            ("地铁2号线状态🟢", "地铁2号线状态🔴", DIFFER),
            ("这部电影👍", "这部电影👎", DIFFER),
            ("🔺今天下午三点开会，别迟到", "🔻今天下午三点开会，别迟到", REPEAT),
            ("明早最低负5度，注意保暖", "明早最低5度，注意保暖", DIFFER),
            ("明早最低负5度，注意保暖", "明早最低零下五度，注意保暖", REPEAT),
            ("停车场在负二层", "停车场在二层", DIFFER),
            ("评级机构把它列为A+", "评级机构把它列为A-", DIFFER),
            ("期末的成绩是A-", "期末的成绩是A", DIFFER),
            ("门票50£一张", "门票50€一张", DIFFER),
            ("门票50£一张", "门票£50一张", REPEAT),
        ],
    );
}

/// A numbered list states an order; other lists do not.
#[test]
fn items_of_a_numbered_list_stand_in_their_order() {
    judged(
        &Config::default(),
        &[
            ("本场最佳①李明②王强③赵刚", "本场最佳①王强②李明③赵刚", DIFFER),
            ("今日榜单 1.高考 2.世界杯 3.天气", "今日榜单 1.世界杯 2.高考 3.天气", DIFFER),
            ("1、高考 2、世界杯 3、天气", "1、世界杯 2、高考 3、天气", DIFFER),
            ("检查项目包括血常规、心电图和B超", "检查项目包括心电图、B超和血常规", REPEAT),
        ],
    );
}

#[test]
fn what_belongs_to_somebody_else_is_told_of_them() {
    judged(
        &Config::default(),
        &[
            ("我室友考上了研究生，我没考上", "我考上了研究生，我室友没考上", DIFFER),
            ("我借给他五百", "我借了他五百", DIFFER),
            (
                "散场的时候下着雨，不过电影是真好看，推荐大家去看",
                "散场的时候下着雨，不过电影是真难看，推荐大家去看",
                DIFFER,
            ),
        ],
    );
    let mut comparer = Comparer::new(&Config::default()).unwrap();
    let text = "晚高峰地铁二号线故障停运，请乘客改乘其他交通工具";
    for (b, expected) in [
        (format!("#地铁#{text}，无人受伤"), DIFFER),
        (format!("#地铁#{text}，太难了吧"), REPEAT),
        (format!("昨天 //@小王: {text}"), DIFFER),
        (format!("好吧 //@小王: {text}"), REPEAT),
    ] {
        let a = if b.starts_with('#') { format!("#地铁#{text}") } else { text.to_owned() };
        assert_eq!(!comparer.compare(&a, &b).verdict.is_kept(), expected, "{b}");
    }
}

/// The reason names the first fact that differs, with the stretch of each text, even if the texts have only a few characters.
#[test]
fn reasons_name_the_first_fact() {
    let mut explainer = Explainer::new(&Config::default()).unwrap();
    for (a, b, reason) in [
        ("领券戳 t.cn/A6xq", "领券戳 t.cn/B8mk", "a fact differs (link): t.cn/a6xq / t.cn/b8mk"),
        ("直播链接 b23.tv/abc1d", "直播链接 b23.tv/xyz9q", "a fact differs (link): b23.tv/abc1d / b23.tv/xyz9q"),
        ("@张伟 生日快乐", "@李强 生日快乐", "a fact differs (mention): @张伟 / @李强"),
        ("男", "女", "a fact differs (gender): 男 / 女"),
        ("3点", "4点", "a fact differs (number): 3 / 4"),
        ("要", "不要", "a fact differs (negation): 要 / 不要"),
        ("本场最佳①李明②王强", "本场最佳①王强②李明", "a fact differs (sign): ① / ②"),
        ("张老师周三去北京开会", "李老师周四去上海开会", "a fact differs (person): 张 / 李"),
    ] {
        assert_eq!(explainer.explain(a, b).reason, reason, "{a} / {b}");
    }
}

/// Codes are compared like numbers. Letters at the end of a text may only be there to evade filters, unless the text announces them.
#[test]
fn another_code_is_another_message() {
    judged(
        &Config::default(),
        &[
            ("您的验证码为HSREL，请在五分钟内输入", "您的验证码为KQWTB，请在五分钟内输入", DIFFER),
            ("您的验证码为k7wq2，请在五分钟内输入", "您的验证码为m3xz9，请在五分钟内输入", DIFFER),
            ("您的验证码为HSREL，请在五分钟内输入", "您的验证码为k7wq2，请在五分钟内输入", DIFFER),
            ("车牌沪AK3921的车主请把车挪到西侧停车场", "车牌沪AQ7754的车主请把车挪到西侧停车场", DIFFER),
            ("简历请寄li.ming@abc.com收，月底前回复", "简历请寄wang.fang@xyz.com收，月底前回复", DIFFER),
            ("请联系微信号lm2020ab咨询报名的事", "请联系微信号wf1988cd咨询报名的事", DIFFER),
            ("兑换码AB CD EF GH可以领取三个月的会员", "兑换码AB CD EF KM可以领取三个月的会员", DIFFER),
            ("今天各班缺席人数为3 5 2 4 1 6，请班主任核对", "今天各班缺席人数为3 5 2 7 1 6，请班主任核对", DIFFER),
            ("白菜报4元，萝卜报3元，土豆报2元", "白菜报4元，萝卜报3元，土豆报5元", DIFFER),
            ("初始密码为stu@2024，请尽快修改", "初始密码为stu@2025，请尽快修改", DIFFER),
            // Parts that two codes share by chance do not make the codes the same.
            ("Your order K7W2Q9XA has been shipped today", "Your order W2K7Q9BD has been shipped today", DIFFER),
            ("今天开奖的号码是8 8 8，恭喜中奖", "今天开奖的号码是8 8 7，恭喜中奖", DIFFER),
            ("您的验证码为HSREL，请在五分钟内输入", "您的验证码为hsrel，请在5分钟内输入", REPEAT),
            ("您的验证码为HSREL，请在五分钟内输入", "您的验证码为ＨＳＲＥＬ，请在五分钟内输入。", REPEAT),
            ("车牌沪AK3921的车主请把车挪到西侧停车场", "车牌沪AK3921的车主请将车挪到西侧停车场", REPEAT),
            ("航班已经取消，请改乘下一班航班CA1501", "航班已经取消，请改乘下一班航班MU5101", DIFFER),
            ("今年新来的实习生写作业都用Python", "今年新来的实习生写作业都用Java", DIFFER),
            (
                "今天江边的樱花开了，我在桥头等你，照片在 http://t.cn/AbXk abcx",
                "今天江边的樱花开了，我在桥头等你，照片在 http://t.cn/AbXk qwzt",
                REPEAT,
            ),
            ("今天江边的樱花开了，我在桥头等你，验证码abcx", "今天江边的樱花开了，我在桥头等你，验证码qwzt", DIFFER),
            ("简历请寄li.ming@abc.com收，月底前回复", "简历请寄li.ming@abc.com收，月底前必回复", REPEAT),
        ],
    );
}

/// The order of the parts matters in a code, a score or a list: the rule compares what is between the same neighbours.
#[test]
fn a_code_in_another_order_is_another_code() {
    judged(
        &Config::default(),
        &[
            ("取件码为5-2-3014，请在今晚之前到驿站领取", "取件码为2-5-3014，请在今晚之前到驿站领取", DIFFER),
            ("兑换码AB CD EF GH可以领取三个月的会员", "兑换码CD AB EF GH可以领取三个月的会员", DIFFER),
            ("兑换码AB AB CD可以领取三个月的会员", "兑换码AB CD AB可以领取三个月的会员", DIFFER),
            ("简历请寄li.ming@abc.com收，月底前回复", "简历请寄ming.li@abc.com收，月底前回复", DIFFER),
            ("今天各班缺席人数为3 5 2 4 1 6，请班主任核对", "今天各班缺席人数为3 5 4 2 1 6，请班主任核对", DIFFER),
            ("第3场主队5比2取胜，第4场主队1比6告负", "第3场主队5比2取胜，第4场主队6比1告负", DIFFER),
        ],
    );
}

/// A name with one more part adds something; a name with one part less does not.
#[test]
fn a_code_may_have_a_part_less() {
    let mut comparer = Comparer::new(&Config::default()).unwrap();
    let (short, long) = ("专家介绍nCoV的传播途径和预防办法", "专家介绍2019-nCoV的传播途径和预防办法");
    assert!(!comparer.compare(long, short).verdict.is_kept());
    assert!(comparer.compare(short, long).verdict.is_kept());
}
