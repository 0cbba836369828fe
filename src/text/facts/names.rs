//! Closed sets: names of places, and words of which one excludes the other.

use std::collections::HashMap;
use std::sync::LazyLock;

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
    "有无",
    "停复",
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
    "允许 禁止",
    "证实 否认",
    "治愈 死亡 确诊 疑似",
];

/// Number of the places' set among [`NAMES`]; those of [`WORDS`] follow.
pub(super) const PLACE: usize = 0;

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
pub(super) fn names_differ(x: &str, y: &str) -> Option<usize> {
    let names = |text: &str, other: &str| {
        let begins = text.char_indices().filter_map(|(at, c)| Some((at, NAMES.get(&c)?)));
        let found = begins.flat_map(|(at, names)| names.iter().filter(move |(_, name)| text[at..].starts_with(name)));
        found.filter(|(_, name)| !other.contains(name)).map(|(set, _)| *set).collect::<Vec<_>>()
    };
    let (only_x, only_y) = (names(x, y), names(y, x));
    only_x.into_iter().filter(|set| only_y.contains(set)).min()
}

/// Whether the two characters are different members of one set.
pub(super) fn characters_differ(x: char, y: char) -> bool {
    CHARACTERS.iter().any(|set| set.contains(x) && set.contains(y))
}
