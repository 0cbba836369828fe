//! The option for the encoding of inputs, and the encoding of an output that is continued.

use super::files::Target;
use crate::formats::encoding::Encoding;
use crate::formats::lines::MAX_LINE;
use crate::formats::source::{Format, Input, Source};
use crate::locale::tr;

/// The encoding of the inputs.
#[derive(clap::Args)]
pub(crate) struct EncodingArgs {
    #[arg(long)]
    encoding: String,
}

impl EncodingArgs {
    /// The name as it was given.
    pub(crate) fn name(&self) -> &str {
        &self.encoding
    }

    /// Makes `source` read the named encoding. `tell` is called with a message if an input turns out to be in another one.
    ///
    /// # Errors
    /// The name is unknown.
    pub(crate) fn apply(&self, source: Source, tell: impl Fn(&str) + Send + 'static) -> anyhow::Result<Source> {
        let encoding = Encoding::parse(&self.encoding)?;
        Ok(source.encoded(encoding, move |input, found| {
            tell(&match encoding {
                Some(named) => {
                    tr!("{input}: read as {found}, not {named}, going by its byte-order mark", input, found, named)
                }
                None => tr!("{input}: read as {found}, going by its bytes (--encoding names another)", input, found),
            });
        }))
    }
}

impl Target {
    /// The encoding that the beginning of the file shows, if it does.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn encoding(&self) -> crate::Result<Option<Encoding>> {
        if !self.is_file() {
            return Ok(None);
        }
        Source::new(vec![Input::File(self.name.clone().into())], Format::Lines, MAX_LINE)?.first_encoding()
    }
}
