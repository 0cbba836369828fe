#!/usr/bin/env bash
# A job on Sail against one process of quchong, in an environment of its own with what is in requirements.txt; with `spark`, also Spark
# itself, which needs Java 17 or later and takes some minutes; with `install`, no more than the environment. POSTS sets the size of the
# largest case.
set -euo pipefail
cd "$(dirname "$0")/.."
export RUST_LOG=${RUST_LOG:-error}        # Sail tells much that is no news
environment=${QUCHONG_SPARK_VENV:-target/spark-venv}
if ! [ -e "$environment/ready" ]; then
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet --requirement spark/requirements.txt
  touch "$environment/ready"
fi
[ "${1:-}" != install ] || exit 0
[ -x target/release/quchong ] || [ -x target/debug/quchong ] || cargo build --locked --quiet
"$environment/bin/python" spark/tests/sail.py "${POSTS:-200000}"
"$environment/bin/python" spark/tests/command.py
"$environment/bin/python" spark/tests/sail.py workers "${POSTS:-200000}"
if [ "${1:-}" = spark ]; then
  "$environment/bin/python" spark/tests/local_cluster.py
  "$environment/bin/python" spark/tests/stream.py
fi
