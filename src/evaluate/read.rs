//! Reads the records of an evaluation: labelled pairs or messages.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use super::sample::{Group, Pair};
use super::{Dataset, Experiment, Truth};
use crate::error::{Error, Result};
use crate::formats::lines::{Location, each_file, each_line};
use crate::formats::parse::{FieldPath, Further, Parser, plain, shortened, without_line};
use crate::formats::source::{Layout, Source};
use crate::locale::tr;

/// Makes the error for a record that cannot be read. A measurement of a part of the input would pass for one of all of it.
fn unread(place: &Location<'_>, reason: impl std::fmt::Display) -> Error {
    place.error(tr!("{reason}; all records are measured or none: correct this one, or leave it out", reason))
}

/// Returns the string in a field of a pair.
fn string(place: &Location<'_>, record: &Map<String, Value>, field: &str) -> Result<String> {
    match record.get(field) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(unread(place, tr!("field `{field}` is not a string", field))),
        None => Err(unread(place, tr!("no field `{field}`", field))),
    }
}

/// Returns the label of a pair: whether B repeats A, or `None` if that is undecided. Spreadsheets and converters write labels as text, as
/// numbers with a point, and as truth values.
fn label(place: &Location<'_>, record: &Map<String, Value>) -> Result<Option<bool>> {
    let value = record.get("label").ok_or_else(|| unread(place, tr!("no field `label`")))?;
    let written = plain(&value.to_string()).unwrap_or_default().trim().to_ascii_lowercase();
    match (&*written, written.parse::<f64>()) {
        ("true", _) => Ok(Some(true)),
        ("false", _) => Ok(Some(false)),
        (_, Ok(1.0)) => Ok(Some(true)),
        (_, Ok(0.0)) => Ok(Some(false)),
        (_, Ok(2.0)) => Ok(None),
        _ => {
            let value = shortened(&value.to_string());
            let reason = tr!(
                "field `label` is {value}; write 1 or true (repeat), 0 or false (no repeat), or 2 (undecided)",
                value
            );
            Err(unread(place, reason))
        }
    }
}

/// Returns the value of a field that pairs are grouped by, if it has one.
fn value(record: &Map<String, Value>, field: &FieldPath, layout: Layout<'_>) -> Option<String> {
    let value = match layout {
        Layout::Table(table) => record.get(table.name_of(field)?),
        Layout::Lines | Layout::Jsonl => {
            let mut keys = field.keys().iter();
            let first = keys.next().and_then(|key| record.get(key));
            keys.fold(first, |value, key| value?.get(key))
        }
    };
    plain(&value?.to_string())
}

/// Labelled pairs: `a`, `b` and a `label` of 1 or true (b repeats a), 0 or false, or 2 (undecided, left out).
pub(super) struct Labelled {
    /// Texts of the pairs, two per pair.
    pub(crate) texts: Vec<String>,
    /// The decided pairs.
    pub(crate) pairs: Vec<Pair>,
    /// The groups of the pairs: by `kind` and `src` if some records have them, and by the requested fields.
    pub(crate) groups: Vec<Group>,
    /// Number of undecided pairs, which were left out.
    pub(crate) undecided: u64,
}

/// The groups of the cases, collected while they are read.
#[derive(Default)]
struct Grouping {
    /// For each field, by its number, and each value of the field: the cases that have the value. The last are the cases without one.
    members: BTreeMap<(usize, bool, String), Vec<usize>>,
}

/// The value that reports give for cases without one.
const NO_VALUE: &str = "–";

impl Grouping {
    /// Adds a case with its value; an empty one is none.
    fn add(&mut self, field: usize, value: Option<String>, case: usize) {
        let value = value.filter(|value| !value.is_empty());
        let key = (field, value.is_none(), value.unwrap_or_else(|| NO_VALUE.to_owned()));
        self.members.entry(key).or_default().push(case);
    }

