//! Compares the default engine with a brute-force application of the rule, on our own texts, and on real posts if they are available.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a panic is how a test fails")]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use oorandom::Rand64;
use proptest::prelude::*;
use quchong::compare::{Comparer, Print};
use quchong::config::{ExactMode, Guard, Policy, Templates};
use quchong::generate::{Generator, Recipe};
use quchong::rule::{Decision, Verifier};
use quchong::text::{Analyser, Clean, Gist};
use quchong::{Config, Deduplicator, Likeness, Pos, Record, Verdict};

/// Generated posts, and the texts of our own pairs, which are as similar as texts can be.
fn our_own(generated: usize, pairs: usize) -> Vec<String> {
    let made = Generator::new(5, Recipe::default()).unwrap().take(generated).map(|post| post.text);
    let text = |line: &str| -> String {
        serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].as_str().unwrap().to_owned()
    };
    made.chain(crate::common::our_own(2 * pairs).lines().map(text)).collect()
}

/// The first `count` posts of the file, or the number in `QUCHONG_POSTS`: 20 000 take two minutes.
fn posts(count: usize) -> Option<Vec<String>> {
    let file = std::fs::read_to_string(crate::common::shared("weibo-dev.jsonl")?).unwrap();
    let count = std::env::var("QUCHONG_POSTS").map_or(count, |count| count.parse().unwrap());
    let text =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].as_str().unwrap().to_owned();
    Some(file.lines().take(count).map(text).collect())
}

fn config() -> Config {
    Config { exact: ExactMode::None, ..Config::default() }
}

#[test]
fn equals_brute_force_of_the_rule_on_our_own() {
    equals_brute_force_of_the_rule(&our_own(800, 650));
}

#[test]
fn equals_brute_force_of_the_rule_on_real_posts() {
    posts(2500).iter().for_each(|posts| equals_brute_force_of_the_rule(posts));
}

/// The expected verdicts come from applying the rule to each pair of a kept post and a later one.
fn equals_brute_force_of_the_rule(posts: &[String]) {
    let dropped = equals_brute_force(&config(), posts);
    eprintln!("{} posts, {dropped} dropped, all as by brute force", posts.len());
    assert!(dropped * 20 > posts.len(), "{dropped}");
}

/// Returns the number of dropped posts.
fn equals_brute_force(config: &Config, posts: &[String]) -> usize {
    let mut comparer = Comparer::new(config).unwrap();
    let prints: Vec<Print> = posts.iter().map(|post| comparer.print(post)).collect();
    let mut expected = vec![Verdict::Kept; posts.len()];
    // Go through the kept posts in order, so that each repeat is paired with the earliest one. When its turn comes, a post is known to be
    // kept or not.
    for (a, print) in prints.iter().enumerate() {
        if !expected[a].is_kept() {
            continue;
        }
        let mut against = comparer.against(print);
        for (b, later) in
            prints.iter().enumerate().skip(a + 1).filter(|(b, _)| expected[*b].is_kept()).collect::<Vec<_>>()
        {
            if let Verdict::Near { engine, by, .. } = against.judge(later).verdict {
                expected[b] = Verdict::Near { of: Pos(a as u64), engine, by };
            }
        }
    }
    let mut dedup = Deduplicator::new(config.clone()).unwrap();
    for (id, (post, expected)) in (1_u64..).zip(posts.iter().zip(&expected)) {
        assert_eq!(dedup.judge(&Record::new(id, post.as_str())).unwrap().verdict, *expected, "post {id}: {post}");
    }
    expected.iter().filter(|verdict| !verdict.is_kept()).count()
}

