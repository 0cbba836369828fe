#!/usr/bin/env bash
# Whole processes side by side with their rivals, and every target for speed: rewrites the tables of benches/RESULTS.md.
# One run takes half an hour on two idle cores, and 8 GB of disk. Needs python3 with venv, and GNU time.
# Rivals are installed once into $QUCHONG_RIVALS (default: ~/.cache/quchong-rivals), outside the repository.
# With names of sections (modes exact growth floods stages latency near rivals) only their tables.
# With `frameworks`, and maybe names of tools, only the tables of benches/frameworks.py: half an hour and 2 GB.
set -euo pipefail
cd "$(dirname "$0")/.."
rivals=${QUCHONG_RIVALS:-${XDG_CACHE_HOME:-$HOME/.cache}/quchong-rivals}

[ -x /usr/bin/time ] || { echo "compare.sh: GNU time is needed (apt-get install time)" >&2; exit 2; }
if [ "${1:-}" = frameworks ]; then
  python="$rivals/frameworks/bin/python"
  if ! [ -e "$rivals/frameworks/ready" ]; then
    python3 -m venv "$rivals/frameworks"
    # Another environment than the other rivals': simhash-pybind and simhash have one name. text-dedup asks for Spark and
    # TensorFlow, which are for its other methods; aiohttp, ray and scipy are what data-juicer uses without asking for them.
    "$python" -m pip install --quiet py-data-juicer==1.6.1 aiohttp ray simhash-pybind==0.0.3 scipy datasets==4.8.5 \
      datatrove==0.10.1 'xxhash<4' orjson nltk tokenizers spacy jieba fasteners 'datasketch[bloom]==2.0.0' rensa==0.5.0 gaoya==0.2.2 bitarray ftfy 'click-option-group<0.6'
    "$python" -m pip install --quiet --no-deps text-dedup==0.4.0
    touch "$rivals/frameworks/ready"
  fi
  cargo build --quiet --release --locked --bin quchong
  # data-juicer installs what it misses, PyTorch among it, which would be measured, too.
  export PIP_NO_INDEX=1 UV_OFFLINE=1
  exec "$python" benches/frameworks.py "${@:2}"
fi

for tool in runiq@2.1.0 huniq@2.7.0; do
  [ -x "$rivals/bin/${tool%@*}" ] || cargo install --quiet --locked --root "$rivals" "$tool"
done
if ! "$rivals/venv/bin/python" -c 'import datasketch, rensa, simhash, text_dedup' 2>/dev/null; then
  python3 -m venv "$rivals/venv"
  # What text-dedup asks for beside this (Spark, TensorFlow) is for its other methods.
  "$rivals/venv/bin/pip" install --quiet --no-deps text-dedup==0.4.0
  "$rivals/venv/bin/pip" install --quiet bitarray 'click<9' 'click-option-group<0.6' datasets ftfy numpy psutil regex rich \
    scipy setuptools tqdm xxhash datasketch==2.0.0 rensa==0.5.0 simhash==2.1.2
fi

cargo build --quiet --release --locked --bin quchong --example gaoya --example jieba
exec "$rivals/venv/bin/python" benches/compare.py "$rivals" "$@"
