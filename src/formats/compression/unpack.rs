//! Reads inputs that may be compressed.

use std::io::{self, Read};

use flate2::{Decompress, FlushDecompress};
use liblzma::stream::{Action, Stream};
use zstd::stream::raw::{DParameter, Decoder, Operation};

use super::{Compression, MOST_MEMORY, MOST_WINDOW, Start};
use crate::locale::tr;

/// Compressed bytes that one read asks for.
const READ_SIZE: usize = 64 << 10;

/// Reads from another reader, and decompresses its bytes if they are compressed.
pub(crate) struct Unpacker {
    input: Box<dyn Read + Send>,
    state: State,
    /// Bytes from the input. `packed[at..]` has not been passed on or decompressed yet.
    packed: Vec<u8>,
    at: usize,
    /// Bytes of the input before `packed`.
    offset: u64,
}

enum State {
    /// Nothing has been read yet.
    Start,
    Plain,
    Member {
        of: Compression,
        decoder: Box<dyn Decode>,
        /// Whether there may be more output even without more input.
        more: bool,
    },
    /// After a member of this kind.
    Between(Compression),
}

/// The result of one call of a decoder.
struct Step {
    read: usize,
    written: usize,
    /// Whether the member has ended.
    ended: bool,
}

/// A decompressor for one member.
trait Decode: Send {
    fn step(&mut self, packed: &[u8], out: &mut [u8]) -> io::Result<Step>;
}

impl Decode for Decompress {
    fn step(&mut self, packed: &[u8], out: &mut [u8]) -> io::Result<Step> {
        let before = (self.total_in(), self.total_out());
        let status = self.decompress(packed, out, FlushDecompress::None)?;
        Ok(step(before, (self.total_in(), self.total_out()), status == flate2::Status::StreamEnd))
    }
}

impl Decode for bzip2::Decompress {
    fn step(&mut self, packed: &[u8], out: &mut [u8]) -> io::Result<Step> {
        let before = (self.total_in(), self.total_out());
        let status = self.decompress(packed, out).map_err(io::Error::other)?;
        Ok(step(before, (self.total_in(), self.total_out()), status == bzip2::Status::StreamEnd))
    }
}

impl Decode for Stream {
    fn step(&mut self, packed: &[u8], out: &mut [u8]) -> io::Result<Step> {
        let before = (self.total_in(), self.total_out());
        let status = self.process(packed, out, Action::Run)?;
        Ok(step(before, (self.total_in(), self.total_out()), status == liblzma::stream::Status::StreamEnd))
    }
}

impl Decode for Decoder<'static> {
    fn step(&mut self, packed: &[u8], out: &mut [u8]) -> io::Result<Step> {
        let status = self.run_on_buffers(packed, out)?;
        Ok(Step { read: status.bytes_read, written: status.bytes_written, ended: status.remaining == 0 })
    }
}