    /// Returns the groups, field by field, and the groups of each of the `cases` cases. A field that no case has makes no group if it is
    /// one of the first `optional` ones.
    ///
    /// # Errors
    /// [`Error::Config`] for any other field that no case has, and for too many values.
    fn finish(mut self, fields: &[FieldPath], optional: usize, cases: usize) -> Result<(Vec<Group>, Vec<Vec<u16>>)> {
        for (number, field) in fields.iter().enumerate() {
            let mut of_field = self.members.keys().filter(|(of, ..)| *of == number);
            if of_field.next().is_some_and(|(_, is_none, _)| *is_none) {
                if number >= optional {
                    let reason = tr!(
                        "no record has a field `{}` with a string, a number, true or false; name one that is there",
                        field.spelled()
                    );
                    return Err(Error::config("--by", reason));
                }
                self.members.retain(|(of, ..), _| *of != number);
            }
        }
        let (mut groups, mut groups_of) = (Vec::new(), vec![Vec::new(); cases]);
        for (number, ((field, _, value), cases)) in self.members.into_iter().enumerate() {
            let field = fields[field].spelled();
            let group =
                u16::try_from(number).ok().filter(|group| usize::from(*group) < MOST_GROUPS).ok_or_else(|| {
                    Error::config("--by", tr!("`{field}` has more than {MOST_GROUPS} values", field, MOST_GROUPS))
                })?;
            cases.into_iter().for_each(|case| groups_of[case].push(group));
            groups.push(Group { field: field.to_owned(), value });
        }
        Ok((groups, groups_of))
    }
}

/// Most values that cases are grouped by, all fields together. Groups are `u16`; the kinds of edits take numbers, too.
const MOST_GROUPS: usize = 60_000;

/// The fields of a pair.
const PAIR: [&str; 3] = ["a", "b", "label"];

/// Why a record is no labelled pair, though nobody said that it is another truth: the fields that it lacks.
fn no_pair(record: &Map<String, Value>) -> Option<String> {
    let missing: Vec<String> =
        PAIR.iter().filter(|field| !record.contains_key(**field)).map(|field| format!("`{field}`")).collect();
    let has_text = record.contains_key("a") || record.contains_key("b");
    (!missing.is_empty()).then(|| match has_text {
        true => tr!("no field {}; a pair has `a`, the earlier text, `b`, the later one, and `label`, which is 1 if B repeats A, 0 if not", missing.join(", ")),
        false => tr!("no pair with the fields `a`, `b` and `label`; give the fields these names, or say where the truth is: --truth cluster:FIELD, indel:0.8 or edits"),
    })
}

/// Reads the record in a line: an object of JSON, or a row of a table, whose values are strings.
fn pair(place: &Location<'_>, line: &[u8], layout: Layout<'_>) -> Result<Map<String, Value>> {
    match layout {
        Layout::Table(table) => {
            table.check_pairs(&PAIR).map_err(|reason| Error::invalid(place.file, reason))?;
            let row = str::from_utf8(line).map_err(|_| unread(place, tr!("not UTF-8; --encoding names another encoding")))?;
            table.record(row).map_err(|fault| unread(place, fault.reason))
        }
        Layout::Jsonl => serde_json::from_slice(line).map_err(|error| {
            let error = without_line(&error);
            let reason = tr!(
                "not a JSON object: {error}; write one a line, with straight quotes: {{\"a\":\"…\",\"b\":\"…\",\"label\":1}}",
                error
            );
            unread(place, reason)
        }),
        Layout::Lines => Err(place.error(tr!(
            "neither JSON nor a table; write a JSON object a line, {\"a\":\"…\",\"b\":\"…\",\"label\":1}, or give a table with the columns a, b and label a name that ends in .csv or .tsv"
        ))),
    }
}

/// Reads labelled pairs. `guess` says that the user did not declare the records to be pairs, so the first one is checked.
pub(super) fn labelled(source: Source, by: &[FieldPath], guess: bool) -> Result<Labelled> {
    let optional = ["kind", "src"].into_iter().filter(|field| by.iter().all(|by| by.spelled() != *field));
    let optional = optional.map(|field| FieldPath::parse("--by", field)).collect::<Result<Vec<_>>>()?;
    let fields = [&optional[..], by].concat();
    let mut grouping = Grouping::default();
    let mut found = Labelled { texts: Vec::new(), pairs: Vec::new(), groups: Vec::new(), undecided: 0 };
    each_line(source, |place, line, layout| {
        let record = pair(place, line?, layout)?;
        // Spreadsheets write such rows below their cells.
        if matches!(layout, Layout::Table(_)) && record.values().all(|value| *value == "") {
            return Ok(true);
        }
        if let Some(reason) = Some(&record).filter(|_| guess && found.texts.is_empty()).and_then(no_pair) {
            return Err(place.error(reason));
        }
        let (a, b) = (string(place, &record, "a")?, string(place, &record, "b")?);
        let Some(is_repeat) = label(place, &record)? else {
            found.undecided += 1;
            return Ok(true);
        };
        for (number, field) in fields.iter().enumerate() {
            grouping.add(number, value(&record, field, layout), found.pairs.len());
        }
        let a_at = found.texts.len();
        found.texts.extend([a, b]);
        found.pairs.push(Pair { a: a_at, b: a_at + 1, is_repeat, groups: Vec::new() });
        Ok(true)
    })?;
    let (groups, groups_of) = grouping.finish(&fields, optional.len(), found.pairs.len())?;
    found.pairs.iter_mut().zip(groups_of).for_each(|(pair, groups)| pair.groups = groups);
    Ok(Labelled { groups, ..found })
}

