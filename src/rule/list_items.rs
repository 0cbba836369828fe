//! Finds items of a list that the other text does not have.
//!
//! 菜单：红烧肉、清蒸鱼、炒青菜 / 菜单：红烧肉、宫保鸡丁、麻婆豆腐: both texts list things, and B lists two things that A does not mention. So B is no repeat. One such
//! item is enough if it replaces one of A's items, and neither may be a misspelling of the other. Texts of 64 tokens or more are left to
//! the other steps.
//!
//! The [overlap engine](crate::near::overlap) looks items up. So it need not compare thousands of menus with each other.

use std::ops::Range;

use super::bounds::ONE_SUBJECT_BELOW;
use super::gap::Gap;
use crate::rule::facts::{Conflict, is_one_alike};
use crate::text::GistView;
use crate::text::tokens::{Token, are_characters};

/// Fewest items of a list.
const ITEMS: usize = 3;
/// Longest item, in tokens.
const ITEM_UPTO: usize = 8;
/// With this many items that A does not have, B is another message.
pub(crate) const FOREIGN: usize = 2;

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// Its first two tokens and its last two, if its beginning and end are known. A text that has one of these pairs may have the item.
    pub(crate) ends: Vec<[Token; 2]>,
    /// Its place, as far as its beginning and end are known.
    at: Range<usize>,
}

impl Item {
    /// Creates an item that has only characters, and whose ends are known.
    fn of(body: &[Token], at: Range<usize>) -> Option<Self> {
        let item = &body[at.clone()];
        let (head, tail) = (item.first_chunk()?, item.last_chunk()?);
        let ends = if head == tail { vec![*head] } else { vec![*head, *tail] };
        are_characters(ends.as_flattened()).then_some(Self { ends, at })
    }

    fn is_in(&self, body: &[Token]) -> bool {
        body.windows(2).any(|two| self.ends.iter().any(|end| end == two))
    }
}

/// Returns the items of a text's lists: stretches between 、 or after ①, three or more in a row. For the first and the last item of a row,
/// only the two tokens beside the mark certainly belong to the item.
pub(crate) fn items(text: GistView<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    if text.signs.len() < ITEMS - 1 || text.body.list.len() >= ONE_SUBJECT_BELOW {
        return items;
    }
    let marks: Vec<(usize, bool)> = (text.signs.iter())
        .filter(|(_, sign)| sign.is_item() || sign.is_separator())
        .map(|(at, sign)| (*at as usize, sign.is_item()))
        .collect();
    let body = text.body.list;
    let is_row = |one: &(usize, bool), other: &(usize, bool)| {
        one.1 == other.1 && other.0 - one.0 <= ITEM_UPTO && !text.breaks_in(one.0 + 1..other.0)
    };
    for row in marks.chunk_by(is_row) {
        let [(first, is_numbered), .., (last, _)] = *row else { continue };
        if row.len() + usize::from(!is_numbered) < ITEMS {
            continue;
        }
        if !is_numbered && first >= 2 && !text.breaks_at(first - 1) {
            items.extend(Item::of(body, first - 2..first));
        }
        items.extend(row.windows(2).filter_map(|two| Item::of(body, two[0].0..two[1].0)));
        if last + 2 <= body.len() && !text.breaks_at(last + 1) {
            items.extend(Item::of(body, last..last + 2));
        }
    }
    items
}

/// Returns the first item that only B lists, and the item in its place, if both texts have lists. There must be [`FOREIGN`] such items or
/// more, or one that replaces an item of A and is no misspelling of it. `own` are the [items] of B.
pub(crate) fn listed(a: GistView<'_>, b: GistView<'_>, own: &[Item]) -> Option<(Gap, Conflict)> {
    let others = if own.is_empty() { Vec::new() } else { items(a) };
    if others.is_empty() {
        return None;
    }
    let foreign = |items: &[Item], body| items.iter().filter(|item| !item.is_in(body)).cloned().collect::<Vec<_>>();
    let (missing, foreign) = (foreign(&others, b.body.list), foreign(own, a.body.list));
    let first = foreign.first()?;
    let is_same = |other: &Item| may_be_one_item((other, a.body.list), (first, b.body.list));
    if foreign.len() < FOREIGN && (missing.is_empty() || missing.iter().any(is_same)) {
        return None;
    }
    let place = missing.first().unwrap_or(&others[0]).at.clone();
    Some((Gap { a: place, b: first.at.clone() }, Conflict::Item))
}

/// Whether one item may be a misspelling of the other: 红烧肉 / 红浇肉. For 南京 / 南昌 in the same place the other steps decide better.
fn may_be_one_item((x, a): (&Item, &[Token]), (y, b): (&Item, &[Token])) -> bool {
    let (x_all, y_all) = (&a[x.at.clone()], &b[y.at.clone()]);
    let is_long = x_all.len() == y_all.len() && (x_all.len() > 2 || x.at.start == y.at.start);
    let one_differs = || x_all.iter().zip(y_all).filter(|(x, y)| x != y).count() == 1;
    let are_alike = |x: &[Token; 2], y: &[Token; 2]| is_one_alike(x, y) && x.iter().zip(y).any(|(x, y)| x == y);
    is_long && one_differs() || x.ends.iter().any(|x| y.ends.iter().any(|y| are_alike(x, y)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::testing::gist;

    #[test]
    fn two_items_tell_a_list() {
        for (a, b, differ) in [
            ("菜单:红烧肉、清蒸鱼、炒青菜", "菜单:红烧肉、宫保鸡丁、麻婆豆腐", true),
            ("菜单:红烧肉、清蒸鱼、炒青菜", "菜单:红烧肉、清蒸鱼、麻婆豆腐", true),
            ("菜单:红烧肉、清蒸鱼、炒青菜", "菜单:麻婆豆腐、清蒸鱼、红烧肉", true),
            ("菜单:红烧肉、清蒸鱼、炒青菜", "菜单:红烧肉、清蒸鱼、炒白菜", false),
            ("菜单:红烧肉、清蒸鱼、炒青菜", "菜单:红烧肉、清蒸鱼、炒青菜、麻婆豆腐", false),
            ("菜单:红烧肉、清蒸鱼、炒青菜", "菜单:炒青菜、红烧肉、清蒸鱼", false),
            ("菜单:红烧肉、清蒸鱼、炒青菜", "菜单:红浇肉、青蒸鱼、炒青采", false),
            ("菜单:红烧肉,清蒸鱼,炒青菜", "菜单:红烧肉、清蒸鱼、炒青菜", false),
            ("菜单:红烧肉", "菜单:红烧肉、清蒸鱼、炒青菜", false),
            ("菜单:红烧肉、清蒸鱼、炒青菜", "菜单:红烧肉", false),
            ("菜单:红烧肉、清蒸鱼", "菜单:炒青菜、麻婆豆腐", false),
            ("最佳①傅平②许伟洋③沈曦云", "最佳①林远②郭琪③彭晨晨", true),
            ("最佳①傅平②许伟洋③沈曦云", "最佳①沈曦云②傅平③许伟洋", false),
            ("鱼、肉、蛋都卖", "肉、蛋、鱼都卖", false),
        ] {
            let (x, y) = (gist(a), gist(b));
            assert_eq!(listed(x.view(), y.view(), &items(y.view())).is_some(), differ, "{a} / {b}");
        }
    }
}
