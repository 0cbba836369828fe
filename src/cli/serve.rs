//! `quchong serve`: a service that answers messages over HTTP.

use std::env::VarError;
use std::fs;
use std::io;
#[cfg(unix)]
use std::os::unix::{fs::FileTypeExt, net::UnixListener, net::UnixStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use crate::config::settings::{ID_FIELD, TIME_FIELD};
use crate::config::units::{count, duration, is_too_large, size};
use crate::config::{Config, Span};
use crate::file::file_id;
use crate::fingerprint::seeded;
use crate::formats::parse::{FieldPath, Further, Parser};
use crate::report::grouped;
use crate::run::service::{GRACE, Limits, Listener, Service, bind, open, serve};
use crate::run::stop::Signals;
use crate::store::Sync;
use anyhow::{Context, anyhow, ensure};
use tracing::{info, warn};

use super::console::ConsoleObserver;
use super::files::refuse_inside;
use super::input::{checked, fields};
use super::log::LogFormat;
use super::screen::ShowProgress;
use super::settings::{ColorArgs, Given, KeepArgs, ReachArgs, ScopeArgs, words};
use super::warn_user;
use super::work::WorkArgs;
use crate::locale::tr;

/// Answer messages over HTTP, from many clients in one order; an answer means that the message is remembered
///
/// POST /v1/messages takes messages as JSONL, `{"id":7,"text":"…"}`, and answers each with a line, in their order: the verdicts of
/// `quchong dedup --output annotated`. A message that is sent again under its id gets the same answer again, also after a crash.
/// GET /metrics is for Prometheus, GET /healthz says whether the service answers.
#[derive(clap::Args)]
#[command(override_usage = "quchong serve [OPTIONS] --state <DIR>")]
#[command(mut_arg("keep", |keep| keep.long_help(KEEP)))]
#[command(mut_arg("time-field", |field| field.help(TIMES).long_help(TIMES)))]
#[command(after_help = "\
Examples:
  quchong serve --state seen
  quchong serve --state seen --window 7d --listen unix:/run/quchong/socket
  curl --data-binary @posts.jsonl http://127.0.0.1:7878/v1/messages

Exit codes: 2 failure; 129, 130 and 143 stopped by SIGHUP, SIGINT and SIGTERM; what was not answered is to be sent again.")]
pub(crate) struct Args {
    #[command(flatten)]
    given: Given,

    /// Where clients come in: HOST:PORT, :PORT on loopback, or unix:FILE; several with commas. Port 0 is any that is free
    #[arg(
        long,
        value_name = "ADDR",
        value_delimiter = ',',
        default_value = "127.0.0.1:7878",
        help_heading = "Service"
    )]
    listen: Vec<String>,

    /// File with the token that clients must send, as `Authorization: Bearer TOKEN`; without it the token is that of QUCHONG_TOKEN, if
    /// that is set. Beyond loopback there must be one
    #[arg(long, value_name = "FILE", help_heading = "Service")]
    token_file: Option<PathBuf>,

    /// Remember the answers to the last N ids. Each id takes 110 bytes of memory, and the id of a repeat about 70 more
    #[arg(long, value_name = "N", value_parser = ids, default_value = "1M", help_heading = "Service")]
    remember_ids: u64,

    /// Longest request body. All request bodies and answers in progress may take eight times as much; a request beyond that is refused
    /// with 503
    #[arg(long, value_name = "SIZE", value_parser = body, default_value = "8MiB", help_heading = "Service")]
    max_body: usize,

    /// How long a client may take to send a request, or leave an answer unread, before it is disconnected
    #[arg(long, value_name = "TIME", value_parser = patience, default_value = "30s", help_heading = "Service")]
    patience: Duration,

    /// Where the text is in a message: a name, a dotted path (`user.text`) or a JSON pointer (`/user/text`). Several with commas
    /// (`title,text`) are one text, in this order
    ///
    /// The parts are joined by a line end, which counts as a space. A part that is null is left out, and a part that is missing is an
    /// error. A JSON pointer can name a field with a comma in its name.
    #[arg(long, value_name = "PATH[,PATH…]", default_value = "text", help_heading = "Input")]
    field: String,

    /// Field with the id; every message must have one
    #[arg(long, value_name = "PATH", default_value = ID_FIELD, help_heading = "Input")]
    id_field: String,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    keep: KeepArgs,

    #[arg(long)]
    quiet: bool,

    #[command(flatten)]
    color: ColorArgs,

    #[arg(long)]
    state: Option<PathBuf>,

    #[arg(long, value_parser = words("sync", &Sync::NAMED))]
    sync: Sync,

    #[command(flatten)]
    reach: ReachArgs,

    #[command(flatten)]
    work: WorkArgs<()>,
}

