//! The cost of a stream made from one template, compared with ordinary posts in the same run: microseconds per message, which must not
//! grow with the stream, and the 99th percentile of the last messages.
//!
//! ```text
//! cargo bench --bench floods                        every family at 5, 10, 20 and 40 thousand
//! cargo bench --bench floods -- 20000,100000 codes  these sizes, and families with this word in their name
//! cargo bench --bench floods -- --write DIR 20000   writes the streams as JSON lines, for the program
//! ```
//! In most streams, a message repeats another only by chance. If only the beginning differs, or the names after `@`, nearly all messages
//! repeat the first. The times are of a shared machine, so read the ratios.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench may panic, and tells what it measured"
)]

use std::hint::black_box;
use std::time::Instant;

use oorandom::Rand64;
use quchong::{Config, Deduplicator, Record};

/// Sizes, unless others are given.
const SIZES: [usize; 4] = [5_000, 10_000, 20_000, 40_000];
/// Number of ordinary posts to compare with.
const POSTS: usize = 100_000;

const SURNAMES: &str = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗";
const GIVEN: &str = "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超霞平刚桂英华玉兰红梅建国志文秀云龙海燕鹏飞";
const CITIES: [&str; 16] = [
    "北京",
    "上海",
    "广州",
    "深圳",
    "成都",
    "杭州",
    "武汉",
    "西安",
    "南京",
    "重庆",
    "天津",
    "苏州",
    "长沙",
    "郑州",
    "青岛",
    "哈尔滨",
];
const CLINICS: [&str; 12] = [
    "心血管内科",
    "消化内科",
    "骨科",
    "神经外科",
    "眼科",
    "口腔科",
    "妇产科",
    "儿科",
    "皮肤科",
    "耳鼻喉科",
    "内分泌科",
    "康复医学科",
];
const LETTERS: &str = "ABCDEFGHJKLMNPQRSTUVWXYZ";
const LETTERS_AND_DIGITS: &str = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const SYLLABLES: &str = "金福鑫源泰和顺兴旺丰盛隆昌华美佳宏达瑞祥安康宁乐天地海山川江河湖园林苑阁轩楼庄坊记";
const DISHES: &str = "红烧清蒸糖醋麻辣香煎干锅鱼香宫保牛肉排骨豆腐茄子鲤鱼土豆白菜虾仁鸡丁羊腿蘑菇木耳";

/// Writes texts from one random stream.
struct Pen(Rand64);

impl Pen {
    fn below(&mut self, below: u64) -> u64 {
        self.0.rand_range(0..below)
    }

    fn of(&mut self, letters: &str, count: u64) -> String {
        let letters: Vec<char> = letters.chars().collect();
        (0..count).map(|_| letters[self.below(letters.len() as u64) as usize]).collect()
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }

    fn name(&mut self) -> String {
        let given = 1 + self.below(2);
        self.of(SURNAMES, 1) + &self.of(GIVEN, given)
    }

    fn shop(&mut self) -> String {
        let length = 3 + self.below(3);
        self.of(SYLLABLES, length)
    }

    fn han(&mut self, count: u64) -> String {
        (0..count).filter_map(|_| char::from_u32(0x4e00 + self.below(3000) as u32)).collect()
    }

    fn english(&mut self) -> String {
        let syllables = 2 + self.below(3);
        (0..syllables).map(|_| self.of("bdfgklmnprst", 1) + &self.of("aeiou", 1)).collect()
    }

    fn number(&mut self, from: u64, to: u64) -> u64 {
        from + self.below(to - from)
    }
}

/// Writes a text of a family, given its number in the stream and the size of the stream.
type Write = fn(&mut Pen, usize, usize) -> String;

