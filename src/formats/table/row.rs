//! The fields of one row.

/// Iterates over the fields of a row, each with its quotes.
pub(super) struct Fields<'r> {
    pub(crate) delimiter: u8,
    pub(crate) rest: Option<&'r str>,
}

impl<'r> Iterator for Fields<'r> {
    type Item = &'r str;

    fn next(&mut self) -> Option<&'r str> {
        let row = self.rest?;
        let quoted = row.strip_prefix('"').map_or(0, |quoted| 1 + end_of_quotes(quoted).unwrap_or(quoted.len()));
        let end = memchr::memchr(self.delimiter, &row.as_bytes()[quoted..]).map(|end| quoted + end);
        self.rest = end.map(|end| &row[end + 1..]);
        Some(&row[..end.unwrap_or(row.len())])
    }
}

/// The offset after the quote that ends a field, which is the first one not doubled; `None` if no quote ends the field.
pub(super) fn end_of_quotes(quoted: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        from += memchr::memchr(b'"', &quoted.as_bytes()[from..])? + 1;
        if quoted.as_bytes().get(from) != Some(&b'"') {
            return Some(from);
        }
        from += 1;
    }
}

/// Counts the fields of a line. Returns the count as an `Err` if the line is no whole row because the quotes of its last field are
/// not closed.
pub(super) fn count_fields(delimiter: u8, line: &str) -> Result<usize, usize> {
    let mut fields = Fields { delimiter, rest: Some(line) };
    let (count, last) = fields.by_ref().fold((0, ""), |(count, _), field| (count + 1, field));
    let is_open = last.strip_prefix('"').is_some_and(|quoted| end_of_quotes(quoted).is_none());
    if is_open { Err(count) } else { Ok(count) }
}
