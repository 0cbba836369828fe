#!/usr/bin/env bash
# The HTML report in a real browser: it loads without console errors, draws a point for each setting, and shows which setting
# is recommended. Installs Debian's chromium if there is none. Pictures are kept in the folder $1, if one is named.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v chromium >/dev/null; then
    sudo=$([ "$(id -u)" = 0 ] || echo sudo)
    $sudo apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk >/dev/null
fi
cargo build --locked --quiet
quchong=$PWD/target/debug/quchong
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pictures=${1:-$work}

browse() {
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync --user-data-dir="$(mktemp -d -p "$work")" \
        --enable-logging=stderr --v=0 --hide-scrollbars --window-size=1100,2600 "$@" 2>"$work/log"
    if grep -q CONSOLE "$work/log"; then
        grep CONSOLE "$work/log" >&2
        return 1
    fi
}
fail() { echo "tests/chromium.sh: $*" >&2; exit 1; }
expect() { [ "$2" -eq "$3" ] || fail "$1: $2, not $3"; }

# A file name that is Chinese and full of markup.
feed="$work/微博 <b>&\"去重\".jsonl"
"$quchong" generate --lines 20000 --seed 5 >"$feed"
"$quchong" tune bloom "$feed" --capacity 20000 --steps 6 --hashes 1..4 --probes 20000 \
    --html "$work/report.html" --csv "$work/report.csv" >"$work/table.md"
settings=$(($(wc -l <"$work/report.csv") - 1))

browse --dump-dom "file://$work/report.html" >"$work/dom.html"
count() { grep -o "$1" "$work/dom.html" | wc -l; }
expect "charts" "$(count '<svg ')" 4
expect "points" "$(count '<circle class="pt')" $((4 * settings))
expect "rings around the recommended point" "$(count 'class="ring"')" 4
expect "recommended rows" "$(count '<tr class="recommended">')" 1
expect "bold elements that a file name put in" "$(count '<b>')" 0
grep -q '<html lang="en">' "$work/dom.html" || fail "no lang attribute"
grep -q '微博 &lt;b&gt;&amp;"去重".jsonl' "$work/dom.html" || fail "the file name is not told as it is"
grep -q '实测误判率' "$work/dom.html" || fail "Chinese labels are missing"

# Visible: the recommended row has a place on the page.
sed 's|</body>|<script>const r=document.querySelector("tr.recommended").getBoundingClientRect();document.title=`row ${r.width>300\&\&r.height>10}`</script></body>|' \
    "$work/report.html" >"$work/probe.html"
browse --dump-dom "file://$work/probe.html" | grep -q '<title>row true</title>' || fail "the recommended row is not visible"

browse --screenshot="$pictures/light.png" "file://$work/report.html"
browse --screenshot="$pictures/dark.png" --blink-settings=preferredColorScheme=0 "file://$work/report.html"
for picture in light dark; do
    [ "$(stat -c %s "$pictures/$picture.png")" -gt 50000 ] || fail "$picture.png is empty"
done
cmp -s "$pictures/light.png" "$pictures/dark.png" && fail "dark paper looks like light paper"
# The paper's experiments, in the same way.
"$quchong" tune paper --html "$work/paper.html" >/dev/null
browse --dump-dom "file://$work/paper.html" >"$work/dom.html"
expect "charts of the paper" "$(count '<svg ')" 7
browse --screenshot="$pictures/paper.png" "file://$work/paper.html"
# Precision, recall, and a threshold to take.
"$quchong" evaluate "$feed" --truth edits --sample 300 --sweep distance=0..12 --html "$work/evaluate.html" >"$work/evaluate.md"
engines=$(sed -n '/^## Pairs$/,/^## Pairs by/p' "$work/evaluate.md" | grep -c '^| [a-z0-9-]* | .*[0-9] |$')
browse --dump-dom "file://$work/evaluate.html" >"$work/dom.html"
expect "charts of an evaluation" "$(count '<svg ')" 2
expect "points, one in all and one for each length" "$(count '<circle class="pt')" $((7 * engines))
expect "bold elements that a file name put in" "$(count '<b>')" 0
[ "$(count '<polyline class="line"')" -ge "$engines" ] || fail "curves are missing"
[ "$(count '<tr class="recommended">')" -ge 1 ] || fail "no threshold is recommended"
browse --screenshot="$pictures/evaluate-light.png" "file://$work/evaluate.html"
browse --screenshot="$pictures/evaluate-dark.png" --blink-settings=preferredColorScheme=0 "file://$work/evaluate.html"
cmp -s "$pictures/evaluate-light.png" "$pictures/evaluate-dark.png" && fail "dark paper looks like light paper"
echo "charts: $settings settings, $engines engines, light and dark"
