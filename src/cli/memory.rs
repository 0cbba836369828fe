//! The options that bound what is remembered.

use clap::ValueEnum;
use quchong::config::options::Options;
use quchong::config::units::{duration, size, window};
use quchong::config::{OnFull, Span};
use quchong::formats::parse::FieldPath;

/// How far back messages are remembered.
#[derive(clap::Args)]
pub struct MemoryArgs {
    /// How far back a message can repeat another: so many messages (1e6), or so much event time (90s, 30m, 24h, 7d)
    /// [default: as far as the input goes, and memory grows with it]
    #[arg(long, value_name = "N|TIME", value_parser = window, help_heading = "Memory")]
    window: Option<Span>,

    /// JSONL, --window TIME: where a message's time stands; RFC 3339, seconds or milliseconds since 1970, or as Weibo writes it
    /// [default: created_at]. Without such a window, what the lag among the --metrics is told by, and the --report's time
    #[arg(long, value_name = "PATH", help_heading = "Memory")]
    time_field: Option<String>,

    /// --window TIME: how far messages may come behind the latest one and be taken at their own time [default: 0s]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Memory")]
    lateness: Option<u64>,

    /// Bytes that the process may take (1GB, 512MiB); what is remembered is measured. Too little for the options is refused
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Memory")]
    max_memory: Option<u64>,

    /// What happens when --max-memory is not enough [default: expire-oldest]
    #[arg(long, value_enum, requires = "max_memory", help_heading = "Memory")]
    on_full: Option<OnFullArg>,
}

#[derive(Clone, Copy, ValueEnum)]
enum OnFullArg {
    /// The oldest messages are forgotten
    ExpireOldest,
    /// The run ends with exit code 2
    Stop,
}

impl MemoryArgs {
    /// `base` with these options.
    pub fn options(&self, base: Options) -> Options {
        let on_full = |on_full| match on_full {
            OnFullArg::ExpireOldest => OnFull::ExpireOldest,
            OnFullArg::Stop => OnFull::Stop,
        };
        Options {
            window: self.window,
            lateness: self.lateness,
            max_memory: self.max_memory,
            on_full: self.on_full.map(on_full),
            ..base
        }
    }

    /// What a run that goes on with another must have as well.
    pub fn note(&self) -> [(&'static str, String); 1] {
        [("--time-field", self.time_path().to_owned())]
    }

    fn time_path(&self) -> &str {
        self.time_field.as_deref().unwrap_or("created_at")
    }

    /// Where times stand, if the window goes by them, or something `told` does: the lag among the metrics, the
    /// report; or if they are `needed`.
    pub fn time_field(&self, told: bool, needed: bool) -> quchong::Result<Option<FieldPath>> {
        let timed = needed || matches!(self.window, Some(Span::Time { .. })) || told && self.time_field.is_some();
        timed.then(|| FieldPath::parse("--time-field", self.time_path())).transpose()
    }
}
