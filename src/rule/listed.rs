//! Items of a list that another text does not have.
//!
//! 菜单：红烧肉、清蒸鱼、炒青菜 / 菜单：红烧肉、宫保鸡丁、麻婆豆腐: both texts list things, and A says nothing of two that B lists. So B is no repeat. One such item is
//! enough if it stands for one of A's, and neither may be the other misspelt. Texts of 64 tokens or more are left to the other steps.
//!
//! The [overlap engine](crate::near::overlap) looks items up. So it need not compare thousands of menus with each other.

use std::ops::Range;

use super::align::Gap;
use super::bounds::ONE_SUBJECT_BELOW;
use crate::rule::facts::{Conflict, is_one_alike};
use crate::text::GistView;
use crate::text::tokens::{Token, character};

/// Fewer things side by side are no list.
const ITEMS: usize = 3;
/// What is longer is no item.
const ITEM_UPTO: usize = 8;
/// So many items that A does not have tell B.
pub(crate) const FOREIGN: usize = 2;

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// Its first two tokens and its last two, as far as it is known where it begins and ends. A text that has one of these may have the item.
    pub(crate) ends: Vec<[Token; 2]>,
    /// Its place, as far as it is known.
    at: Range<usize>,
}

impl Item {
    /// An item of characters, with these ends known.
    fn of(body: &[Token], at: Range<usize>) -> Option<Self> {
        let item = &body[at.clone()];
        let (head, tail) = (item.first_chunk()?, item.last_chunk()?);
        let ends = if head == tail { vec![*head] } else { vec![*head, *tail] };
        ends.as_flattened().iter().all(|token| character(*token).is_some()).then_some(Self { ends, at })
    }

    fn is_in(&self, body: &[Token]) -> bool {
        body.windows(2).any(|two| self.ends.iter().any(|end| end == two))
    }
}

/// The items of a text's lists: what stands between 、 or behind ①, three or more in a row. Of the first and the last one of a row, only the
/// two tokens beside the mark are known to belong to it.
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

/// Where both have lists, and B lists an item that A does not have: [`FOREIGN`] of them or more, or one in place of another one that is not the
/// same one misspelt. `own` are the [items] of B.
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

/// Whether one item may be the other misspelt: 红烧肉 / 红浇肉. Of 南京 / 南昌 in one place the other steps know more.
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
