//! What a header must have, and what is likely wrong with one that lacks it.

use super::Table;
use crate::formats::fields::{FieldPath, listed, shortened};
use crate::locale::tr;

impl Table {
    /// Returns an error message if the header has no such column, since then no row could have it, or if it has two.
    pub(crate) fn check(&self, option: &str, field: &FieldPath) -> Result<(), String> {
        match self.column(field) {
            Some(column) if column < self.names.len() => {
                let again = self.names[column + 1..].iter().position(|name| name == field.spelled());
                again.map_or(Ok(()), |after| {
                    let (first, second) = (column + 1, column + after + 2);
                    Err(tr!(
                        "columns {first} and {second} are both called `{}`; name one by its number, such as {option} {first}",
                        field.spelled(),
                        first,
                        second,
                        option
                    ))
                })
            }
            _ => Err(self.no_column(option, field)),
        }
    }

    /// Why the header is likely not the names of columns, and what to do, if that shows. `wanted` is the name that it lacks.
    fn misread(&self, wanted: &str) -> Option<String> {
        let names = listed(self.names.iter().map(String::as_str));
        match &self.names[..] {
            columns if columns.iter().any(|name| name.contains('\u{fffd}')) => Some(tr!(
                "no column `{name}`, but {names}: the header is not UTF-8; name its --encoding, such as gb18030",
                name = wanted,
                names
            )),
            [first, ..] if first.starts_with('{') => Some(tr!(
                "no column `{name}`: the first line is a JSON object and not a header; add --format jsonl",
                name = wanted
            )),
            [title, others @ ..] if !others.is_empty() && !title.is_empty() && others.iter().all(String::is_empty) => {
                Some(tr!(
                    "no column `{name}`, but {title}: this looks like a title above the header, which must be the first row; cut the rows \
                     above it: tail -n +2 FILE",
                    name = wanted,
                    title = shortened(title)
                ))
            }
            [one] if one.contains('\t') => Some(tr!(
                "no column `{name}`, but {names}: tabs separate its columns, which --format tsv reads",
                name = wanted,
                names
            )),
            [one] if one.contains(';') => Some(tr!(
                "no column `{name}`, but {names}: semicolons separate its columns, and only commas and tabs are read; convert it first",
                name = wanted,
                names
            )),
            _ => None,
        }
    }

    pub(super) fn no_column(&self, option: &str, field: &FieldPath) -> String {
        let name = field.spelled();
        self.misread(name).unwrap_or_else(|| {
            let names = listed(self.names.iter().map(String::as_str));
            if self.names.len() == 1 {
                return tr!(
                    "no column `{name}`, but only {names}; name it by {option}, or if it is a title above the header, cut it: tail -n +2 FILE",
                    name,
                    names,
                    option
                );
            }
            tr!("no column `{name}`, but {names}; {option} takes one of these names, or a number", name, names, option)
        })
    }

    /// Returns an error message if the header lacks one of these columns, which labelled pairs have, or has one twice.
    #[cfg(feature = "lab")]
    pub(crate) fn check_pairs(&self, columns: &[&str]) -> Result<(), String> {
        for name in columns {
            let mut found = self.names.iter().enumerate().filter(|(_, other)| other == name).map(|(at, _)| at + 1);
            match (found.next(), found.next()) {
                (Some(_), None) => {}
                (Some(first), Some(second)) => {
                    return Err(tr!(
                        "columns {first} and {second} are both called `{name}`; rename one of them",
                        name,
                        first,
                        second
                    ));
                }
                (None, _) => {
                    return Err(self.misread(name).unwrap_or_else(|| {
                        let names = listed(self.names.iter().map(String::as_str));
                        tr!(
                            "no column `{name}`, but {names}; the first row of pairs names the columns: `a` has the earlier text, `b` the later one, and `label` is 1 if B repeats A, 0 if not",
                            name,
                            names
                        )
                    }));
                }
            }
        }
        Ok(())
    }

    /// The name of the column with this name, or else with this 1-based number.
    #[cfg(feature = "lab")]
    pub(crate) fn name_of(&self, field: &FieldPath) -> Option<&str> {
        self.names.get(self.column(field)?).map(String::as_str)
    }
}