/// Compares each message with all messages that the engine kept before it, on two threads. If no verdict differs, the engine's verdicts
/// are those of brute force.
#[test]
#[ignore = "reads the JSON lines that QUCHONG_TEXTS names, such as those of `cargo bench --bench floods -- --write`"]
fn equals_brute_force_of_the_rule_on_a_file() {
    let Some(path) = std::env::var_os("QUCHONG_TEXTS") else { return eprintln!("QUCHONG_TEXTS names no file") };
    let file = std::fs::read_to_string(&path).unwrap();
    let field =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].as_str().unwrap().to_owned();
    let texts: Vec<String> = file.lines().map(field).collect();
    let (config, mut clean) = (config(), Clean::default());
    let mut dedup = Deduplicator::new(config.clone()).unwrap();
    let records = (1_u64..).zip(&texts).map(|(id, text)| Record::new(id, text.as_str()));
    let verdicts: Vec<Verdict> = records.map(|record| dedup.judge(&record).unwrap().verdict).collect();
    let analyser = Analyser::new(&config);
    let gist = |text: &String| {
        analyser.analyse(text, &mut clean);
        clean.gist()
    };
    let gists: Vec<Gist> = texts.iter().map(gist).collect();
    let is_kept = |at: &usize| verdicts[*at].is_kept() && !gists[*at].is_empty();
    let kept: Vec<usize> = (0..texts.len()).filter(is_kept).collect();
    let pairs = AtomicU64::new(0);
    let each_second = |first: usize| {
        let mut verifier = Verifier::new(config.policy());
        for (b, later) in gists.iter().enumerate().skip(first).step_by(2).filter(|(_, gist)| !gist.is_empty()) {
            let mut verifier = verifier.read(later.view());
            let before = &kept[..kept.partition_point(|a| *a < b)];
            let found = before.iter().enumerate().find_map(|(at, a)| {
                let similarity = match verifier.decide(gists[*a].view()) {
                    Decision::Equal => 1000,
                    Decision::Near { similarity, .. } | Decision::Inside { share: similarity, .. } => similarity,
                    Decision::No(_) => return None,
                };
                Some((at + 1, Pos(*a as u64), Likeness::Similarity(similarity)))
            });
            pairs.fetch_add(found.map_or(before.len(), |(count, ..)| count) as u64, Relaxed);
            let told = match verdicts[b] {
                Verdict::Near { of, by, .. } => Some((of, by)),
                _ => None,
            };
            assert_eq!(told, found.map(|(_, of, by)| (of, by)), "message {b}: {}", texts[b]);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| each_second(0));
        each_second(1);
    });
    let (dropped, pairs) = (texts.len() - kept.len(), pairs.into_inner());
    eprintln!(
        "{}: {} messages, {dropped} dropped, all as by brute force of {pairs} pairs",
        path.display(),
        texts.len()
    );
}

/// A "book of the day" message: three slots are filled with a few words each.
fn of_a_book(below: &mut dyn FnMut(usize) -> usize) -> String {
    // Half of the messages choose among two words, so that books recur.
    let most = [2, usize::MAX][below(2)];
    let mut one_of = |words: &'static str| {
        let words: Vec<&str> = words.split(' ').collect();
        words[below(words.len().min(most))]
    };
    let surnames = "丁 万 乔 于 任 何 余 侯 傅 冯 刘 卢 史 叶 吕 吴 周 唐 夏 姚 姜 孔 孙 孟 宋 尹 崔 常 康 廖 张 彭 徐 戴 文 方 易 曹";
    let given = "一诺 丽娟 伟 佳怡 俊杰 倩 健 光耀 凤英 凯 刚 勇 卫东 可馨 嘉欣 国庆 大勇 天佑 奕辰 娜 婷 子涵 宁 宇轩 家豪 小龙 \
                 岩 帆 庆丰 建国 德胜 志强 思远 振华 敏 文博 旭 昊 明哲 春生 晓峰 晶 桂英 梓萱 欣妍 永康 沐辰 波 泽洋";
    let whats = "倔强 冬眠 冰冷 勇敢 古老 喧闹 失眠 孤独 安静 幸运 微笑 愤怒 无名 最后 沉默 消失 温柔 漂泊 燃烧 破碎 褪色 迷路 透明 遥远";
    let ofs = "信件 候鸟 图书馆 城墙 夏天 守夜人 小镇 岛屿 巷子 影子 旅人 月亮 木偶 水手 海岸 渡口 火车 灯塔 牧羊人 猎人 玫瑰 \
               画家 稻草人 船长 花匠 蝴蝶 裁缝 诗人 车站 邮差 邻居 钟楼 钢琴 铁匠 雪山 风车 魔术师 鲸鱼 麦田 鼓手";
    let (surname, given, kind) = (one_of(surnames), one_of(given), one_of("绘本 诗集 散文集 推理小说 回忆录"));
    let (what, of, slowly) = (one_of(whats), one_of(ofs), one_of("慢慢 漫漫"));
    format!("今日荐书：{surname}{given}{kind}《{what}的{of}》，文字干净克制，适合睡前{slowly}读，推荐给爱看书的朋友们")
}