const FAMILIES: [(&str, Write); 24] = [
    ("codes", |pen, _, _| {
        let code = pen.number(100_000, 1_000_000);
        format!(
            "【某某银行】您的验证码是{code}，请在5分钟内完成验证，切勿将验证码告诉他人。如非本人操作，请忽略本短信。"
        )
    }),
    ("names and dates", |pen, _, _| {
        let (name, clinic) = (pen.name(), pen.one(&CLINICS));
        let (month, day, hour, minute) =
            (pen.number(1, 13), pen.number(1, 29), pen.number(8, 18), pen.number(0, 12) * 5);
        format!(
            "尊敬的{name}您好，您预约的市第一人民医院{clinic}门诊已成功，就诊时间为{month}月{day}日{hour}:{minute:02}，请携带身份证\
             提前到院取号，如需取消请及时致电总台。"
        )
    }),
    ("words without a digit", |pen, _, _| {
        let (name, city, shop, dish) = (pen.name(), pen.one(&CITIES), pen.shop(), pen.of(DISHES, 5));
        format!(
            "亲爱的{name}，感谢您光临{city}的{shop}餐厅，您点的{dish}已经开始为您准备，请您稍候片刻，祝您用餐愉快，期待您的再次光临。"
        )
    }),
    ("who did what", |pen, at, _| {
        let name = pen.name();
        match at % 4 {
            0 => format!("{name}撤回了一条消息"),
            1 => format!("{name}今天请假了没来上班"),
            2 => format!("欢迎{name}进入直播间"),
            _ => format!("{name}已经签收了您的包裹"),
        }
    }),
    ("lists of entries", |pen, _, _| {
        let mut entry = |floor: u32| format!("{floor}楼{}", pen.one(&["已满", "充足", "紧张"]));
        format!("自习室余座：{}", (1..11).map(&mut entry).collect::<Vec<_>>().join("，"))
    }),
    ("alerts, parcels, prices", |pen, at, _| {
        let (city, shop) = (pen.one(&CITIES), pen.shop());
        let (a, b, c) = (pen.number(1, 1000), pen.number(1, 60), pen.number(1000, 1_000_000));
        match at % 3 {
            0 => format!(
                "{city}市气象台发布天气预警，{shop}街道未来{b}小时降雨量将达{a}毫米以上，请注意防范城市内涝和山洪灾害，减少外出。"
            ),
            1 => format!(
                "您的快递已到{city}{shop}小区门口的驿站，取件码为{c}，请在当天晚上之前凭取件码领取，逾期将退回寄件方。"
            ),
            _ => format!(
                "价格提醒：您关注的{shop}股份现价{a}元，较昨日收盘变动{b}元，成交量{c}手，投资有风险入市需要谨慎。"
            ),
        }
    }),
    ("six slots", |pen, _, _| {
        let (name, city, shop, dish) = (pen.name(), pen.one(&CITIES), pen.shop(), pen.of(DISHES, 4));
        let (price, order) = (pen.number(10, 500), pen.number(100_000, 10_000_000));
        format!(
            "尊敬的{name}，您在{city}{shop}商城购买的{dish}礼盒已经发货，订单号{order}，实付金额{price}元，预计近日送达，请保持电话畅通，\
             感谢您的支持与信赖。"
        )
    }),
    ("slot at the beginning", |pen, _, _| {
        let words = pen.han(8);
        format!(
            "{words}，您好，您提交的申请我们已经收到，工作人员会尽快与您取得联系，请保持电话畅通并耐心等待，谢谢配合。"
        )
    }),
    ("slot at the end", |pen, _, _| {
        let words = pen.han(8);
        format!("您好，您提交的申请我们已经收到，工作人员会尽快与您取得联系，请保持电话畅通并耐心等待，负责人是{words}")
    }),
    ("code at the end", |pen, _, _| {
        let code = pen.number(100_000, 1_000_000);
        format!("您正在登录某某网站的用户中心，请勿把验证码告诉任何人，包括自称是客服的工作人员，您的验证码是{code}")
    }),
    ("one slot, the same numbers", |pen, _, _| {
        let (name, shop) = (pen.name(), pen.shop());
        format!("【某某驿站】{name}您好，您的包裹已到{shop}店，请于9点至21点凭身份证取件，客服热线95338")
    }),
    ("other words, the same numbers", |pen, _, _| {
        let (news, place, thanks) = (pen.han(12), pen.han(15), pen.han(10));
        format!("【某某银行】{news}，{place}，单笔满3000元减150元，{thanks}")
    }),
    ("nested templates", |pen, _, _| {
        let head = pen.one(&["尊敬的客户", "尊敬的会员", "亲爱的用户", "您好"]);
        let body = match pen.below(3) {
            0 => format!(
                "您尾号{}的账户于{}日转出{}元",
                pen.number(1000, 10_000),
                pen.number(1, 29),
                pen.number(1, 90_000)
            ),
            1 => format!("您在{}的{}门店消费了{}元", pen.one(&CITIES), pen.shop(), pen.number(1, 9_000)),
            _ => format!("您订购的{}套餐即将到期", pen.shop()),
        };
        let tail = pen.one(&["如有疑问请致电客服热线", "详情请登录手机银行查询", "感谢您一直以来的支持与信任"]);
        format!("{head}，{body}，这是系统自动发送的通知，请您注意核对有关信息，{tail}。")
    }),
    ("templates of twenty", |pen, at, _| {
        let mut template = Pen(Rand64::new(1000 + (at / 20) as u128));
        let (head, middle, tail) = (template.han(14), template.han(12), template.han(14));
        format!("{head}{}，{middle}{}元，{tail}", pen.shop(), pen.number(1, 100_000))
    }),
    ("templates of a hundred, mixed", |pen, _, count| {
        let which = pen.below((count / 100).max(1) as u64);
        let mut template = Pen(Rand64::new(1000 + u128::from(which)));
        let (head, middle, tail) = (template.han(14), template.han(12), template.han(14));
        format!("{head}{}，{middle}{}元，{tail}", pen.shop(), pen.number(1, 100_000))
    }),
    ("letter codes", |pen, _, _| {
        let code = pen.of(LETTERS, 6);
        format!(
            "【某某银行】您的验证码为{code}，请在五分钟内完成验证，切勿将验证码告诉他人。如非本人操作，请忽略本短信。"
        )
    }),
    ("mixed codes", |pen, _, _| {
        let code = pen.of(LETTERS_AND_DIGITS, 8);
        format!(
            "【某某银行】您的验证码为{code}，请在五分钟内完成验证，切勿将验证码告诉他人。如非本人操作，请忽略本短信。"
        )
    }),
    ("plates", |pen, _, _| {
        let (area, plate) = (pen.of(LETTERS, 1), pen.of(LETTERS_AND_DIGITS, 5));
        format!(
            "您的车辆粤{area}{plate}于今日在市区主干道违反禁令标志，已被电子警察记录，请您尽快前往交警大队接受处理，逾期将加收滞纳金。"
        )
    }),
    ("names after @", |pen, _, _| {
        let (one, other) = (pen.english(), pen.english());
        format!(
            "恭喜@{one} @{other} 在本次转发抽奖活动中获得由主办方提供的精美礼品一份，请尽快私信我们领取，逾期视为放弃。"
        )
    }),
    ("small numbers", |pen, _, _| {
        let mut price = || pen.number(1, 10);
        format!(
            "今日行情：白菜报{}元，土豆报{}元，萝卜报{}元，黄瓜报{}元，茄子报{}元，豆角报{}元，辣椒报{}元，番茄报{}元",
            price(),
            price(),
            price(),
            price(),
            price(),
            price(),
            price(),
            price()
        )
    }),
    ("english order", |pen, _, _| {
        let (name, order, day) = (pen.english(), pen.of(LETTERS_AND_DIGITS, 8), pen.number(1, 31));
        format!(
            "Dear {name}, your order {order} has been shipped on May {day} and will arrive within five working days. \
             Please keep your phone at hand and thank you for shopping with us."
        )
    }),
    ("english, short", |pen, _, _| format!("Your code is {}. Do not share it with anyone.", pen.of(LETTERS, 6))),
    ("short codes", |pen, _, _| format!("验证码{}，五分钟内有效", pen.number(100_000, 10_000_000))),
    ("short code at the end", |pen, _, _| format!("您的验证码是{}", pen.number(100_000, 10_000_000))),
];

