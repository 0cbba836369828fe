//! Records as measuring needs them.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use super::sample::{Group, Pair};
use super::{Input, Options, Truth};
use crate::error::{Error, Result};
use crate::formats::lines::{Place, each_file, each_line};
use crate::formats::parse::Parser;
use crate::formats::source::Source;

/// The string in a field of a pair.
fn string(place: &Place<'_>, record: &Map<String, Value>, field: &str) -> Result<String> {
    match record.get(field) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(place.error(format!("field `{field}` is not a string"))),
        None => Err(place.error(format!("no field `{field}`"))),
    }
}

/// Labelled pairs: `a`, `b` and a `label` of 1 (b repeats a), 0, or 2 (undecided, left out).
pub(super) struct Labelled {
    /// Texts of the pairs, two for each.
    pub texts: Vec<String>,
    /// The decided pairs.
    pub pairs: Vec<Pair>,
    /// What they are grouped by: `kind` and `src` where pairs have them, and the fields asked for.
    pub groups: Vec<Group>,
    /// Pairs that were left out.
    pub undecided: u64,
}

/// Reads labelled pairs. If `guess`, nobody said that they are.
pub(super) fn labelled(source: Source, by: &[String], guess: bool) -> Result<Labelled> {
    let optional = ["kind", "src"].into_iter().filter(|field| by.iter().all(|by| by != field));
    let fields: Vec<&str> = optional.chain(by.iter().map(String::as_str)).collect();
    let mut members = BTreeMap::<(usize, String), Vec<usize>>::new();
    let mut found = Labelled { texts: Vec::new(), pairs: Vec::new(), groups: Vec::new(), undecided: 0 };
    each_line(source, |place, line, _| {
        let bytes = line?;
        let record: serde_json::Result<Map<String, Value>> = serde_json::from_slice(bytes);
        let is_pair = |record: &Map<String, Value>| ["a", "b", "label"].iter().all(|field| record.contains_key(*field));
        if guess && found.texts.is_empty() && !record.as_ref().is_ok_and(is_pair) {
            return Err(place.error(
                "not a labelled pair with fields `a`, `b` and `label`; say where the truth is: --truth cluster:FIELD, indel:0.8 or edits",
            ));
        }
        let record = record.map_err(|error| {
            place
                .error(format!("not a JSON object: {}", error.to_string().replace(" at line 1 column ", " at column ")))
        })?;
        let (a, b) = (string(place, &record, "a")?, string(place, &record, "b")?);
        let is_repeat = match record.get("label").map(Value::as_u64) {
            Some(Some(0)) => false,
            Some(Some(1)) => true,
            Some(Some(2)) => {
                found.undecided += 1;
                return Ok(true);
            }
            Some(_) => return Err(place.error("field `label` is not 0 (no repeat), 1 (repeat) or 2 (undecided)")),
            None => return Err(place.error("no field `label`")),
        };
        for (number, field) in fields.iter().enumerate() {
            let is_optional = number + by.len() < fields.len();
            match record.get(*field) {
                Some(Value::String(value)) => {
                    members.entry((number, value.clone())).or_default().push(found.pairs.len())
                }
                _ if is_optional => {}
                _ => {
                    string(place, &record, field)?;
                }
            }
        }
        let a_at = found.texts.len();
        found.texts.extend([a, b]);
        found.pairs.push(Pair { a: a_at, b: a_at + 1, is_repeat, groups: Vec::new() });
        Ok(true)
    })?;
    for (number, ((field, value), pairs)) in members.into_iter().enumerate() {
        let group = u16::try_from(number)
            .map_err(|_| Error::config("--by", format!("`{}` has more than 65536 values", fields[field])))?;
        pairs.into_iter().for_each(|pair| found.pairs[pair].groups.push(group));
        found.groups.push(Group { field: fields[field].to_owned(), value });
    }
    Ok(found)
}

/// Messages, and the number of the cluster that each is in, if a field for it was named.
pub(super) struct Messages {
    /// The messages, in order.
    pub texts: Vec<String>,
    /// Their clusters, numbered by first appearance.
    pub clusters: Vec<u32>,
}

/// The messages of the input, at most so many but not none, and the input's name.
pub(super) fn messages(input: Input, options: &Options, most: usize) -> Result<(Messages, String)> {
    let name = input.name.clone();
    let found = any_messages(input, options, most)?;
    if found.texts.is_empty() {
        return Err(Error::config("FILE", format!("{name} holds no message")));
    }
    Ok((found, name))
}

/// A record that lacks something ends the run: findings about a part of the input would pass for findings about all of it.
fn any_messages(input: Input, options: &Options, most: usize) -> Result<Messages> {
    let Input { source, field, .. } = input;
    let cluster = if let Truth::Cluster(field) = &options.truth { Some(field) } else { None };
    // The parser finds two values; what it knows as an id may be any value that tells records apart.
    let parser =
        Parser { field: field.clone(), id_field: cluster.unwrap_or(&field).clone(), time_field: None, seq_field: None };
    let mut numbers = HashMap::new();
    let mut found = Messages { texts: Vec::new(), clusters: Vec::new() };
    if options.whole_files {
        each_file(source, |_, text| {
            found.texts.push(text.to_owned());
            Ok(found.texts.len() < most)
        })?;
        return Ok(found);
    }
    each_line(source, |place, line, format| {
        place.has_layout(format, options.reading.reflow)?;
        let Some(parsed) = parser.parse(line?, format).map_err(|fault| place.error(fault.reason))? else {
            return Ok(true);
        };
        if let Some(cluster) = cluster {
            let Some(value) = parsed.id else {
                let reason = format!(
                    "no field `{}` with a string or a number; --truth cluster:FIELD names it",
                    cluster.spelled()
                );
                return Err(place.error(reason));
            };
            let next = numbers.len() as u32;
            found.clusters.push(*numbers.entry(value.into_owned()).or_insert(next));
        }
        found.texts.push(parsed.text.into_owned());
        Ok(found.texts.len() < most)
    })?;
    Ok(found)
}
