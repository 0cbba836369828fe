use super::*;
use crate::config::{Config, Guard};
use crate::text::{Analyser, Clean, Gist};
use proptest::prelude::*;

fn gist(text: &str) -> Gist {
    let mut clean = Clean::default();
    Analyser::new(&Config::default()).analyse(text, &mut clean);
    clean.gist()
}

/// Whether B is told to greet another reader, and what the rule says, under both guards.
fn judged(a: &str, b: &str) -> Vec<(bool, Decision)> {
    let (a, b) = (gist(a), gist(b));
    let under = |guard| {
        let mut verifier = Verifier::new(Config { guard, ..Config::default() }.policy());
        verifier.read(b.view());
        (verifier.greet_others(a.view(), b.view()), verifier.decide(a.view(), b.view()))
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// Whom it tells, the rule refuses.
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