/// Returns real posts, or random ones if there are none.
fn posts() -> Vec<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/weibo-dev.jsonl");
    let Ok(file) = std::fs::read_to_string(path) else {
        println!("../shared/data/weibo-dev.jsonl is not there: random posts");
        let mut pen = Pen(Rand64::new(1));
        return (0..POSTS).map(|_| pen.han(90)).collect();
    };
    let text = |line: &str| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        record["text"].as_str().unwrap_or_default().to_owned()
    };
    file.lines().take(POSTS).map(text).collect()
}

fn stream(write: Write, count: usize) -> Vec<String> {
    let mut pen = Pen(Rand64::new(7));
    (0..count).map(|at| write(&mut pen, at, count)).collect()
}

/// Judges all texts. Returns the mean microseconds per message, the 99th percentile over the last 2000, and the number kept.
fn judge(texts: &[String]) -> (f64, f64, usize) {
    let mut dedup = Deduplicator::new(Config::default()).expect("the configuration");
    let (mut last, mut kept) = (Vec::new(), 0);
    let start = Instant::now();
    for (at, text) in texts.iter().enumerate() {
        let begin = Instant::now();
        let judged = black_box(dedup.judge(&Record::new(at as u64, text.as_str())).expect("no limit is reached"));
        kept += usize::from(judged.verdict.is_kept());
        if at + 2000 >= texts.len() {
            last.push(begin.elapsed());
        }
    }
    let mean = start.elapsed().as_secs_f64() * 1e6 / texts.len() as f64;
    last.sort_unstable();
    (mean, last[last.len() * 99 / 100].as_secs_f64() * 1e6, kept)
}

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let folder = words.iter().position(|word| word == "--write").map(|at| {
        words.remove(at);
        words.remove(at)
    });
    let sizes = words.iter().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let sizes: Vec<usize> =
        sizes.map_or(SIZES.to_vec(), |sizes| sizes.split(',').filter_map(|n| n.parse().ok()).collect());
    let name = words.iter().find(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
    let families = FAMILIES.iter().filter(|(family, _)| name.is_none_or(|name| family.contains(name.as_str())));
    if let Some(folder) = folder {
        for ((family, write), size) in families.flat_map(|family| sizes.iter().map(move |size| (family, *size))) {
            let line = |(id, text): (usize, &String)| format!("{{\"id\":{id},\"text\":\"{text}\"}}\n");
            let lines: String = stream(*write, size).iter().enumerate().map(line).collect();
            let path = format!("{folder}/{}-{size}.jsonl", family.replace([' ', ','], "_"));
            std::fs::write(path, lines).expect("the folder is there");
        }
        return;
    }
    let (posts, p99, kept) = judge(&posts());
    println!("posts, {POSTS}: {posts:.1} µs, p99 {p99:.0} µs, {kept} kept");
    for (family, write) in families {
        for size in &sizes {
            let (mean, p99, kept) = judge(&stream(*write, *size));
            println!(
                "{family}, {size}: {mean:.1} µs, {:.2} × the posts' speed, p99 {p99:.0} µs, {kept} kept",
                posts / mean
            );
        }
    }
}
