//! Makes `data/lexicon.bin` from the lists in `data/lexicon/`: `cargo run --example lexicon`.

use std::path::{Path, PathBuf};

use quchong::text::lexicon::build::build;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    std::fs::write(data.join("lexicon.bin"), build(&data.join("lexicon"))?)?;
    Ok(())
}
