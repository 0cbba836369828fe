//! The pool: all pairs that any of the methods finds, which of them are true, and which methods found them.

use std::io::Write;

use serde::Serialize;

use super::Experiment;
use super::agreement::Mask;
use super::finds::{MethodFinds, PairRow};
use super::sample::{Pairs, Sample};
use super::wrong::Wrong;
use crate::error::{Error, Result};
use crate::locale::tr;
use crate::report::table::Table;

/// The pairs that the methods of a report find (Zelenkov & Segalovich 2007: 17.47 million, of which 68 % were true).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Pool {
    /// Pairs that any of them finds.
    pub candidates: u64,
    /// Number of these pairs that are true.
    pub verified: u64,
    /// True pairs, found or not.
    pub repeats: u64,
    /// The contribution of each method.
    pub methods: Vec<Share>,
}

/// The contribution of a method to the pool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Share {
    /// Its name.
    pub method: &'static str,
    /// Pairs that it finds.
    pub found: u64,
    /// Number of these that no other method of the report finds.
    pub alone: u64,
    /// Number of pairs that only this method finds and that are true.
    pub alone_verified: u64,
}

/// Calls `each` for every pair that is true or that a method finds, in order. The mask names the methods.
fn each(
    finds: &[&MethodFinds],
    sample: &Sample,
    mut each: impl FnMut(usize, u32, Mask, bool) -> Result<()>,
) -> Result<()> {
    let Pairs::All(repeats) = &sample.pairs else { return Ok(()) };
    let (mut row, mut entries) = (PairRow::default(), Vec::new());
    for (a, repeats) in repeats.iter().enumerate() {
        row.read(finds, a, sample.texts.len(), repeats);
        entries.clear();
        entries.extend(row.entries());
        entries.sort_unstable();
        entries.iter().try_for_each(|(b, mask, is_repeat)| each(a, *b, *mask, *is_repeat))?;
    }
    Ok(())
}

/// Collects the pairs that each method misjudges.
pub(super) fn wrong(finds: &[&MethodFinds], sample: &Sample, options: &Experiment) -> Result<Vec<Wrong>> {
    let mut found: Vec<Wrong> = finds.iter().map(|_| Wrong::new(options.misjudged)).collect();
    let mut add = |mask: Mask, is_repeat: bool, (a, b): (usize, usize), groups: &[u16]| {
        if sample.band(a, b, options).is_none() {
            return;
        }
        for (number, wrong) in found.iter_mut().enumerate() {
            if (mask >> number & 1 == 1) != is_repeat {
                wrong.add(is_repeat, sample.reported_group(groups, options), (a, b));
            }
        }
    };
    match &sample.pairs {
        Pairs::Listed(pairs) => pairs.iter().for_each(|pair| {
            let mask =
                finds.iter().enumerate().map(|(number, find)| Mask::from(find.calls(pair.a, pair.b)) << number).sum();
            add(mask, pair.is_repeat, (pair.a, pair.b), &pair.groups);
        }),
        Pairs::All(_) => each(finds, sample, |a, b, mask, is_repeat| {
            add(mask, is_repeat, (a, b as usize), sample.groups_of(b as usize));
            Ok(())
        })?,
    }
    Ok(found)
}

impl Pool {
    /// Returns the pool of a sample, or `None` if not all of its pairs are judged.
    pub(super) fn of(finds: &[&MethodFinds], sample: &Sample) -> Option<Self> {
        matches!(sample.pairs, Pairs::All(_)).then_some(())?;
        let share = |find: &&MethodFinds| Share { method: find.method.id, found: 0, alone: 0, alone_verified: 0 };
        let mut pool = Self { methods: finds.iter().map(share).collect(), ..Self::default() };
        let counted = each(finds, sample, |_, _, mask, is_repeat| {
            pool.repeats += u64::from(is_repeat);
            pool.candidates += u64::from(mask != 0);
            pool.verified += u64::from(mask != 0 && is_repeat);
            let alone = mask.is_power_of_two();
            for (at, share) in pool.methods.iter_mut().enumerate().filter(|(at, _)| mask >> at & 1 == 1) {
                debug_assert!(at < Mask::BITS as usize);
                share.found += 1;
                share.alone += u64::from(alone);
                share.alone_verified += u64::from(alone && is_repeat);
            }
            Ok(())
        });
        counted.ok().map(|()| pool)
    }

    /// Returns the pool as a table.
    pub(super) fn table(&self) -> Table {
        let part = |part: u64, of: u64| match of {
            0 => "–".to_owned(),
            _ => format!("{:.1} %", 100.0 * part as f64 / of as f64),
        };
        let row = |name: &str, found: u64, alone: u64, verified: u64| {
            let cells = [name.to_owned(), found.to_string(), part(found, self.candidates), alone.to_string()];
            (cells.into_iter().chain([verified.to_string(), part(verified, self.repeats)]).collect(), false)
        };
        let mut rows = vec![(
            vec![
                tr!("all together"),
                self.candidates.to_string(),
                part(self.candidates, self.candidates),
                "–".to_owned(),
                self.verified.to_string(),
                part(self.verified, self.repeats),
            ],
            true,
        )];
        rows.extend(self.methods.iter().map(|share| row(share.method, share.found, share.alone, share.alone_verified)));
        let [method, found, part] = [tr!("method"), tr!("pairs found"), tr!("of the pool")];
        let [alone, verified, part_verified] = [tr!("by no other"), tr!("of these true"), tr!("of all true pairs")];
        Table {
            title: tr!("Pool"),
            words: tr!(
                "The pairs that any of these methods finds; of all together the true ones, and the joint recall."
            ),
            head: vec![method, found, part, alone, verified, part_verified],
            rows,
        }
    }
}

/// Writes a line of JSON for each pair that is true or that a method finds. Messages are given by their number among those read.
///
/// # Errors
/// [`Error::Config`] if not all pairs are judged or no method is measured; errors of writing.
pub(super) fn write(finds: &[&MethodFinds], sample: &Sample, out: &mut dyn Write) -> Result<()> {
    if !matches!(sample.pairs, Pairs::All(_)) || finds.is_empty() {
        let reason =
            tr!("needs methods (--engine catalogue) and a truth of all pairs (--truth indel, levenshtein or pooled)");
        return Err(Error::config("--pairs", reason));
    }
    let failed = |error| Error::io("--pairs".to_owned(), error);
    each(finds, sample, |a, b, mask, is_repeat| {
        let by = finds.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1);
        let by: Vec<String> = by.map(|(_, find)| format!("\"{}\"", find.method.id)).collect();
        let (a, b) = (sample.number(a), sample.number(b as usize));
        writeln!(out, "{{\"a\":{a},\"b\":{b},\"true\":{is_repeat},\"methods\":[{}]}}", by.join(",")).map_err(failed)
    })?;
    out.flush().map_err(failed)
}
