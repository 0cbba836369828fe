//! Facts: what may not differ between a message and its repeat. "新增病例7例" is no repeat of "新增病例9例".
//!
//! A fact is looked for where an alignment of the two texts has a *gap*: a stretch of one that stands where the other has
//! another stretch. A fact that one text only adds or leaves out is no conflict; a fact in another's place is.
//!
//! | conflict | example |
//! |---|---|
//! | [`Conflict::Number`] | 新增7例 / 新增9例; 七连胜 / 九连胜; but not 76 909 / 76909, 2020年 / 20年 |
//! | [`Conflict::Place`] | 河南发布 / 河北发布 |
//! | [`Conflict::Negation`] | 可以出门 / 不可以出门; but not 能不能, 未来, 不断 |
//! | [`Conflict::Contrast`] | 男足 / 女足; 油价上涨 / 油价下跌; 金牌 / 银牌 |
//! | [`Conflict::Word`] | iphone / ipad |

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use twox_hash::XxHash3_64;

use super::numerals;
use super::tokens::{Token, View, character, is_number, is_word};

/// What kind of fact differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// Another number between the same neighbours.
    Number,
    /// Another place.
    Place,
    /// 不, 没 or 未 on one side only.
    Negation,
    /// Another member of a closed set: 男 and 女.
    Contrast,
    /// One Latin (Greek, Cyrillic) word for another.
    Word,
}

impl Conflict {
    /// The word for it in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Place => "place",
            Self::Negation => "negation",
            Self::Contrast => "contrast",
            Self::Word => "word",
        }
    }
}

/// From so many tokens on, words at the end may be random letters; in a title, they are names.
const ADVERT: usize = 12;
/// Longest gap, in tokens, in which places are compared: beyond, it is another passage.
const PLACE_GAP: usize = 8;
/// Longest gap, in tokens a side, in which negation is compared.
const NEGATION_GAP: usize = 2;

/// Provinces, cities of the prefecture level, countries and a few of their capitals.
const PLACES: &str = "北京 上海 天津 重庆 河北 山西 辽宁 吉林 黑龙江 江苏 浙江 安徽 福建 江西 山东 河南 湖北 湖南 \
    广东 海南 四川 贵州 云南 陕西 甘肃 青海 内蒙古 广西 西藏 宁夏 新疆 香港 澳门 台湾 石家庄 太原 \
    沈阳 大连 长春 哈尔滨 南京 苏州 无锡 徐州 杭州 宁波 温州 合肥 福州 厦门 泉州 南昌 济南 青岛 \
    烟台 郑州 洛阳 武汉 黄冈 孝感 荆州 襄阳 宜昌 长沙 广州 深圳 珠海 佛山 东莞 海口 三亚 成都 绵阳 \
    贵阳 昆明 拉萨 西安 兰州 西宁 银川 乌鲁木齐 呼和浩特 南宁 桂林 台北 中国 美国 日本 韩国 朝鲜 \
    英国 法国 德国 意大利 西班牙 葡萄牙 俄罗斯 乌克兰 伊朗 伊拉克 印度 巴西 阿根廷 加拿大 澳大利亚 \
    新西兰 新加坡 马来西亚 泰国 越南 缅甸 菲律宾 印尼 土耳其 以色列 埃及 南非 瑞士 瑞典 荷兰 比利时 \
    希腊 墨西哥 古巴 纽约 伦敦 巴黎 东京 首尔 唐山 秦皇岛 邯郸 邢台 保定 张家口 承德 沧州 廊坊 衡水 \
    大同 长治 晋城 朔州 晋中 运城 忻州 临汾 吕梁 包头 赤峰 通辽 鄂尔多斯 呼伦贝尔 鞍山 抚顺 本溪 \
    丹东 锦州 营口 阜新 辽阳 盘锦 铁岭 朝阳 葫芦岛 四平 通化 白山 松原 白城 延边 齐齐哈尔 鸡西 鹤岗 \
    双鸭山 大庆 伊春 佳木斯 七台河 牡丹江 黑河 绥化 常州 南通 连云港 淮安 盐城 扬州 镇江 泰州 宿迁 \
    嘉兴 湖州 绍兴 金华 衢州 舟山 台州 丽水 芜湖 蚌埠 淮南 马鞍山 淮北 铜陵 安庆 黄山 滁州 阜阳 \
    宿州 六安 亳州 池州 宣城 莆田 三明 漳州 南平 龙岩 宁德 景德镇 萍乡 九江 新余 鹰潭 赣州 吉安 \
    宜春 抚州 上饶 淄博 枣庄 东营 潍坊 济宁 泰安 威海 日照 临沂 德州 聊城 滨州 菏泽 开封 平顶山 \
    安阳 鹤壁 新乡 焦作 濮阳 许昌 漯河 三门峡 南阳 商丘 信阳 周口 驻马店 黄石 十堰 鄂州 荆门 咸宁 \
    随州 恩施 株洲 湘潭 衡阳 邵阳 岳阳 常德 张家界 益阳 郴州 永州 怀化 娄底 韶关 汕头 江门 湛江 \
    茂名 肇庆 惠州 梅州 汕尾 河源 阳江 清远 中山 潮州 揭阳 云浮 柳州 梧州 北海 防城港 钦州 贵港 \
    玉林 百色 贺州 河池 来宾 崇左 自贡 攀枝花 泸州 德阳 广元 遂宁 内江 乐山 南充 眉山 宜宾 广安 \
    达州 雅安 巴中 资阳 六盘水 遵义 安顺 毕节 铜仁 曲靖 玉溪 保山 昭通 丽江 普洱 临沧 大理 铜川 \
    宝鸡 咸阳 渭南 延安 汉中 榆林 安康 商洛 嘉峪关 金昌 白银 天水 武威 张掖 平凉 酒泉 庆阳 定西 \
    陇南 石嘴山 吴忠 固原 中卫 克拉玛依 吐鲁番 哈密 喀什";

