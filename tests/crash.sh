#!/usr/bin/env bash
# Kills runs at random moments, some of them with what a power failure would leave, and takes them up again until they come to
# their ends, which must be equal to those of runs that were left alone. About two minutes; more kills take longer:
#   QUCHONG_KILLS=5000 tests/crash.sh
#   QUCHONG_SEED=17 tests/crash.sh     # the same once more
set -euo pipefail
cd "$(dirname "$0")/.."
export QUCHONG_KILLS="${QUCHONG_KILLS:-200}" QUCHONG_SEED="${QUCHONG_SEED:-$RANDOM}"
echo "QUCHONG_KILLS=$QUCHONG_KILLS QUCHONG_SEED=$QUCHONG_SEED"
cargo test --locked --test crash a_crash_is_a_pause -- --nocapture