/// The help of `--keep`, without the archives that only `quchong dedup` has.
const KEEP: &str = "Keep the first N messages of a cluster: the first message, and the first N-1 that repeat it. The answer to a \
    repeat says which copy it is: {\"id\":8,\"verdict\":\"kept\",\"of\":7,\"copy\":2}, or \"copy\":4 of one that is dropped. To act \
    from the 5th copy on, keep 4. A --state must have been made with this option. Takes at most 60 bytes for each repeated message [default: 1]";

/// The help of `--time-field`, without the outputs that only `quchong dedup` has.
const TIMES: &str = "Field with the message's time, for `--window TIME`: RFC 3339, 2026/11/22 8:00 or 2026年11月22日 8:00, seconds, milliseconds or \
    microseconds since 1970, RFC 2822 as in RSS, or Weibo's own \
    format. A time without an offset is UTC [default: created_at]";

/// The environment variable with the token.
const TOKEN: &str = "QUCHONG_TOKEN";

/// Reads a number of ids, at least 1.
fn ids(text: &str) -> Result<u64, String> {
    match count(text)? {
        0 => Err(tr!("no message could be answered again; write a number from 1 on")),
        ids => Ok(ids),
    }
}

/// Reads the greatest length of a body.
fn body(text: &str) -> Result<usize, String> {
    match size(text) {
        Ok(bytes @ 1024..=0x4000_0000) => Ok(bytes as usize),
        Err(reason) if !is_too_large(text) => Err(reason),
        _ => Err(tr!("write a size from 1KiB to 1GiB")),
    }
}

/// Reads the time that clients have.
fn patience(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        0 => Err(tr!("nobody could send anything; write a time from 1ms on")),
        time => Ok(Duration::from_millis(time)),
    }
}

/// Which file has this name, if links are not followed; `None` if there is none.
fn file_identity(file: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(file).ok().map(|about| file_id(&about).unwrap_or_default())
}

/// The most clients at a time.
const CLIENTS: usize = 1024;
/// How many files are open besides those of clients: the state, the listeners, and outputs.
#[cfg(target_os = "linux")]
const SPARE: u64 = 64;