/// Sets of which one excludes the other, where one character stands for another.
const CHARACTERS: &[&str] = &[
    "男女",
    "东西南北",
    "半总初",
    "增减",
    "涨跌",
    "升降",
    "胜负败",
    "赢输",
    "买卖",
    "早午晚",
    "春夏秋冬",
    "左右",
    "金银铜",
    "甲乙丙丁",
    "父母",
    "爸妈",
    "赞反",
    "水电气",
    "高中低",
];

/// Sets of words, where one stands for another.
const WORDS: &[&str] = &[
    "上涨 下跌",
    "上升 下降",
    "增加 减少",
    "上调 下调",
    "上午 中午 下午 晚上 凌晨",
    "前天 昨天 今天 明天 后天",
    "语文 数学 英语 物理 化学 生物 历史 地理 政治",
    "支持 反对",
    "治愈 死亡 确诊 疑似",
];

/// The first conflict of facts in a gap `(in a, in b)` of an alignment of `a` and `b`.
pub fn conflict(a: View<'_>, b: View<'_>, gap: &(Range<usize>, Range<usize>)) -> Option<Conflict> {
    let (a_side, b_side) = (Side { tokens: a, range: gap.0.clone() }, Side { tokens: b, range: gap.1.clone() });
    let (x, y) = (a_side.inside(), b_side.inside());
    if numbers_differ(&a_side, &b_side) {
        return Some(Conflict::Number);
    }
    if words_differ(&a_side, &b_side) {
        return Some(Conflict::Word);
    }
    if x.len() <= PLACE_GAP && y.len() <= PLACE_GAP {
        let (x, y) = (a_side.around(), b_side.around());
        if let Some(set) = names_differ(&x, &y) {
            return Some(if set == PLACE { Conflict::Place } else { Conflict::Contrast });
        }
    }
    if x.len() <= NEGATION_GAP && y.len() <= NEGATION_GAP && a_side.negates() != b_side.negates() {
        return Some(Conflict::Negation);
    }
    match (x, y) {
        ([x], [y]) => {
            let (x, y) = (character(*x)?, character(*y)?);
            CHARACTERS.iter().any(|set| set.contains(x) && set.contains(y)).then_some(Conflict::Contrast)
        }
        _ => None,
    }
}

/// A mask of the numbers and negations of a body, in their order; 0 if there are none.
///
/// Combined with a fingerprint by exclusive or, it leaves the distance between bodies of equal facts as it is and puts others
/// 32 bits apart on average (within 4 bits once in 10^13): so tables of fingerprints tell facts apart at no cost.
pub fn mask(list: &[Token]) -> u64 {
    let mut bytes = Vec::new();
    bytes.extend(list.iter().filter(|&&token| is_fact(token)).flat_map(|token| token.to_le_bytes()));
    if bytes.is_empty() { 0 } else { XxHash3_64::oneshot(&bytes) }
}

/// Whether the token is a number or a negation.
pub fn is_fact(token: Token) -> bool {
    is_numeric(token) || character(token).is_some_and(|c| matches!(c, '不' | '没' | '未'))
}

/// One text's side of a gap.
struct Side<'a> {
    tokens: View<'a>,
    range: Range<usize>,
}

