//! Turns sorted rows into edges: the pairs of near fingerprints, each pair once.
//!
//! A pair meets in every table whose bits are equal in both, and is reported only from the first of these tables. So nobody has to
//! remember which pairs were reported. A bucket of more than [`HOT`] fingerprints is divided into buckets again, by tables over the
//! bits that its fingerprints do not share. At each level, too, only the first table in which a pair meets reports it. Nothing is left
//! out, however many fingerprints an attacker puts into one bucket.

use std::mem;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::rows::{Cell, Column, Gaps, JobRows, Kind, RowIn, checked, whole};
use super::tables::Tables;
use super::{Edge, position};
use crate::error::Result;
use crate::locale::tr;
use crate::record::{Likeness, Pos};

/// In a bucket of at most this many fingerprints, all pairs are compared.
pub(crate) const HOT: usize = 4096;

/// Most levels of buckets within a bucket. Each level has the cost of its tables.
const DEPTH: usize = 4;

/// A fingerprint's row in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) struct TableEntry {
    /// The table, by its index in [`Tables::masks`].
    pub(crate) table: usize,
    /// The fingerprint.
    #[serde(deserialize_with = "hexadecimal")]
    pub(crate) simhash: u64,
    /// The message with this fingerprint.
    pub(crate) pos: Pos,
}

/// Finds the edges in rows that come sorted by table and key.
pub(crate) struct Edges {
    tables: Tables,
    max_distance: u32,
    /// The bucket of the last row: its table and key.
    at: Option<(usize, u64)>,
    bucket: Vec<(u64, Pos)>,
}

impl Edges {
    /// Begins without rows. `tables` must be those for which all rows were made, complete for `max_distance`.
    pub(crate) fn new(tables: Tables, max_distance: u32) -> Self {
        Self { tables, max_distance, at: None, bucket: Vec::new() }
    }

    /// Takes the next row. If it begins a new bucket, the edges of the bucket before are passed to `each`.
    ///
    /// # Errors
    /// Says why the row cannot come here: there is no such table, or its bucket has been passed already.
    pub(crate) fn push(&mut self, row: TableEntry, each: &mut dyn FnMut(Edge)) -> std::result::Result<(), String> {
        let masks = self.tables.masks();
        let mask = *masks.get(row.table).ok_or_else(|| {
            tr!("there is no table {}, only {} of them; --expected must be as for --masks", row.table, masks.len())
        })?;
        let at = Some((row.table, row.simhash & mask));
        if at < self.at {
            return Err(tr!(
                "rows are not sorted: table {}, key {} comes behind a larger one",
                row.table,
                format_args!("{:016x}", row.simhash & mask)
            ));
        }
        if at > self.at {
            self.finish(each);
            self.at = at;
        }
        self.bucket.push((row.simhash, row.pos));
        Ok(())
    }

    /// Passes the edges of the last bucket to `each`.
    pub(crate) fn finish(&mut self, each: &mut dyn FnMut(Edge)) {
        if let Some((table, _)) = self.at {
            let bits = !self.tables.masks()[table];
            let mut found = |(x, a): (u64, Pos), (y, b): (u64, Pos)| {
                if self.tables.first(x, y) == Some(table) && a != b {
                    each(Edge {
                        a: a.min(b),
                        b: a.max(b),
                        by: Some(Likeness::Distance((x ^ y).count_ones())),
                        same: false,
                    });
                }
            };
            pairs(&mut self.bucket, bits, self.max_distance, DEPTH, &mut found);
        }
        self.bucket.clear();
    }
}

/// A fingerprint and its message.
type Entry = (u64, Pos);

/// Passes each pair of `entries` within `max_distance` to `found`, once. Outside `bits`, all entries are equal.
fn pairs(entries: &mut [Entry], bits: u64, max_distance: u32, depth: usize, found: &mut dyn FnMut(Entry, Entry)) {
    if entries.len() <= HOT || depth == 0 {
        return each_with_each(entries, max_distance, found);
    }
    let tables = Tables::within(bits, max_distance, entries.len() as u64);
    if tables.masks() == [0] {
        return each_with_each(entries, max_distance, found);
    }
    for (table, mask) in tables.masks().iter().enumerate() {
        entries.sort_unstable_by_key(|(simhash, pos)| (simhash & mask, *pos));
        let mut first = |x: Entry, y: Entry| {
            if tables.first(x.0, y.0) == Some(table) {
                found(x, y);
            }
        };
        for bucket in entries.chunk_by_mut(|x, y| (x.0 ^ y.0) & mask == 0) {
            pairs(bucket, bits & !mask, max_distance, depth - 1, &mut first);
        }
    }
}

fn each_with_each(entries: &[Entry], max_distance: u32, found: &mut dyn FnMut(Entry, Entry)) {
    for (at, x) in entries.iter().enumerate() {
        for y in &entries[..at] {
            if (x.0 ^ y.0).count_ones() <= max_distance {
                found(*y, *x);
            }
        }
    }
}

impl RowIn for TableEntry {
    const COLUMNS: &'static [Column<'static>] = &[
        Column::new("table", Kind::Int32, Gaps::None),
        Column::new("simhash", Kind::Int64, Gaps::None),
        position("pos"),
    ];

    fn of(cells: &[Cell<'_>]) -> std::result::Result<Self, String> {
        // All 64 bits. In the column, the highest of them is a sign.
        let simhash = cells[1].int().ok_or_else(|| tr!("no `simhash`"))?.cast_unsigned();
        Ok(Self { table: whole(&Self::COLUMNS[0], cells[0])?, simhash, pos: Pos(whole(&Self::COLUMNS[2], cells[2])?) })
    }
}