/// Messages of one template, enough of them that the engine looks up their keys. Each message shares one part with a few others and has
/// another part of its own, so a repeat is not equal to its original.
fn of_one_template(template: usize, seed: u64, count: usize) -> Vec<String> {
    let mut random = Rand64::new(seed.into());
    let mut below = |n: usize| random.rand_range(0..n as u64) as usize;
    let characters = |of: &'static str| of.chars().collect::<Vec<char>>();
    let (surnames, given) = (characters("王李张刘陈于韩程"), characters("芳伟娜敏静志华小国佳"));
    let mut message = || {
        let name: String = [surnames[below(8)], given[below(10)], given[below(10)]].iter().collect();
        let (one, other, number) = (below(300), below(300), 1000 + below(500));
        let greeting = ["您好", "尊敬的", "亲爱的"][below(3)];
        match template {
            0 => format!("领券戳 t.cn/A6x{one} t.cn/B8m{other}"),
            1 => format!("报名请点击 https://bm.cn/s/a{one} 填写信息，名额有限先到先得 https://bm.cn/s/b{other}"),
            2 => format!("@甲{one} 请明天到教务处领取毕业证 @乙{other}"),
            3 => format!("恭喜@甲{one} @乙{other} 中奖"),
            4 => format!("#{name}# 好美 #第{one}场#"),
            5 => format!(
                "{greeting}{name}{}，您预约的口腔科门诊已经确认，请准时到院就诊",
                ["女士", "同学", ""][below(3)]
            ),
            6 => format!(
                "{name}家长您好，本学期家长会定于周五下午两点在学校礼堂举行，请{}参加",
                ["准时", "按时"][below(2)]
            ),
            7 => format!(
                "您的提货码为{number}{}，请在三天之内到门店领取商品，逾期系统将自动退款",
                ["", "kx", "pw"][below(3)]
            ),
            8 => format!("{greeting}，您的验证码是{number}，{}，五分钟内有效", ["切勿转发", "请勿泄露"][below(2)]),
            9 => {
                let dishes = [
                    "红烧肉",
                    "清蒸鱼",
                    "炒青菜",
                    "麻婆豆腐",
                    "宫保鸡丁",
                    "番茄炒蛋",
                    "回锅肉",
                    "酸辣土豆丝",
                    "小炒肉",
                    "烤鸭",
                ];
                let mut row: Vec<&str> = (0..4).map(|_| dishes[below(10)]).collect();
                row.dedup();
                format!("食堂今天中午供应{}，欢迎同学们前来用餐，请勿浪费", row.join("、"))
            }
            10 => {
                // Either few names, so that lists recur, or many.
                let most = [2, 19][below(2)];
                let surnames = characters("王李张刘陈于韩程彭胡萧梁林杨吴傅许郭邓");
                let mut who = || format!("{}{}", surnames[below(most)], given[below(most.min(10))]);
                format!("今天值班的同事是{}、{}佳、{}，如有紧急情况请拨打值班电话，祝大家工作顺利", who(), who(), who())
            }
            11 => of_a_book(&mut below),
            12 => {
                // Three templates in one frame. The text they share is not quite enough for a repeat.
                let shop: String = (0..2 + below(3)).map(|_| given[below(4)]).collect();
                let body = match below(3) {
                    0 => format!("尾号{number}的账户今日转出{}元", 100 * below(3)),
                    1 => format!("在{shop}门店的订单已经完成付款"),
                    _ => format!("订购的{shop}套餐即将到期"),
                };
                let tail = ["", "，详情请登录手机银行查询", "，如需帮助可到附近网点办理"][below(3)];
                format!("尊敬的客户，您{body}，这是系统自动发送的通知，请您注意核对有关信息{tail}")
            }
            _ => format!("设备 ae:b3:c1:{number}:5d:5e 已{}，请检查电源和网络连接", ["离线", "下线"][below(2)]),
        }
    };
    (0..count).map(|_| message()).collect()
}

