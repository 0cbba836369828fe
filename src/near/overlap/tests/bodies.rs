//! Makes bodies like those of messages: from templates, and as copies of each other.

use crate::text::tokens::{number, word};

/// Bodies of some templates, each with its own fills and numbers, and now and then a fill that another body has too. Every other template
/// consists of words of letters.
pub(super) fn floods(seed: u64, count: usize, kinds: u64, fills: u64) -> Vec<Vec<u32>> {
    let mut seed = seed;
    let seed = &mut seed;
    (0..count)
        .map(|_| {
            let kind = random(seed, kinds) as u32 * 1000;
            let mut body = Vec::new();
            if random(seed, 4) == 0 {
                body.extend((0..random(seed, 2)).map(|_| 300_000 + random(seed, 2) as u32));
                code(seed, fills, &mut body);
            }
            for part in 0..3 + kind / 1000 % 3 {
                let start = kind + part * 100;
                let frame = (start..start + 5 + (part * 7 + kind / 1000) % 11).map(|token| 5000 + token);
                body.extend(frame.map(|token| if kind / 1000 % 2 == 1 { word(token) } else { token }));
                if random(seed, 3) == 0 {
                    body.extend(name(seed, fills));
                    continue;
                }
                match (part + kind / 1000 + random(seed, 8) as u32 / 7) % 4 {
                    0 => code(seed, fills, &mut body),
                    1 => {
                        let fill = random(seed, fills) as u32 * 10;
                        body.extend((0..3 + random(seed, 4) as u32).map(|at| 100_000 + fill + at));
                    }
                    2 => items(seed, fills, part % 2 == 0, &mut body),
                    _ => body.extend((0..random(seed, 6)).map(|_| 200_000 + random(seed, fills) as u32)),
                }
            }
            let at = random(seed, body.len() as u64) as usize;
            match random(seed, 12) {
                0 => body.rotate_left(at),
                1 => body = body.into_iter().skip(at).take(8 + at % 8).collect(),
                _ => {}
            }
            body
        })
        .collect()
}

/// Items with numbers or codes between the same two tokens, some of them in another order. The name of the item is before these tokens or
/// after them: 白菜报4元，萝卜报3元; 周六晚甲队，周日晚乙队.
fn items(seed: &mut u64, fills: u64, is_behind: bool, body: &mut Vec<u32>) {
    let (first, count) = (random(seed, 4) / 3, 2 + random(seed, 6) as u32 / 5);
    for item in (0..count).map(|at| (first as u32 + at) % count) {
        body.extend((!is_behind).then_some(5900 + item));
        body.push(5950);
        if random(seed, 12) == 0 {
            code(seed, fills, body);
        } else {
            body.push(number(10 + item + random(seed, fills.min(5)) as u32 / 3));
        }
        body.push(5951);
        body.extend(is_behind.then_some(5900 + item));
    }
}

/// A number, or a code of words of letters and numbers. Now and then two words in either order.
fn code(seed: &mut u64, fills: u64, body: &mut Vec<u32>) {
    let kind = random(seed, 3);
    if random(seed, 4) == 0 {
        let two = [word(7), word(8 + random(seed, 2) as u32)];
        body.extend([two, [two[1], two[0]]][random(seed, 2) as usize]);
        return;
    }
    for at in 0..if kind == 0 { 1 } else { 1 + random(seed, 3) } {
        let value = random(seed, fills) as u32;
        body.push(if kind == 0 || at % 2 == kind - 1 { number(value) } else { word(value) });
    }
}

/// A name after a cue.
fn name(seed: &mut u64, fills: u64) -> Vec<u32> {
    let of = |seed: &mut u64, letters: &str| {
        let letters: Vec<u32> = letters.chars().map(u32::from).collect();
        letters[random(seed, fills.min(letters.len() as u64)) as usize]
    };
    let mut name: Vec<u32> = ["尊敬的", "患者"][random(seed, 2) as usize].chars().map(u32::from).collect();
    name.push(of(seed, "王张李高章黎"));
    (0..1 + random(seed, 2)).for_each(|_| name.push(of(seed, "芳方丽伟静明华兰高")));
    name
}

/// Short bodies of some templates with a number or two of their own, some cut or with one more word, and long bodies with such a beginning.
pub(super) fn short_floods(seed: u64, count: usize, kinds: u64, fills: u64) -> Vec<Vec<u32>> {
    let mut seed = seed;
    let seed = &mut seed;
    (0..count)
        .map(|_| {
            let kind = random(seed, kinds) as u32;
            let letter = move |token| if kind % 2 == 1 { word(token) } else { token };
            let tokens = move |part: u32| (kind / 2 * 2 + part) * 100 + 5000..;
            let half = |part: u32| tokens(part).take(3 + (kind + part) as usize % 5).map(letter);
            let mut body: Vec<u32> = half(0).collect();
            match random(seed, 3) {
                0 => items(seed, fills, kind.is_multiple_of(2), &mut body),
                _ => code(seed, fills, &mut body),
            }
            body.extend(half(1));
            match random(seed, 8) {
                0 => body.push(number(random(seed, fills) as u32)),
                1 => body.insert(2, 200_000 + random(seed, fills) as u32),
                2 => body.truncate(4),
                3 => body.extend((0..random(seed, 20) as u32).map(|at| 7000 + at)),
                4 => body.retain(|token| *token != 5001),
                _ => {}
            }
            body
        })
        .collect()
}

/// Returns a number smaller than `below`, and advances the seed.
pub(super) fn random(seed: &mut u64, below: u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) % below
}

/// Bodies made from a few templates: copied in part, edited, turned round, enlarged.
pub(super) fn templates(seed: u64, count: usize, alphabet: u64, longest: u64) -> Vec<Vec<u32>> {
    let mut seed = seed;
    let seed = &mut seed;
    let mut bodies: Vec<Vec<u32>> = Vec::new();
    for _ in 0..count {
        let fresh = (0..random(seed, longest)).map(|_| random(seed, alphabet) as u32).collect::<Vec<_>>();
        let mut body = match bodies.len() as u64 {
            0 => fresh,
            n if random(seed, 4) > 0 => bodies[random(seed, n) as usize].clone(),
            _ => fresh,
        };
        if !body.is_empty() {
            let at = random(seed, body.len() as u64) as usize;
            match random(seed, 6) {
                0 => body.rotate_left(at),
                5 => body.reverse(),
                1 => body.truncate(at),
                2 => drop(body.drain(..at)),
                3 => body.extend((0..at).map(|_| random(seed, alphabet) as u32)),
                _ => {}
            }
            for _ in 0..random(seed, 1 + body.len() as u64 / 4) {
                let at = random(seed, body.len() as u64) as usize;
                body[at] = random(seed, alphabet) as u32;
            }
        }
        body.truncate(2 * longest as usize);
        bodies.push(body);
    }
    bodies
}
