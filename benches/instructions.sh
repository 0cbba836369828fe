#!/usr/bin/env bash
# Instructions per message of a few modes, counted by valgrind, beside the numbers of benches/instructions.tsv: fails where a mode
# takes over 5 % more than it did, since a time on a shared machine could not tell. `--bless` writes the numbers of now.
#
# They are of 4000 generated posts less those of 2000, so that starting up does not count.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "instructions: skipped, there is no valgrind on this machine"; exit 0; }
cargo build --quiet --release --locked --bin quchong
quchong=target/release/quchong
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

count() { # POSTS OPTIONS...
  "$quchong" generate --lines "$1" --seed 1 >"$folder/posts.jsonl"
  valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$quchong" dedup --quiet -j 1 "${@:2}" \
    "$folder/posts.jsonl" 2>&1 >/dev/null | sed -n 's/.*I *refs: *//p' | tr -d ,
}

while IFS=$'\t' read -r before options; do
  read -ra words <<<"$options"
  now=$((($(count 4000 "${words[@]}") - $(count 2000 "${words[@]}")) / 2000))
  printf '%s\t%s\n' "$now" "$options" >>"$folder/now.tsv"
  printf 'instructions per message: %6d, before %6d   %s\n' "$now" "$before" "$options"
  [ "$now" -le $((before + before / 20)) ] || echo "$options" >>"$folder/slower"
done <benches/instructions.tsv

if [ "${1:-}" = --bless ]; then
  cp "$folder/now.tsv" benches/instructions.tsv
elif [ -e "$folder/slower" ]; then
  echo "instructions: these take over 5 % more than before; mend it, or benches/instructions.sh --bless if it is worth it"
  exit 1
fi