/// The rule also rules out everything that the index rules out by its keys.
#[test]
fn equals_brute_force_of_the_rule_on_templates() {
    const COUNT: usize = 500;
    for template in 0..14 {
        let (keep, fold) = (Templates::Keep, Templates::Fold);
        let policies = [(Guard::Facts, keep), (Guard::Careful, keep), (Guard::Off, keep), (Guard::Facts, fold)];
        for (seed, (guard, templates)) in (1..).zip(policies) {
            let config = Config { guard, templates, ..config() };
            let dropped = equals_brute_force(&config, &of_one_template(template, seed, COUNT));
            let is_flood = (COUNT / 20..COUNT - 100).contains(&dropped);
            assert!(is_flood || seed > 1, "{template}, {guard:?}: {dropped}");
        }
    }
}

/// Sentences from the list of opposites, some with a word, a number, a name or filler changed, moved, added or left out. So every kind of
/// difference that the rule knows occurs between two of them.
fn with_facts(seed: u64, count: usize) -> Vec<String> {
    let lines = include_str!("../../data/lexicon/opposites.txt").lines().filter(|line| !line.starts_with('#'));
    let pairs: Vec<(&str, &str, &str)> = lines
        .filter_map(|line| line.split_once(" | "))
        .filter_map(|(words, sentence)| words.split_once(' ').map(|(word, other)| (word, other, sentence)))
        .collect();
    let mut random = Rand64::new(seed.into());
    let mut below = |n: usize| random.rand_range(0..n as u64) as usize;
    let few: Vec<usize> = (0..count.div_ceil(8)).map(|_| below(pairs.len())).collect();
    let extras = [
        "，3日上午公布",
        "，共12人",
        "（转）",
        "？",
        "，王强表示",
        "，李敏说",
        "！！！",
        "，不是真的",
        "，第二批",
        "，谢谢",
    ];
    let sentence = |below: &mut dyn FnMut(usize) -> usize| {
        let (word, other, sentence) = pairs[few[below(few.len())]];
        let mut text = match below(4) {
            0 => sentence.replace(word, other),
            _ => sentence.to_owned(),
        };
        let characters: Vec<char> = text.chars().collect();
        let at = below(characters.len());
        match below(6) {
            0 => text = characters.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, c)| c).collect(),
            1 => text = characters.iter().enumerate().map(|(i, c)| if i == at { '末' } else { *c }).collect(),
            2 => text = format!("{}{}", extras[below(extras.len())].trim_start_matches('，'), text),
            3 => text.push_str(extras[below(extras.len())]),
            _ => {}
        }
        text
    };
    (0..count)
        .map(|_| match below(4) {
            0 => format!("{}，{}", sentence(&mut below), sentence(&mut below)),
            _ => sentence(&mut below),
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// The index offers the rule every pair that may be a repeat, under any facts and any options.
    #[test]
    fn equals_brute_force_of_the_rule_on_facts(
        seed: u64,
        guard in prop::sample::select(vec![Guard::Facts, Guard::Careful, Guard::Off]),
        templates in prop::sample::select(vec![Templates::Keep, Templates::Fold]),
        similarity in prop::sample::select(vec![450, 620, 800]),
    ) {
        let config = Config { guard, templates, similarity, ..config() };
        let posts = with_facts(seed, 160);
        let dropped = equals_brute_force(&config, &posts);
        prop_assert!(dropped > 5 && dropped < 150, "{dropped} of {}", posts.len());
    }
}

#[test]
fn a_comparer_is_the_rule_on_our_own() {
    a_comparer_is_the_rule(&our_own(200, 150));
}

#[test]
fn a_comparer_is_the_rule_on_real_posts() {
    posts(400).iter().for_each(|posts| a_comparer_is_the_rule(&posts[..400]));
}

/// A comparer skips most pairs by a bound. The bound must hide no repeat.
fn a_comparer_is_the_rule(posts: &[String]) {
    let config = config();
    let mut comparer = Comparer::new(&config).unwrap();
    let prints = posts.iter().map(|post| comparer.print(post));
    let prints: Vec<Print> = prints.filter(|print| print.printed.gist.is_some()).collect();
    let mut verifier = Verifier::new(Policy::default());
    for b in &prints {
        let later = b.printed.gist.as_ref().unwrap().view();
        let mut verifier = verifier.read(later);
        for a in &prints {
            let is_repeat = !matches!(verifier.decide(a.printed.gist.as_ref().unwrap().view()), Decision::No(_));
            assert_eq!(comparer.judge(a, b).verdict.is_kept(), !is_repeat, "{:?} {:?}", a.printed.gist, b.printed.gist);
        }
    }
}
