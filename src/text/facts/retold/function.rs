//! Words that only join and shade what others say, but of which one may turn it: 因为下雨，… / 如果下雨，…, 能预约 / 要预约, 放在柜子上 / 放在柜子里.

use super::Statement;

/// In each family the words of one row say nearly the same, and those of two rows do not.
const FAMILIES: [&[&[&str]]; 4] = [
    &[
        &["如果", "要是", "假如", "倘若", "若", "假设"],
        &["因为", "由于", "因"],
        &["虽然", "虽", "尽管"],
        &["即使", "哪怕"],
        &["但是", "但", "不过", "可是", "然而", "却"],
        &["所以", "因此", "于是", "从而"],
        &["不管", "无论", "不论"],
        &["自从"],
        &["为了"],
    ],
    &[
        &["能", "可以", "可", "能够"],
        &["要", "想", "得", "该", "须", "必须", "应", "应该", "需要"],
        &["会", "将", "将要", "即将", "拟"],
        &["刚", "刚刚", "已", "已经", "曾", "曾经"],
    ],
    &[
        &["我", "我们", "咱", "咱们", "俺"],
        &["你", "你们", "您", "大家", "各位"],
        &["他", "她", "它", "他们", "她们", "它们"],
        &["别人", "其他", "其它", "其他人"],
        &["有的", "有些", "一些"],
        &["所有", "全部", "一切"],
        &["这个", "这些"],
        &["那个", "那些"],
    ],
    &[&["上", "上面"], &["下", "下面"], &["里", "里面", "内"], &["外", "外面"], &["从", "自"], &["到", "至", "往"]],
];

/// Family and row of the words that only one of two texts may not have: if, and all.
const ONE_SIDED: [(usize, usize); 2] = [(0, 0), (2, 5)];

impl Statement<'_> {
    /// Whether one of the likeliest words of the text is in the row.
    fn has_one_of(&self, row: &[&str]) -> bool {
        let spells = |word: &[u32], spelled: &str| word.iter().copied().eq(spelled.chars().map(u32::from));
        self.words.cut.iter().any(|word| row.iter().any(|one| spells(word.tokens(self.list()), one)))
    }

    /// Whether the texts have words of different rows of a family, or only one of them says if, or all.
    pub(super) fn is_turned_by_a_word(self, b: Statement<'_>) -> bool {
        let has = |family: &[&[&str]], text: Statement<'_>| -> Vec<bool> {
            family.iter().map(|row| text.has_one_of(row)).collect()
        };
        FAMILIES.iter().enumerate().any(|(at, family)| {
            let (own, of_b) = (has(family, self), has(family, b));
            let only = |x: &[bool], y: &[bool]| x.iter().zip(y).any(|(x, y)| *x && !*y);
            let is_one = ONE_SIDED.iter().any(|(family, row)| at == *family && own[*row] != of_b[*row]);
            is_one || only(&own, &of_b) && only(&of_b, &own)
        })
    }
}