impl<'a> Side<'a> {
    fn inside(&self) -> &'a [Token] {
        &self.tokens.list[self.range.clone()]
    }

    fn at(&self, at: Option<usize>) -> Option<Token> {
        self.tokens.list.get(at?).copied()
    }

    fn before(&self, at: usize) -> Option<Token> {
        self.at(at.checked_sub(1))
    }

    fn after(&self, at: usize) -> Option<Token> {
        self.at(at.checked_add(1))
    }

    /// The gap and one token around it, as text.
    fn around(&self) -> String {
        let range = self.range.start.saturating_sub(1)..(self.range.end + 1).min(self.tokens.list.len());
        self.tokens.list[range].iter().map(|&token| character(token).unwrap_or(' ')).collect()
    }

    /// Places of the numbers in the gap. A single Chinese numeral counts here too.
    fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.range.clone().filter(|&at| is_numeric(self.tokens.list[at]))
    }

    fn digits(&self) -> String {
        let mut digits = String::new();
        self.inside().iter().for_each(|&token| self.tokens.digits_into(token, &mut digits));
        digits
    }

    /// Whether 不, 没 or 未 stands in the gap, before a match, and negates what follows.
    fn negates(&self) -> bool {
        const NOT_NEGATED: &str = "断仅过但同如久知";
        let character_at = |at: Option<usize>| character(self.at(at)?);
        self.range.end < self.tokens.list.len()
            && self.range.clone().any(|at| {
                let (before, after) = (character_at(at.checked_sub(1)), character_at(Some(at + 1)));
                match character(self.tokens.list[at]) {
                    Some('不') => before != after && !after.is_some_and(|c| NOT_NEGATED.contains(c)),
                    Some('没') => before != after,
                    Some('未') => after != Some('来'),
                    _ => false,
                }
            })
    }
}

fn is_numeric(token: Token) -> bool {
    is_number(token) || character(token).is_some_and(numerals::is_numeral)
}

/// Whether a number of one side stands in the place of another number of the other.
fn numbers_differ(a: &Side<'_>, b: &Side<'_>) -> bool {
    let lacks = |side: &Side<'_>, token| !side.inside().contains(&token);
    let mut other = b.numbers().filter(|&at| lacks(a, b.tokens.list[at]) && !is_moved(b, at, a)).peekable();
    if other.peek().is_none() || a.digits() == b.digits() && !a.digits().is_empty() {
        return false;
    }
    other.any(|j| {
        a.numbers().any(|i| lacks(b, a.tokens.list[i]) && in_one_place(a, i, b, j) && !are_one_year(a, i, b, j))
    })
}

/// Where each text counts the same thing and to another number, wherever the counts stand: 新增5例本土确诊 / 本土新增确诊17例.
/// What is counted is the token after the number.
pub fn counts_differ(a: View<'_>, b: View<'_>) -> Option<(Range<usize>, Range<usize>)> {
    let counts = |of: View<'_>, other: View<'_>| {
        let places = 0..of.list.len().saturating_sub(1);
        let places = places.filter(|&at| is_number(of.list[at]) && !other.list.contains(&of.list[at]));
        places.collect::<Vec<_>>()
    };
    let of_b = counts(b, a);
    if of_b.is_empty() {
        return None;
    }
    counts(a, b).into_iter().find_map(|i| {
        let j = of_b.iter().find(|&&j| b.list[j + 1] == a.list[i + 1])?;
        Some((i..i + 1, *j..j + 1))
    })
}

/// Whether a word of one side stands in the place of another word of the other. At the end of a message, advertisers put
/// random letters to get past filters.
fn words_differ(a: &Side<'_>, b: &Side<'_>) -> bool {
    let words = |side: &Side<'_>, other: &Side<'_>| {
        let places = side.range.clone().filter(|&at| is_word(side.tokens.list[at]));
        places.filter(|&at| !other.inside().contains(&side.tokens.list[at])).collect::<Vec<_>>()
    };
    let length = a.tokens.list.len().min(b.tokens.list.len());
    let at_end = length >= ADVERT && a.range.end == a.tokens.list.len() && b.range.end == b.tokens.list.len();
    let (x, y) = (words(a, b), words(b, a));
    !at_end && x.iter().any(|&i| y.iter().any(|&j| in_one_place(a, i, b, j)))
}

/// Whether a token of each has the same neighbour before it or after it.
fn in_one_place(a: &Side<'_>, i: usize, b: &Side<'_>, j: usize) -> bool {
    same(a.before(i), b.before(j)) || same(a.after(i), b.after(j))
}

/// Whether both are there and equal.
fn same(x: Option<Token>, y: Option<Token>) -> bool {
    x.is_some() && x == y
}