/// Reads whatever is available; tries again when a signal interrupts the read.
fn some(input: &mut dyn Read, out: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(out) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// The step between two pairs of counts (bytes read, bytes written).
fn step(before: (u64, u64), after: (u64, u64), ended: bool) -> Step {
    // Both are at most the lengths of slices.
    Step { read: (after.0 - before.0) as usize, written: (after.1 - before.1) as usize, ended }
}

fn decoder(of: Compression) -> io::Result<Box<dyn Decode>> {
    Ok(match of {
        Compression::Gz => Box::new(Decompress::new_gzip(15)),
        Compression::Bz2 => Box::new(bzip2::Decompress::new(false)),
        Compression::Xz => Box::new(Stream::new_stream_decoder(MOST_MEMORY, 0)?),
        Compression::Zst => {
            let mut decoder = Decoder::new()?;
            decoder.set_parameter(DParameter::WindowLogMax(MOST_WINDOW))?;
            Box::new(decoder)
        }
    })
}

impl Unpacker {
    /// Makes an unpacker that reads `input`.
    pub(crate) fn new(input: Box<dyn Read + Send>) -> Self {
        Self { input, state: State::Start, packed: Vec::new(), at: 0, offset: 0 }
    }

    /// Reads more bytes and appends them to `packed`. Returns whether there were any.
    fn fill(&mut self) -> io::Result<bool> {
        self.packed.drain(..self.at);
        self.offset += self.at as u64;
        self.at = 0;
        let old = self.packed.len();
        self.packed.resize(old + READ_SIZE, 0);
        let read = some(&mut *self.input, &mut self.packed[old..]);
        self.packed.truncate(old + *read.as_ref().unwrap_or(&0));
        read.map(|read| read > 0)
    }

    /// Decides by the first bytes whether the input is compressed. The bytes stay in `packed` for the caller, however few bytes it
    /// asks for.
    fn start(&mut self) -> io::Result<()> {
        loop {
            let is_more = self.fill()?;
            self.state = match Start::of(&self.packed) {
                Start::Packed(of) => self.member(of)?,
                Start::Open if is_more => continue,
                Start::Plain | Start::Open => State::Plain,
            };
            return Ok(());
        }
    }

    fn member(&self, of: Compression) -> io::Result<State> {
        Ok(State::Member { of, decoder: decoder(of)?, more: false })
    }

    /// Makes an error that names the position of the decoder.
    fn damaged(&self, of: Compression, kind: io::ErrorKind, what: &str) -> io::Error {
        let at = self.offset + self.at as u64;
        io::Error::new(kind, tr!("the {} data {what} at byte {at}; get the file anew", of.name(), what, at))
    }

    /// Goes to the next member. Returns `false` at the end of the input.
    fn next_member(&mut self, before: Compression) -> io::Result<bool> {
        loop {
            let zeros = self.packed[self.at..].iter().take_while(|byte| **byte == 0).count();
            self.at += zeros;
            let rest = &self.packed[self.at..];
            match Start::of(rest) {
                Start::Packed(of) => {
                    self.state = self.member(of)?;
                    return Ok(true);
                }
                Start::Open => {
                    let nothing = rest.is_empty();
                    if !self.fill()? {
                        let what = tr!("is followed by something else");
                        let error = self.damaged(before, io::ErrorKind::InvalidData, &what);
                        return if nothing { Ok(false) } else { Err(error) };
                    }
                }
                Start::Plain => {
                    return Err(self.damaged(
                        before,
                        io::ErrorKind::InvalidData,
                        &tr!("is followed by something else"),
                    ));
                }
            }
        }
    }
}

impl Read for Unpacker {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match &mut self.state {
                State::Plain if self.at < self.packed.len() => {
                    let read = (&self.packed[self.at..]).read(out)?;
                    self.at += read;
                    return Ok(read);
                }
                State::Plain => return some(&mut *self.input, out),
                State::Start => self.start()?,
                State::Between(of) => {
                    let of = *of;
                    if !self.next_member(of)? {
                        return Ok(0);
                    }
                }
                State::Member { of, more, .. } if self.at == self.packed.len() && !*more => {
                    let of = *of;
                    if !self.fill()? {
                        return Err(self.damaged(of, io::ErrorKind::UnexpectedEof, &tr!("breaks off")));
                    }
                }
                State::Member { of, decoder, more } => {
                    let of = *of;
                    let done = match decoder.step(&self.packed[self.at..], out) {
                        Ok(done) if done.read + done.written > 0 || done.ended || self.at == self.packed.len() => done,
                        Ok(_) => return Err(self.damaged(of, io::ErrorKind::InvalidData, &tr!("is damaged"))),
                        Err(error) => {
                            let what = tr!("cannot be decompressed ({error})", error);
                            return Err(self.damaged(of, io::ErrorKind::InvalidData, &what));
                        }
                    };
                    *more = done.written == out.len();
                    self.at += done.read;
                    if done.ended {
                        self.state = State::Between(of);
                    }
                    if done.written > 0 {
                        return Ok(done.written);
                    }
                }
            }
        }
    }
}
