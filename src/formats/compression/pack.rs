//! Writes compressed outputs.

use std::io::{self, Write};

use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use liblzma::write::XzEncoder;
use zstd::stream::write::Encoder as ZstEncoder;

use super::Compression;

/// Compresses to memory, at the default level of each kind's own tool.
pub(crate) struct Packer {
    of: Compression,
    encoder: Option<Encoder>,
    /// Compressed bytes that have not been taken yet.
    packed: Vec<u8>,
}

enum Encoder {
    Gz(GzEncoder<Vec<u8>>),
    Zst(ZstEncoder<'static, Vec<u8>>),
    Bz2(BzEncoder<Vec<u8>>),
    Xz(XzEncoder<Vec<u8>>),
}

impl Encoder {
    fn new(of: Compression) -> io::Result<Self> {
        Ok(match of {
            Compression::Gz => Self::Gz(GzEncoder::new(Vec::new(), flate2::Compression::default())),
            Compression::Zst => {
                let mut encoder = ZstEncoder::new(Vec::new(), zstd::DEFAULT_COMPRESSION_LEVEL)?;
                encoder.include_checksum(true)?;
                Self::Zst(encoder)
            }
            Compression::Bz2 => Self::Bz2(BzEncoder::new(Vec::new(), bzip2::Compression::best())),
            Compression::Xz => Self::Xz(XzEncoder::new(Vec::new(), 6)),
        })
    }

    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Gz(encoder) => encoder.write_all(bytes),
            Self::Zst(encoder) => encoder.write_all(bytes),
            Self::Bz2(encoder) => encoder.write_all(bytes),
            Self::Xz(encoder) => encoder.write_all(bytes),
        }
    }

    fn packed(&mut self) -> &mut Vec<u8> {
        match self {
            Self::Gz(encoder) => encoder.get_mut(),
            Self::Zst(encoder) => encoder.get_mut(),
            Self::Bz2(encoder) => encoder.get_mut(),
            Self::Xz(encoder) => encoder.get_mut(),
        }
    }

    fn end(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Gz(encoder) => encoder.finish(),
            Self::Zst(encoder) => encoder.finish(),
            Self::Bz2(encoder) => encoder.finish(),
            Self::Xz(encoder) => encoder.finish(),
        }
    }
}

impl Packer {
    /// Makes a packer of this kind.
    pub(crate) fn new(of: Compression) -> Self {
        Self { of, encoder: None, packed: Vec::new() }
    }

    /// Compresses `bytes` into the open member, or into a new one.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        let encoder = match &mut self.encoder {
            Some(encoder) => encoder,
            none => none.insert(Encoder::new(self.of)?),
        };
        encoder.add(bytes)?;
        self.packed.append(encoder.packed());
        Ok(())
    }

    /// Ends the open member, if there is one.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        if let Some(encoder) = self.encoder.take() {
            self.packed.append(&mut encoder.end()?);
        }
        Ok(())
    }

    /// Takes the bytes that were compressed since the last call.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.packed)
    }
}
