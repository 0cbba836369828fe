//! A short text inside a long one is a repeat. A short text of pieces of a long one, about another place or with other roles, is not.

use crate::ends::misjudged;

/// A notice of a province, long enough to have most bigrams of such notices.
const NOTICE: &str = "【山东启动防汛一级响应】根据《山东省防汛应急预案》，报经山东省人民政府研究决定，启动重大突发气象灾害一级响应。山东省严格按照国家关于防汛工作的要求，进一步加强组织领导，落实防控责任，实行最严格的防控措施，第一时间摸排、发现、严控险情，坚决遏制灾情蔓延扩散势头，全力保障人民群众生命安全和身体健康。";
/// A digest of news.
const DIGEST: &str = "今日财经早报：一、央行开展逆回购操作1000亿元；二、贵州茅台宣布上调出厂价；三、宁德时代与福特签署合作协议；四、比亚迪发布新车；五、特斯拉宣布降价；六、国家统计局发布十月份工业数据。";
/// A report on several provinces.
const REPORT: &str = "昨天全国新增确诊病例72例，其中湖北省新增新型流感确诊病例60例，上海市新增新型流感确诊病例7例，浙江省新增新型流感确诊病例5例，现有重症病例8例，其余患者病情稳定，密切接触者正在接受医学观察。";

const REPEATS: [(&str, &str); 4] = [
    (NOTICE, "根据《山东省防汛应急预案》，报经山东省人民政府研究决定，启动重大突发气象灾害一级响应"),
    (NOTICE, "山东省严格按照国家关于防汛工作的要求，进一步加强组织领导，落实防控责任，实行最严格的防控措施"),
    (DIGEST, "今日财经早报：一、央行开展逆回购操作1000亿元；二、贵州茅台宣布上调出厂价"),
    (REPORT, "昨天全国新增确诊病例72例，其中湖北省新增新型流感确诊病例60例，上海市新增新型流感确诊病例7例"),
];

const OTHERS: [(&str, &str); 14] = [
    (NOTICE, "广东省启动重大突发气象灾害一级响应"),
    (DIGEST, "宁德时代宣布降价，特斯拉与福特签署合作协议"),
    (DIGEST, "央行宣布上调出厂价，贵州茅台发布新车，特斯拉签署协议"),
    (REPORT, "江苏省新增新型流感确诊病例7例，现有重症病例8例"),
    // Objects and roles that change places, and 被.
    ("专家建议每天喝牛奶，少喝咖啡", "专家建议每天喝咖啡，少喝牛奶"),
    ("专家建议多吃蔬菜，少吃红肉", "专家建议多吃红肉，少吃蔬菜"),
    ("【法院】您起诉的案件已立案，请按时到庭", "【法院】您被起诉的案件已立案，请按时到庭"),
    ("公司起诉员工泄密", "公司被起诉员工泄密"),
    ("老板欠员工三个月工资", "老板被欠员工三个月工资"),
    // What happened after the first report.
    ("高校食堂饭菜男女同价不同量", "高校回应食堂饭菜男女同价不同量"),
    ("司机肇事逃逸，家属要求严惩", "司机肇事逃逸被抓，家属要求严惩"),
    ("学校回应学生在寝室受伤", "学校就学生在寝室受伤道歉"),
    ("十三届全国人大四次会议开幕", "十三届全国人大四次会议闭幕会"),
    ("借条：今借到王芳人民币五千元整", "借条：今借出王芳人民币五千元整"),
];

/// Pairs that look like those above and say the same.
const THE_SAME: [(&str, &str); 9] = [
    ("您的快递已签收，感谢您的使用", "您的快递已被签收，感谢您的使用"),
    ("请带护照到二楼，带照片到二楼", "请带照片到二楼，带护照到二楼"),
    ("早饭喝牛奶，喝咖啡", "早饭喝咖啡，喝牛奶"),
    ("西湖列入世界遗产名录十周年", "西湖被列入世界遗产名录十周年"),
    ("我困在机场十个小时了", "我被困在机场十个小时了"),
    ("退休以后想到世界各地看一看", "退休以后想去世界各地看一看"),
    ("多起身走动，免得职业病找上门来", "多起身走动，以免职业病找上门来"),
    ("工程师既懂技术，又懂管理", "工程师既懂管理，又懂技术"),
    ("受台风影响，今晚的航班取消", "受台风影响，今晚的航班被取消"),
];

#[test]
fn pieces_of_a_long_text_are_no_repeat_of_it() {
    let repeats: Vec<_> = REPEATS.into_iter().chain(THE_SAME).collect();
    let [missed, dropped] = misjudged(&repeats, &OTHERS);
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(dropped.is_empty(), "{dropped:#?}");
}
