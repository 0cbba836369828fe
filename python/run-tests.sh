#!/usr/bin/env bash
# Builds the wheel, installs it in a fresh virtual environment, and runs its tests and the type checker there. Tools come from
# PyPI (about 300 MB); what was built for the command line is used again where it fits. QUCHONG names a binary of these sources;
# without it, one is built.
set -euo pipefail
cd "$(dirname "$0")"

target=${CARGO_TARGET_DIR:-$PWD/../target}
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

cargo fmt --check
CARGO_TARGET_DIR=$target cargo clippy -- -D warnings

python3 -m venv "$fresh/venv"
pip() { "$fresh/venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
pip install 'maturin>=1.9,<2' mypy pytest typing_extensions pandas polars pyarrow datasets
CARGO_TARGET_DIR=$target "$fresh/venv/bin/maturin" build --out "$fresh/wheels"
if [ -z "${QUCHONG:-}" ]; then
  cargo build --locked --bin quchong --manifest-path ../Cargo.toml --target-dir "$target"
  export QUCHONG=$target/debug/quchong
fi
pip install --no-index --find-links "$fresh/wheels" quchong

export PYTHONDONTWRITEBYTECODE=1 MYPY_CACHE_DIR=$fresh/mypy
export HF_HUB_OFFLINE=1 HF_HOME=$fresh/datasets
"$fresh/venv/bin/python" -m pytest -q -p no:cacheprovider
"$fresh/venv/bin/mypy" --strict -p quchong
"$fresh/venv/bin/stubtest" quchong
