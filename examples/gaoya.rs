//! Runs gaoya's MinHash-LSH on the bodies from standard input, one per line. This is the Rust part of `benches/rivals.py`. Prints how many
//! bodies it drops, and the seconds from bodies to verdicts. 128 permutations, 32 bands of 4 rows, similarity 0.5, character bigrams, and
//! XXH3 instead of gaoya's slower default hash.

#![allow(clippy::print_stdout, reason = "it is what the script reads")]

use std::hash::BuildHasherDefault;
use std::io;
use std::time::Instant;

use gaoya::minhash::{MinHashIndex, MinHasher, MinHasher32};

fn main() -> io::Result<()> {
    let bodies: Vec<Vec<char>> =
        io::stdin().lines().map(|line| Ok(line?.chars().filter(|c| *c != ' ').collect())).collect::<io::Result<_>>()?;
    let started = Instant::now();
    let hasher: MinHasher32<BuildHasherDefault<twox_hash::XxHash3_64>> =
        MinHasher32::new_with_hasher(128, Default::default());
    let mut index: MinHashIndex<u32, usize> = MinHashIndex::new(32, 4, 0.5);
    let mut dropped = 0;
    for (number, body) in bodies.iter().enumerate().filter(|(_, body)| !body.is_empty()) {
        // A body of one character is its own shingle.
        let signature = hasher.create_signature(body.windows(body.len().min(2)));
        if index.query(&signature).is_empty() {
            index.insert(number, signature);
        } else {
            dropped += 1;
        }
    }
    println!("{dropped} {}", started.elapsed().as_secs_f64());
    Ok(())
}