/// How many clients there is room for. First raises the limit of open files as far as the system allows.
fn clients() -> usize {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let maximum = getrlimit(Resource::Nofile).maximum;
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        usize::try_from(files.saturating_sub(SPARE)).unwrap_or(CLIENTS).clamp(1, CLIENTS)
    }
    #[cfg(not(target_os = "linux"))]
    CLIENTS
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // First of all, because earlier signals would be missed.
    let signals = Signals::listen(GRACE * 3, |number| {
        warn_user(&tr!("stopped before all that had been sent was answered: the disk, or comparisons, took too long"));
        std::process::exit(128 + number);
    })?;
    let folder =
        args.state.as_ref().context(tr!("--state: there is none; name the folder that keeps what is remembered"))?;
    let mut config = Config { recount: false, remember_ids: true, ..seeded(&args.given.0)? };
    config.validate()?;
    let parser = args.parser(config.window)?;
    let token = args.token()?;
    let mut observer = ConsoleObserver::new(args.quiet, ShowProgress::Never, args.log_format(), &config, None);
    let teller = observer.teller().clone();
    let is_new = !folder.exists();
    // The state is locked before any address is taken, so that a second service over the same state cannot take over the address.
    let durable = open(&mut config, folder, args.sync, args.given.0.get("seed").is_none())?;
    durable.damage().iter().for_each(|damage| warn_user(damage));
    let endpoints =
        refuse_sockets_inside(folder, &args.listen).and_then(|()| Endpoint::open_all(&args.listen, token.is_some()));
    let endpoints = endpoints.inspect_err(|_| {
        // A service that cannot begin leaves no new folder.
        if is_new {
            let _ = fs::remove_dir_all(folder);
        }
    })?;
    let mut listeners = Vec::new();
    let mut files = Vec::new();
    for Endpoint { listener, name, file } in endpoints {
        teller.tell(|| info!(address = %name, "{}", tr!("answering at {name}", name)));
        listeners.push(listener);
        files.extend(file.map(|file| (file_identity(&file), file)));
    }
    let limits = Limits { body: args.max_body, clients: clients(), patience: args.patience, token };
    let threads = args.work.threads();
    let service =
        Service { durable, parser, answers: args.remember_ids, limits, listeners, threads, observer: &mut observer };
    let (totals, [again, conflicts], end) = serve(&config, service, signals.first());
    for (own, file) in files {
        // Nobody answers at this file any longer. But the next service may already have put its own file there.
        if file_identity(&file) == own {
            let _ = fs::remove_file(file);
        }
    }
    observer.finish(&totals);
    if again > 0 {
        teller.tell(|| info!(again, "{}", tr!("answered again, as before: {}", grouped(again))));
    }
    if conflicts > 0 {
        let message = tr!("not judged, because their ids came before with other texts: {}", grouped(conflicts));
        teller.tell(|| warn!(conflicts, "{message}"));
    }
    end?;
    Ok(ExitCode::from(128 + u8::try_from(signals.number()).unwrap_or(0)))
}

impl Args {
    /// Whether only errors are reported.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// How events are written.
    pub(crate) fn log_format(&self) -> LogFormat {
        self.work.log_format
    }

    fn parser(&self, window: Option<Span>) -> anyhow::Result<Parser> {
        let (field, also) = fields(&self.field)?;
        let id_field = FieldPath::parse("--id-field", &self.id_field)?;
        let timed = matches!(window, Some(Span::Time { .. }));
        let time_field = self.given.0.get("time-field").unwrap_or(TIME_FIELD);
        let time_field = timed.then(|| FieldPath::parse("--time-field", time_field)).transpose()?;
        let further = Further { value: None, scope: self.given.scope()?, also };
        checked(Parser { field, id_field, time_field, seq_field: None, further })
    }

    /// The token that clients must send, if there is one.
    fn token(&self) -> anyhow::Result<Option<String>> {
        let (name, token) = match &self.token_file {
            Some(file) => {
                let name = format!("--token-file {}", file.display());
                let text = fs::read_to_string(file).map_err(|error| match error.kind() {
                    io::ErrorKind::NotFound => anyhow!(tr!("there is no such file; name one that is there")),
                    _ => error.into(),
                });
                let text = text.with_context(|| name.clone())?;
                (name, text)
            }
            None => match std::env::var(TOKEN) {
                // As with all variables, an empty one counts as not set.
                Ok(token) if token.is_empty() => return Ok(None),
                Ok(token) => (TOKEN.to_owned(), token),
                Err(VarError::NotPresent) => return Ok(None),
                Err(VarError::NotUnicode(_)) => (TOKEN.to_owned(), String::new()),
            },
        };
        let token = token.trim();
        let is_one = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
        ensure!(is_one, tr!("{name}: a token is a word of visible ASCII characters; write such a one", name));
        Ok(Some(token.to_owned()))
    }
}