fn hexadecimal<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<u64, D::Error> {
    let digits = String::deserialize(from)?;
    u64::from_str_radix(&digits, 16).map_err(|_| {
        D::Error::custom(tr!(
            "`simhash` is {digits}, and not 64 bits in hexadecimal digits",
            digits = format_args!("{digits:?}")
        ))
    })
}

/// Finds the edges of sorted rows, in JSON `{"table":0,"simhash":"cee730181f492a0a","pos":3}`, and returns how many rows there were.
///
/// # Errors
/// [`Error::Unmeasurable`](crate::Error::Unmeasurable) for a row that cannot be read or comes out of order,
/// [`Error::Io`](crate::Error::Io) if reading fails or columns are missing, and the errors of `each`.
pub(crate) fn edges(
    rows: JobRows,
    tables: Tables,
    max_distance: u32,
    mut each: impl FnMut(Edge) -> Result<()>,
) -> Result<u64> {
    let (mut edges, mut count) = (Edges::new(tables, max_distance), 0);
    let mut failed = Ok(());
    let mut take = |failed: &mut Result<()>, edge| {
        if failed.is_ok() {
            *failed = each(edge);
        }
    };
    rows.each(|row: TableEntry| {
        count += 1;
        checked(row.pos.0)?;
        edges.push(row, &mut |edge| take(&mut failed, edge))?;
        Ok(mem::replace(&mut failed, Ok(()))?)
    })?;
    edges.finish(&mut |edge| take(&mut failed, edge));
    failed.map(|()| count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix::GOLDEN;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// All rows in the required order.
    fn sorted(tables: &Tables, simhashes: &[u64]) -> Vec<TableEntry> {
        let row = |table| {
            simhashes.iter().zip(0..).map(move |(simhash, pos)| TableEntry { table, simhash: *simhash, pos: Pos(pos) })
        };
        let mut rows: Vec<TableEntry> = (0..tables.masks().len()).flat_map(row).collect();
        rows.sort_by_key(|row| (row.table, row.simhash & tables.masks()[row.table]));
        rows
    }

    fn found(expected: u64, max_distance: u32, simhashes: &[u64]) -> Vec<(u64, u64, u32)> {
        let tables = Tables::choose(max_distance, expected);
        let (mut edges, mut found) = (Edges::new(tables.clone(), max_distance), Vec::new());
        let mut each = |Edge { a, b, by, .. }| match by {
            Some(Likeness::Distance(distance)) => found.push((a.0, b.0, distance)),
            _ => panic!("fingerprints have distances"),
        };
        for row in sorted(&tables, simhashes) {
            edges.push(row, &mut each).unwrap();
        }
        edges.finish(&mut each);
        found.sort_unstable();
        found
    }

    /// The same pairs, found by comparing all.
    fn slowly(max_distance: u32, simhashes: &[u64]) -> Vec<(u64, u64, u32)> {
        let mut pairs = Vec::new();
        for (b, y) in simhashes.iter().enumerate() {
            let near = simhashes[..b].iter().enumerate().filter(|(_, x)| (*x ^ y).count_ones() <= max_distance);
            pairs.extend(near.map(|(a, x)| (a as u64, b as u64, (x ^ y).count_ones())));
        }
        pairs.sort_unstable();
        pairs
    }

    proptest! {
        #[test]
        fn every_pair_once(
            seeds in prop::collection::vec((0u64..8, prop::collection::vec(0u32..64, 0..6)), 0..60),
            max_distance in 0u32..=8,
            expected in prop_oneof![Just(10u64), Just(100_000_000), Just(100_000_000_000)],
        ) {
            let simhash = |(seed, flips): &(u64, Vec<u32>)| {
                flips.iter().fold(seed.wrapping_mul(GOLDEN), |simhash, bit| simhash ^ 1 << bit)
            };
            let simhashes: Vec<u64> = seeds.iter().map(simhash).collect();
            prop_assert_eq!(found(expected, max_distance, &simhashes), slowly(max_distance, &simhashes));
        }
    }

    #[test]
    fn hot_buckets_lose_nothing() {
        // All in one bucket of table 0, whose key is the lowest bits, with many of them near each other.
        let hot = |i: u64| (i / 3).wrapping_mul(GOLDEN) << 32 ^ (1 << (40 + i % 3));
        let simhashes: Vec<u64> = (0..HOT as u64 + 300).map(hot).collect();
        let pairs = slowly(4, &simhashes);
        assert!(pairs.len() >= HOT);
        for expected in [1, 100_000] {
            assert_eq!(found(expected, 4, &simhashes), pairs);
        }
        // And all equal in more bits than tables distinguish, down to the deepest level.
        let close: BTreeSet<u64> = (0..HOT as u64 + 300).map(|i| (i << 51) | (i % 2)).collect();
        let close: Vec<u64> = close.into_iter().collect();
        assert_eq!(found(1 << 40, 1, &close), slowly(1, &close));
    }

    #[test]
    fn rows_out_of_order_are_refused() {
        let tables = Tables::choose(4, 100_000);
        let mut rows = sorted(&tables, &[1, u64::MAX, 3 << 20]);
        rows.swap(0, 2);
        let mut edges = Edges::new(tables, 4);
        let told = rows.into_iter().find_map(|row| edges.push(row, &mut |_| {}).err()).unwrap();
        assert!(told.starts_with("rows are not sorted: table 0"), "{told}");
        let told = edges.push(TableEntry { table: 99, simhash: 0, pos: Pos(0) }, &mut |_| {}).unwrap_err();
        assert!(told.contains("no table 99, only 5"), "{told}");
    }
}