/// Whether a number of `b` stands elsewhere in `a` between the same neighbours.
fn is_moved(b: &Side<'_>, at: usize, a: &Side<'_>) -> bool {
    let three = (b.before(at), Some(b.tokens.list[at]), b.after(at));
    (0..a.tokens.list.len()).any(|at| (a.before(at), a.at(Some(at)), a.after(at)) == three)
}

/// 2020年 and 20年.
fn are_one_year(a: &Side<'_>, i: usize, b: &Side<'_>, j: usize) -> bool {
    let year = |side: &Side<'_>, at| {
        let mut digits = String::new();
        side.tokens.digits_into(side.tokens.list[at], &mut digits);
        (side.after(at).and_then(character) == Some('年')).then_some(digits)
    };
    let (Some(x), Some(y)) = (year(a, i), year(b, j)) else { return false };
    let (long, short) = if x.len() > y.len() { (x, y) } else { (y, x) };
    long.len() == 4 && short.len() == 2 && long.ends_with(&short)
}

/// Number of the places' set among [`NAMES`]; those of [`WORDS`] follow.
const PLACE: usize = 0;

/// The names of all sets by their first character, each with the number of its set.
static NAMES: LazyLock<HashMap<char, Vec<(usize, &'static str)>>> = LazyLock::new(|| {
    let mut names = HashMap::<char, Vec<_>>::new();
    for (set, list) in [PLACES].iter().chain(WORDS).enumerate() {
        for name in list.split_whitespace() {
            names.entry(name.chars().next().unwrap_or(' ')).or_default().push((set, name));
        }
    }
    names
});

/// The set, if any, of which each text has a name that the other has not.
fn names_differ(x: &str, y: &str) -> Option<usize> {
    let names = |text: &str, other: &str| {
        let begins = text.char_indices().filter_map(|(at, c)| Some((at, NAMES.get(&c)?)));
        let found = begins.flat_map(|(at, names)| names.iter().filter(move |(_, name)| text[at..].starts_with(name)));
        found.filter(|(_, name)| !other.contains(name)).map(|(set, _)| *set).collect::<Vec<_>>()
    };
    let (only_x, only_y) = (names(x, y), names(y, x));
    only_x.into_iter().filter(|set| only_y.contains(set)).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens::Tokens;

    fn found(a: &str, b: &str) -> Option<Conflict> {
        let mut tokens = [Tokens::default(), Tokens::default()];
        tokens[0].read(a);
        tokens[1].read(b);
        let [x, y] = &tokens;
        let head = x.list.iter().zip(&y.list).take_while(|(x, y)| x == y).count();
        let most = x.list.len().min(y.list.len()) - head;
        let tail = x.list.iter().rev().zip(y.list.iter().rev()).take(most).take_while(|(x, y)| x == y).count();
        conflict(x.view(), y.view(), &(head..x.list.len() - tail, head..y.list.len() - tail))
    }

    #[test]
    fn a_changed_fact_is_a_conflict_and_the_other_way_round() {
        for (a, b, kind) in [
            ("新增病例7例", "新增病例9例", Some(Conflict::Number)),
            ("湖人七连胜", "湖人九连胜", Some(Conflict::Number)),
            ("共76 909例", "共76909例", None),
            ("在2020年春", "在20年春", None),
            ("验证码1234567890123", "验证码1234567890124", Some(Conflict::Number)),
            ("今天发布", "1月21日发布", None),
            ("河南发布通知", "河北发布通知", Some(Conflict::Place)),
            ("发布通知", "河北发布通知", None),
            ("大家可以出门", "大家不可以出门", Some(Conflict::Negation)),
            ("大家能出门吗", "大家能不能出门吗", None),
            ("油价不断上涨", "油价上涨", None),
            ("中国男足赢了", "中国女足赢了", Some(Conflict::Contrast)),
            ("油价上涨了", "油价下跌了", Some(Conflict::Contrast)),
            ("买到iphone了", "买到ipad了", Some(Conflict::Word)),
            ("买到好的了", "买到它的了", None),
        ] {
            assert_eq!(found(a, b), kind, "{a} / {b}");
            assert_eq!(found(b, a), kind, "{b} / {a}");
        }
    }

    #[test]
    fn a_moved_number_is_none() {
        let (mut a, mut b) = (Tokens::default(), Tokens::default());
        a.read("确诊12例 死亡3例");
        b.read("死亡3例 确诊12例");
        assert_eq!(conflict(a.view(), b.view(), &(0..a.list.len(), 0..b.list.len())), None);
    }
}
