//! The option for the encoding of inputs.

use quchong::formats::encoding::Encoding;
use quchong::formats::source::Source;

/// Which encoding inputs are in.
#[derive(clap::Args)]
pub struct EncodingArgs {
    /// Encoding of the input: auto, utf-8, gb18030, big5, utf-16, utf-16le, utf-16be, windows-1251, koi8-r, ibm866, or another
    /// label of the WHATWG Encoding Standard. A byte-order mark goes first. auto takes each input for UTF-8 until its lines show
    /// otherwise, and then goes by 4 KiB of it; UTF-16 without a mark is known by the zeros of its first line, if it has some
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Input")]
    encoding: String,
}

impl EncodingArgs {
    /// The name as it was given.
    pub fn name(&self) -> &str {
        &self.encoding
    }

    /// `source` in the encoding that was named; `tell` hears, in words, what was found out.
    ///
    /// # Errors
    /// The name is unknown.
    pub fn apply(&self, source: Source, tell: impl Fn(&str) + Send + 'static) -> anyhow::Result<Source> {
        let encoding = Encoding::parse(&self.encoding)?;
        Ok(source.encoded(encoding, move |input, found| {
            tell(&match encoding {
                Some(named) => format!("{input}: read as {found}, not {named}, going by its byte-order mark"),
                None => format!("{input}: read as {found}, going by its bytes (--encoding names another)"),
            });
        }))
    }
}