/// Messages, and the number of the cluster of each if a cluster field was named.
pub(super) struct Messages {
    /// The messages, in order.
    pub(crate) texts: Vec<String>,
    /// Their clusters, numbered by first appearance.
    pub(crate) clusters: Vec<u32>,
    /// The groups of the messages.
    pub(crate) groups: Vec<Group>,
    /// The groups of each message; empty if the messages are not grouped.
    pub(crate) groups_of: Vec<Vec<u16>>,
}

/// Returns at most `most` messages of the input, and the input's name. It is an error if there is no message.
pub(super) fn messages(input: Dataset, options: &Experiment, most: usize) -> Result<(Messages, String)> {
    let name = input.name.clone();
    let found = any_messages(input, options, most)?;
    if found.texts.is_empty() {
        return Err(Error::unmeasurable(name, tr!("there is no message in it; name a file that has some")));
    }
    Ok((found, name))
}

/// Reads the messages. A record that lacks a field ends the run: results for a part of the input would pass for results for all of it.
fn any_messages(input: Dataset, options: &Experiment, most: usize) -> Result<Messages> {
    let Dataset { source, field, further_fields, .. } = input;
    let cluster = if let Truth::Cluster(field) = &options.truth { Some(field) } else { None };
    // A parser returns the text and one further value, such as a cluster or a group.
    let parser = |value: Option<&FieldPath>| Parser {
        field: field.clone(),
        id_field: field.clone(),
        time_field: None,
        seq_field: None,
        further: Further { also: further_fields.clone(), value: value.cloned(), ..Further::default() },
    };
    let by = options.by.iter().map(|field| parser(Some(field))).collect::<Vec<_>>();
    let own = parser(cluster);
    let (mut numbers, mut grouping) = (HashMap::new(), Grouping::default());
    let (mut texts, mut clusters) = (Vec::new(), Vec::new());
    if options.whole_files {
        each_file(source, |_, text| {
            texts.push(text.to_owned());
            Ok(texts.len() < most)
        })?;
        return Ok(Messages { texts, clusters, groups: Vec::new(), groups_of: Vec::new() });
    }
    each_line(source, |place, line, format| {
        place.has_layout(format, options.reading.reflow)?;
        let line = line?;
        let Some(parsed) = own.parse(line, format).map_err(|fault| unread(place, fault.reason))? else {
            return Ok(true);
        };
        if let Some(cluster) = cluster {
            let value = parsed.value.as_deref().and_then(plain).filter(|value| !value.is_empty()).ok_or_else(|| {
                place.error(tr!(
                    "no field `{}` with a string, a number, true or false; --truth cluster:FIELD names it",
                    cluster.spelled()
                ))
            })?;
            let next = numbers.len() as u32;
            clusters.push(*numbers.entry(value).or_insert(next));
        }
        for (number, by) in by.iter().enumerate() {
            let parsed = by.parse(line, format).map_err(|fault| place.error(fault.reason))?;
            let value = parsed.and_then(|parsed| plain(parsed.value.as_deref()?));
            grouping.add(number, value, texts.len());
        }
        texts.push(parsed.text.into_owned());
        Ok(texts.len() < most)
    })?;
    let (groups, groups_of) = grouping.finish(&options.by, 0, texts.len())?;
    let groups_of = if groups.is_empty() { Vec::new() } else { groups_of };
    Ok(Messages { texts, clusters, groups, groups_of })
}
