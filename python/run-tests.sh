#!/usr/bin/env bash
# Builds the wheel, installs it in a virtual environment of its own, and runs its tests and the type checker there. Tools come from
# PyPI (about 300 MB); what was built for the command line is used again where it fits. QUCHONG names a binary of these sources;
# without it, one is built. With `install` it only makes the environment, for the next run; with `lint` it only checks the Rust code of
# the module. QUCHONG_FRAMEWORKS=1 installs data-juicer, too (500 MB more); without it, its tests are skipped.
set -euo pipefail
cd "$(dirname "$0")"

target=${CARGO_TARGET_DIR:-$PWD/../target}
if [ "${1:-}" = lint ]; then
  cargo fmt --check
  CARGO_TARGET_DIR=$target cargo clippy -- -D warnings
  exit
fi
venv=$target/python-venv
pip() { "$venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
packages="maturin>=1.9,<2 mypy pytest typing_extensions pandas polars pyarrow datasets datatrove orjson regex scrapy"
# What data-juicer imports, but does not ask for: aiohttp, ray.
packages+=${QUCHONG_FRAMEWORKS:+ py-data-juicer>=1.6 aiohttp ray}
if [ "$(cat "$venv/ready" 2>/dev/null)" != "$packages" ]; then
  python3 -m venv "$venv"
  # shellcheck disable=SC2086
  pip install $packages
  echo "$packages" >"$venv/ready"
fi
[ "${1:-}" != install ] || exit 0
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

CARGO_TARGET_DIR=$target "$venv/bin/maturin" build --out "$fresh/wheels"
if [ -z "${QUCHONG:-}" ]; then
  cargo build --locked --bin quchong --manifest-path ../Cargo.toml --target-dir "$target"
  export QUCHONG=$target/debug/quchong
fi
pip install --no-index --no-deps --force-reinstall --find-links "$fresh/wheels" quchong

export PYTHONDONTWRITEBYTECODE=1 MYPY_CACHE_DIR=$fresh/mypy
export HF_HUB_OFFLINE=1 HF_HOME=$fresh/datasets
"$venv/bin/python" -m pytest -q -rs -p no:cacheprovider
"$venv/bin/mypy" --strict -p quchong
# The adapters have no stubs, and can be imported only in their frameworks.
printf 'quchong\\.(data_juicer|datatrove|scrapy).*\n' >"$fresh/allowed"
"$venv/bin/stubtest" quchong --mypy-config-file pyproject.toml --allowlist "$fresh/allowed" --ignore-unused-allowlist
