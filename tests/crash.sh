#!/usr/bin/env bash
# The long loops of the ten promises. Kills runs at random moments, some of them with what a power failure would leave, and takes
# them up again until they come to their ends, which must be equal to those of runs that were left alone; kills a feed and sends it
# again; kills a service whose client asks again; runs the fuzz targets. About three minutes; more takes longer:
#   QUCHONG_KILLS=5000 QUCHONG_FUZZ=100000 tests/crash.sh
#   QUCHONG_SEED=17 tests/crash.sh     # the same once more
set -euo pipefail
cd "$(dirname "$0")/.."
export QUCHONG_KILLS="${QUCHONG_KILLS:-200}" QUCHONG_FUZZ="${QUCHONG_FUZZ:-2000}" QUCHONG_SEED="${QUCHONG_SEED:-$RANDOM}"
echo "QUCHONG_KILLS=$QUCHONG_KILLS QUCHONG_FUZZ=$QUCHONG_FUZZ QUCHONG_SEED=$QUCHONG_SEED"
cargo test --locked --test feed a_crash_is_a_pause -- --nocapture
cargo test --locked --test feed what_is_sent_again -- --nocapture
cargo test --locked --test feed killed_in_loops -- --nocapture
cargo test --locked --test feed fuzz:: -- --nocapture
