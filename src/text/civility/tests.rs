use super::*;

/// What a text says without civility at its ends.
fn left(text: &str) -> String {
    let (mut plain, mut breaks) = (String::new(), Vec::new());
    for c in text.chars() {
        if matches!(c, '，' | '。') {
            breaks.push(plain.len());
            plain.push(' ');
        } else {
            plain.push(c);
        }
    }
    plain[news(&plain, &breaks)].trim().to_owned()
}