/// Refuses sockets in the folder of the state.
fn refuse_sockets_inside(folder: &Path, addresses: &[String]) -> anyhow::Result<()> {
    let files = addresses.iter().filter_map(|address| address.strip_prefix("unix:"));
    // The folder of the state is there, so that what is written in it is found.
    files
        .map(|file| Some(PathBuf::from(file)))
        .try_for_each(|file| refuse_inside("--state", folder, false, &[("--listen", &file)]))
}

/// An address at which clients connect.
struct Endpoint {
    listener: Listener,
    /// The address as clients write it.
    name: String,
    /// The file of a socket, which is deleted at the end.
    file: Option<PathBuf>,
}

impl Endpoint {
    /// Opens all endpoints, or none if one fails.
    fn open_all(addresses: &[String], has_token: bool) -> anyhow::Result<Vec<Self>> {
        let mut endpoints: Vec<Self> = Vec::new();
        for address in addresses {
            match Self::open(address, has_token) {
                Ok(endpoint) => endpoints.push(endpoint),
                Err(error) => {
                    endpoints
                        .iter()
                        .filter_map(|endpoint| endpoint.file.as_ref())
                        .for_each(|file| drop(fs::remove_file(file)));
                    return Err(error);
                }
            }
        }
        Ok(endpoints)
    }

    /// Opens the endpoint at an address. An address beyond loopback needs a token.
    fn open(address: &str, has_token: bool) -> anyhow::Result<Self> {
        let failed = |error: io::Error| {
            anyhow!(tr!(
                "--listen {address}: {error}; name another address (port 0 is any that is free)",
                address,
                error
            ))
        };
        if let Some(file) = address.strip_prefix("unix:") {
            ensure!(
                !file.is_empty(),
                tr!("--listen {address}: write HOST:PORT, :PORT for loopback, or unix:FILE", address)
            );
            let is_other = fs::symlink_metadata(file).is_ok_and(|about| about.is_file() || about.is_dir());
            ensure!(!is_other, tr!("--listen {address}: something else is there; name a file that is not", address));
            let has_folder = Path::new(file).parent().is_none_or(|folder| folder == Path::new("") || folder.is_dir());
            ensure!(
                has_folder,
                tr!("--listen {address}: its folder is not there; make it, or name another file", address)
            );
            return Self::at_file(Path::new(file))
                .map_err(|error| anyhow!(tr!("--listen {address}: {error}; name another file", address, error)));
        }
        let port = address.rsplit_once(':').map_or("", |(_, port)| port);
        let is_one = port.parse::<u16>().is_ok();
        ensure!(
            is_one || port.is_empty() || !port.bytes().all(|byte| byte.is_ascii_digit()),
            tr!("--listen {address}: a port is a number from 0 to 65535; write such a one", address)
        );
        ensure!(is_one, tr!("--listen {address}: write HOST:PORT, :PORT for loopback, or unix:FILE", address));
        let listener = bind(address).map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        ensure!(
            has_token || bound.ip().is_loopback(),
            tr!(
                "--listen {address}: whoever can reach this address could send messages; give a token by --token-file or {TOKEN}",
                address,
                TOKEN
            )
        );
        Ok(Self { listener: Listener::Tcp(listener), name: format!("http://{bound}/v1/messages"), file: None })
    }

    #[cfg(unix)]
    fn at_file(file: &Path) -> io::Result<Self> {
        // The file of a service that was killed is removed: nobody answers there.
        let is_socket = fs::symlink_metadata(file).is_ok_and(|about| about.file_type().is_socket());
        if is_socket && UnixStream::connect(file).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
            fs::remove_file(file)?;
        }
        let listener = Listener::Unix(UnixListener::bind(file)?);
        Ok(Self { listener, name: format!("unix:{}", file.display()), file: Some(file.to_owned()) })
    }

    #[cfg(not(unix))]
    fn at_file(_: &Path) -> io::Result<Self> {
        Err(io::Error::other(tr!("there are no such sockets on this system")))
    }
}
