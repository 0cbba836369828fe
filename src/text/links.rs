//! Recognises links in canonical text: with a scheme (https://…), shortened ones without a scheme (s.lib.cn/3Xa9), and the word
//! that data sets put for a link.
//!
//! The length of a link has no bound. The scan goes on after its last character, so that even a text of nothing but links takes
//! linear time.

use std::ops::Range;

use super::cues::CUES;

/// Returns the host and path of a link.
pub(super) fn address(link: &str) -> &str {
    let link = ["https://", "http://"].iter().find_map(|scheme| link.strip_prefix(scheme)).unwrap_or(link);
    let link = link.split(['?', '#']).next().unwrap_or_default();
    link.strip_prefix("www.").unwrap_or(link).trim_end_matches('/')
}

/// Whether a link is shortened: its path is a short code of letters and digits (t.cn/A6xR2k). Digits alone number a page: weibo.com/1234567.
pub(super) fn is_shortened(link: &str) -> bool {
    let code = address(link).split_once('/').map_or("", |(_, path)| path);
    let has = |is_one: fn(&u8) -> bool| code.as_bytes().iter().any(is_one);
    code.len() <= CODE
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && code.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Recognises `https://…`, `t.cn/x`, `www.x`. A link ends where its ASCII characters end; a `t.cn` link ends where its letters and
/// digits do.
pub(super) fn url(rest: &str) -> Option<usize> {
    let scheme =
        ["http://", "https://"].iter().find(|scheme| rest.starts_with(**scheme)).map_or(0, |scheme| scheme.len());
    let short = rest[scheme..].starts_with("t.cn/");
    let host = if short { scheme + 5 } else { scheme };
    if host == 0 && !rest.starts_with("www.") {
        return None;
    }
    let (bytes, mut end) = (rest.as_bytes(), host);
    while let Some(byte) = bytes.get(end) {
        let port = *byte == b':' && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        if !(byte.is_ascii_alphanumeric() || !short && (port || b"-_.~/?&=%+".contains(byte))) {
            break;
        }
        end += 1;
    }
    while end > host && matches!(bytes[end - 1], b'.' | b'?') {
        end -= 1;
    }
    // t.cn/A6xR2k?from=wx
    let is_query = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.~/&=%+".contains(byte);
    let query = if short && bytes.get(end) == Some(&b'?') { &bytes[end + 1..] } else { &[] };
    let length = query.iter().take_while(|byte| is_query(byte)).count();
    Some(if query[..length].contains(&b'=') { end + 1 + length } else { end })
}

/// Top-level domains of links without a scheme. `net` is not one of them, because of ASP.NET/C#.
const DOMAINS: [&str; 32] = [
    "cn", "com", "org", "top", "vip", "cc", "xyz", "me", "tv", "io", "co", "info", "gov", "edu", "ly", "gl", "hk",
    "club", "site", "shop", "link", "online", "app", "ltd", "im", "ink", "fun", "pro", "icu", "store", "tech", "work",
];
/// Longest part of a domain.
const LABEL: usize = 63;
/// Longest code of a shortened link.
const CODE: usize = 10;

/// Recognises a shortened link without a scheme, given the place of its first dot: s.lib.cn/3Xa9, but not a.cn/news.
pub(super) fn bare_url(text: &str, dot: usize) -> Option<Range<usize>> {
    let (before, rest) = text.split_at(dot);
    let is_label = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let label = before.bytes().rev().take(LABEL).take_while(is_label).count();
    if label == 0 || before[..before.len() - label].ends_with(['@', '.', '_']) {
        return None;
    }
    let (bytes, mut end, mut domain) = (rest.as_bytes(), 0, "");
    let mut labels = 1;
    while bytes.get(end) == Some(&b'.') {
        let length = bytes[end + 1..].iter().take(LABEL).take_while(|byte| is_label(byte)).count();
        domain = &rest[end + 1..end + 1 + length];
        end += 1 + length;
        labels += 1;
    }
    let code = rest[end..].strip_prefix('/')?;
    let length = code.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let (code, after) = code.split_at(length);
    // A domain of three parts is surely one.
    let least = if labels > 2 { 2 } else { 3 };
    let is_code = (least..=CODE).contains(&length)
        && code.contains(|c: char| c.is_ascii_digit())
        && code.contains(|c: char| c.is_ascii_lowercase())
        && !after.starts_with(['/', '-', '_', '?', '=']);
    (is_code && DOMAINS.contains(&domain)).then_some(dot - label..dot + end + 1 + length)
}

/// Whether a link without a scheme between `before` and `after` is no part of the sentence: it is at the end, or the text asks the
/// reader to click it.
pub(super) fn is_beside(before: &str, after: &str) -> bool {
    let bare = before.trim_end_matches([' ', ':']);
    let last = bare.len() < before.len() || bare.ends_with(|c: char| !c.is_alphanumeric());
    let ends = !after.contains(char::is_alphanumeric) || CUES.opt_out.begins(after.trim_start());
    !is_asked_for(before) && (CUES.call.ends(bare) || ends && last)
}

/// Whether the words `before` a link make it the content of the message: 报名入口：a.cn/x, 入口在这里：a.cn/x.
pub(super) fn is_asked_for(before: &str) -> bool {
    let before = ["https://", "http://"].iter().find_map(|scheme| before.strip_suffix(scheme)).unwrap_or(before);
    let is_between = |c: char| " :为是至到(".contains(c);
    let before = before.trim_end_matches(is_between);
    let before = CUES.at.strip_from_end(before).unwrap_or(before).trim_end_matches(is_between);
    CUES.asked.ends(before)
}

/// Recognises `url`, which data sets put for a link, and the letters and digits after it, which are left of a broken link
/// (`urlrw`). After the name of a code the same letters are that code (验证码为URLKWP, 验证码“URLKWP”).
pub(super) fn url_mask(rest: &str, before: &str) -> Option<usize> {
    let after = rest.strip_prefix("url")?;
    let letters = after.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let before = before.trim_end_matches([' ', ':', '为', '是', '"', '“', '\'', '「', '(', '[', '【']);
    let is_code = letters > 0 && CODES.iter().any(|name| before.ends_with(name));
    (!is_code).then_some("url".len() + letters)
}

/// Names of codes that are sent to a single reader.
const CODES: [&str; 8] = ["验证码", "校验码", "动态码", "取件码", "提货码", "兑换码", "激活码", "邀请码"];
