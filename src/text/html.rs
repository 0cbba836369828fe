//! Removes HTML from a text. This is the only file that uses html5gum, a tokenizer by the WHATWG standard.
//!
//! Tags and comments are removed, entities (`&amp;`, `&#8230;`) become characters, and the content of `script` and `style` is
//! dropped. Tags that begin a block (`p`, `div`, `li`, `tr`, `br`, headings …) leave a line break, and other tags leave nothing. So
//! `<b>樱</b>花` is one word, and `<p>樱</p><p>花</p>` is two lines. Like a browser, this repairs errors: no text is refused.
//!
//! Known weakness: this is for HTML only. In plain text `a<b` begins a tag, and the text up to the next `>` is lost. That is why
//! HTML is removed only on request.

use std::borrow::Cow;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

/// Tags that begin or end a line.
const BLOCKS: [&[u8]; 34] = [
    b"address",
    b"article",
    b"aside",
    b"blockquote",
    b"body",
    b"br",
    b"dd",
    b"div",
    b"dl",
    b"dt",
    b"figcaption",
    b"figure",
    b"footer",
    b"form",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"h5",
    b"h6",
    b"header",
    b"hr",
    b"li",
    b"main",
    b"nav",
    b"ol",
    b"p",
    b"pre",
    b"section",
    b"table",
    b"td",
    b"title",
    b"tr",
    b"ul",
];

/// Tags whose content is not shown as text.
const HIDDEN: [&[u8]; 4] = [b"script", b"style", b"template", b"noscript"];

/// Returns `text` without tags and with its entities decoded. A text with neither `<` nor `&` is returned unchanged.
///
/// ```
/// use quchong::text::html::plain;
/// assert_eq!(plain("<p>武汉<b>加油</b>&amp;中国<br>加油</p><script>x</script>"), "武汉加油&中国\n加油");
/// assert_eq!(plain("1 < 2"), "1 < 2");
/// ```
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['<', '&']) {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut hidden: Option<Vec<u8>> = None;
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<()> {
        match event {
            CallbackEvent::OpenStartTag { name } | CallbackEvent::EndTag { name } if BLOCKS.contains(&name) => {
                let breaks = hidden.is_none() && out.last().is_some_and(|last| *last != b'\n');
                out.extend(breaks.then_some(b'\n'));
            }
            CallbackEvent::OpenStartTag { name } if hidden.is_none() && HIDDEN.contains(&name) => {
                hidden = Some(name.to_vec());
            }
            CallbackEvent::EndTag { name } if hidden.as_deref() == Some(name) => hidden = None,
            CallbackEvent::String { value } if hidden.is_none() => out.extend_from_slice(value),
            _ => {}
        }
        None
    });
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(text, emitter).for_each(drop);
    let text = String::from_utf8_lossy(&out);
    Cow::Owned(text.trim_end_matches('\n').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tags_go_and_text_stays() {
        let cases = [
            ("<h1>标题</h1><p>正文。<a href=\"x>y\">链接</a></p>", "标题\n正文。链接"),
            ("a&nbsp;b &lt;tag&gt; &#20013;&#x56FD; &hellip;", "a\u{a0}b <tag> 中国 …"),
            ("<style>p { color: red }</style>one<!-- two --> three", "one three"),
            ("<script>if (a < b) { c() }</script>after", "after"),
            ("<ul><li>一<li>二</ul>三", "一\n二\n三"),
            ("<p>未关闭<b>的", "未关闭的"),
            ("AT&T 3 < 4 <3", "AT&T 3 < 4 <3"),
            ("&unknown; &", "&unknown; &"),
            ("", ""),
            ("没有标签", "没有标签"),
        ];
        for (html, text) in cases {
            assert_eq!(plain(html), text, "{html}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in r#"[a<>&;/p"= 樱#x\n!-]{0,40}"#) {
            plain(&text);
        }

        #[test]
        fn text_that_was_escaped_is_read_as_it_was(text in r#"[a<>&;/p"= 樱#x!-]{0,40}"#) {
            let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
            prop_assert_eq!(plain(&escaped), text);
        }
    }
}
