use super::*;

#[test]
fn numbers_are_read_as_pages_show_them() {
    for (text, billionths) in [
        ("12000", 12_000 * SCALE),
        ("12,000", 12_000 * SCALE),
        ("-1,234.5", -1_234_500_000_000),
        ("1.2万", 12_000 * SCALE),
        ("3 億", 300_000_000 * SCALE),
        ("100万+", 1_000_000 * SCALE),
        ("1.2w", 12_000 * SCALE),
        ("10K+", 10_000 * SCALE),
        ("2.5 m", 2_500_000 * SCALE),
        ("3千", 3000 * SCALE),
        ("１２，３４５", 12_345 * SCALE),
        ("１.２Ｗ＋", 12_000 * SCALE),
        ("1e3", 1000 * SCALE),
    ] {
        assert_eq!(number(text), Some(billionths), "{text}");
    }
    for text in ["1,2", "12,00", ",123", "万", "", "inf", "多"] {
        assert_eq!(number(text), None, "{text}");
    }
}

/// Help and docs tell how much memory a repeat takes.
#[test]
fn a_repeat_takes_64_bytes() {
    assert_eq!(size_of::<Repeat>(), 64);
}
