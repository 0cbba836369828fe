#!/usr/bin/env bash
# The HTML reports in a real browser: they load without console errors, draw a point for each setting, and show which setting
# is recommended; clusters can be leafed through; every page begins with its one number, fits a telephone, and is dark where that is
# asked for. Installs Debian's chromium if there is none. Pictures are kept in the folder $1, if one is named.
# QUCHONG names a binary of these sources; without it, one is built. With `install`, only the browser is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v chromium >/dev/null; then
    sudo=$([ "$(id -u)" = 0 ] || echo sudo)
    $sudo apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk >/dev/null
fi
[ "${1:-}" != install ] || exit 0
if [ -z "${QUCHONG:-}" ]; then
    # As the tests were built: built alone, some dependencies would be compiled again.
    cargo test --locked --quiet --no-run --test library
    QUCHONG=$PWD/target/debug/quchong
fi
quchong=$QUCHONG
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
expect "charts" "$(count '<figure>')" 4
expect "points" "$(count '<path class="pt')" $((4 * settings))
expect "rings around the recommended point" "$(count 'class="ring"')" 4
expect "recommended rows" "$(count '<tr class="recommended">')" 1
expect "bold elements that a file name put in" "$(count '<b>')" 0
grep -q '<html lang="en">' "$work/dom.html" || fail "no lang attribute"
grep -q '微博 &lt;b&gt;&amp;"去重".jsonl' "$work/dom.html" || fail "the file name is not told as it is"
# In Chinese, if that is asked for.
for page in "tune bloom $feed --capacity 20000 --steps 2 --hashes 1..2 --probes 1000 --html" "clusters $feed --html" "dedup $feed --report"; do
    read -ra words <<<"${page//"$feed"/feed.jsonl}"
    cp "$feed" "$work/feed.jsonl"
    (cd "$work" && "$quchong" "${words[@]}" zh.html --ui zh >/dev/null 2>&1)
    browse --dump-dom "file://$work/zh.html" >"$work/zh-dom.html"
    grep -q '<html lang="zh">' "$work/zh-dom.html" && grep -q '推荐\|保留' "$work/zh-dom.html" || fail "${words[0]}: no page in Chinese"
    browse --screenshot="$pictures/zh-${words[0]}.png" "file://$work/zh.html"
done

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
expect "charts of the paper" "$(count '<figure>')" 7
browse --screenshot="$pictures/paper.png" "file://$work/paper.html"
# Precision, recall, and a threshold to take.
"$quchong" evaluate "$feed" --truth edits --sample 300 --sweep distance=0..12 --html "$work/evaluate.html" >"$work/evaluate.md"
engines=$(sed -n '/^## Pairs$/,/^## Pairs by/p' "$work/evaluate.md" | grep -c '^| [a-z0-9-]* | .*[0-9] |$')
browse --dump-dom "file://$work/evaluate.html" >"$work/dom.html"
expect "charts of an evaluation" "$(count '<figure>')" 2
expect "points, one in all and one for each length" "$(count '<path class="pt')" $((7 * engines))
expect "bold elements that a file name put in" "$(count '<b>')" 0
[ "$(count '<polyline class="line"')" -ge "$engines" ] || fail "curves are missing"
[ "$(count '<tr class="recommended">')" -ge 1 ] || fail "no threshold is recommended"
browse --screenshot="$pictures/evaluate-light.png" "file://$work/evaluate.html"
browse --screenshot="$pictures/evaluate-dark.png" --blink-settings=preferredColorScheme=0 "file://$work/evaluate.html"
cmp -s "$pictures/evaluate-light.png" "$pictures/evaluate-dark.png" && fail "dark paper looks like light paper"
# Each engine has a look of its own, in its colour and without it.
looks() {
    sed "s|</body>|<script>const looks=[...document.querySelectorAll('figure')[1].querySelectorAll('.keys g')].map(g=>[$1].join());document.title='looks '+looks.length+' '+new Set(looks).size</script></body>|" \
        "$work/evaluate.html" >"$work/probe.html"
    browse --dump-dom "file://$work/probe.html" | grep -o '<title>[^<]*' | head -n 1
}
[ "$engines" -ge 9 ] || fail "only $engines engines"
shape="g.lastElementChild.getAttribute('d'),g.firstElementChild.getAttribute('stroke-dasharray')"
for look in "getComputedStyle(g.lastElementChild).fill" "$shape"; do
    [ "$(looks "$look")" = "<title>looks $engines $engines" ] || fail "engines look alike: $(looks "$look")"
done
# Misjudged pairs, with what differs, wide and narrow; texts that are markup.
{
    echo '{"a":"<b>央行宣布加息</b>，市场反应不一","b":"<b>央行宣布加息</b>，市场反应不一 ","label":0,"kind":"<i>"}'
    cat data/facts.jsonl
} >"$work/pairs.jsonl"
"$quchong" evaluate "$work/pairs.jsonl" --engine exact --html "$work/pairs.html" >/dev/null
browse --dump-dom "file://$work/pairs.html" >"$work/dom.html"
grep -q '&lt;b&gt;央行' "$work/dom.html" || fail "a text is not told as it is"
[ "$(count '<details open=')" -ge 20 ] && [ "$(count '<del>')" -ge 100 ] && [ "$(count '<ins>')" -ge 100 ] || fail "misjudged pairs are not shown"
expect "elements that a text put in" "$(count '<[bi]>')" 0
browse --screenshot="$pictures/pairs-wide.png" --window-size=1280,4600 "file://$work/pairs.html"
# Chromium has no window as narrow as a telephone: a frame is one. What is too wide for it could be scrolled to.
echo '<iframe src="pairs.html" width="390" height="1600"></iframe>' >"$work/narrow.html"
browse --screenshot="$pictures/pairs-narrow.png" --window-size=500,1700 "file://$work/narrow.html"
# Clusters to leaf through, of posts that are markup: one at a time, by keys and by words; all of them without scripts.
{
    for word in 开了 谢了 落了; do echo "{\"id\":\"$word\",\"text\":\"<b>粗体</b><script>document.title='taken'</script>今天武汉的樱花${word}，我在东湖边等你\"}"; done
    cat "$feed"
} >"$work/posts.jsonl"
"$quchong" clusters "$work/posts.jsonl" --html "$work/clusters.html" >"$work/clusters.jsonl" 2>/dev/null
browse --dump-dom "file://$work/clusters.html" >"$work/dom.html"
expect "clusters of a page" "$(count '<section id=')" 200
expect "clusters that are not shown" "$(count '<section id="c[0-9]*" hidden="">')" 199
grep -q '<output>1 / 200</output>' "$work/dom.html" || fail "it is not told which cluster is shown"
[ "$(count '<del>')" -ge 200 ] && [ "$(count '<ins>')" -ge 200 ] || fail "differences are not marked"
# What a person does there, and what is shown then.
leaf() {
    sed "s|</body>|<script>$1;document.title=document.querySelector('output').textContent+' '+[...document.querySelectorAll('section')].filter(s=>s.offsetHeight>0).map(s=>s.id)</script></body>|" \
        "$work/clusters.html" >"$work/probe.html"
    browse --dump-dom "file://$work/probe.html$2" | grep -o '<title>[^<]*' | head -n 1
}
key() { echo "document.dispatchEvent(new KeyboardEvent('keydown',{key:'$1',bubbles:true}))"; }
expect_title() { [ "$2" = "<title>$3" ] || fail "$1: $2, not $3"; }
expect_title "two arrows" "$(leaf "$(key ArrowRight);$(key ArrowRight)" "")" "3 / 200 c3"
expect_title "there and back" "$(leaf "$(key ArrowRight);$(key ArrowLeft);$(key ArrowLeft)" "")" "1 / 200 c1"
expect_title "the last one" "$(leaf "$(key End);document.querySelectorAll('button')[1].click()" "")" "200 / 200 c200"
expect_title "a place in the address" "$(leaf "" "#17")" "17 / 200 c17"
expect_title "a search in vain" "$(leaf "const i=document.querySelector('input');i.value='没有这样的话';i.oninput()" "")" "0 / 0 "
cp "$work/clusters.html" "$work/scripted.html"
sed -i '/^<script>$/,/^<\/script>$/d' "$work/clusters.html"
[ "$(leaf "" "" | grep -o 'c[0-9]' | wc -l)" = 200 ] || fail "without scripts not all clusters are shown"
mv "$work/scripted.html" "$work/clusters.html"
head -n 3 "$work/posts.jsonl" >"$work/markup.jsonl"
"$quchong" clusters "$work/markup.jsonl" --html "$work/markup.html" >/dev/null 2>&1
browse --dump-dom "file://$work/markup.html" >"$work/dom.html"
grep -q '<title>quchong clusters</title>' "$work/dom.html" || fail "a post's script ran"
grep -q '&lt;b&gt;粗体&lt;/b&gt;' "$work/dom.html" || fail "a post is not told as it is"
# A run as a whole.
"$quchong" dedup "$feed" --report "$work/overview.html" >/dev/null 2>&1
browse --dump-dom "file://$work/overview.html" >"$work/dom.html"
expect "charts of a run" "$(count '<figure>')" 4
expect "areas: kept, exact and near, as shares and as counts" "$(count '<path class="area"')" 6
expect "lines of the charts" "$(count '<polyline class="line"')" 3
expect "links to clusters that are not there" "$(comm -23 <(grep -o 'href="#k[0-9]*' "$work/dom.html" | cut -c8- | sort -u) <(grep -o 'id="k[0-9]*' "$work/dom.html" | cut -c5- | sort -u) | wc -l)" 0
expect "bold elements that a file name put in" "$(count '<b>&amp;')" 0
# Every page, as a telephone shows it, and at night. The page is not to be scrolled sideways; what is wider has a box of its own.
for page in report paper evaluate pairs clusters overview; do
    # Of edits, and of pairs that an engine cannot find, no number says it all.
    [[ "$page" = pairs || "$page" = evaluate ]] || grep -q '<p class="headline"><strong>[^<]*[0-9]' "$work/$page.html" || fail "$page: no number first"
    # Chromium has no window as narrow as a telephone: a frame is one. It tells how wide it would have to be.
    sed 's|</body>|<script>parent.postMessage(document.documentElement.scrollWidth,"*")</script></body>|' "$work/$page.html" >"$work/probe.html"
    echo '<script>onmessage=(told)=>{document.title=`fits ${told.data<=390} ${told.data}`}</script><iframe src="probe.html" width="390" height="2000" style="border:0"></iframe>' >"$work/narrow.html"
    fits=$(browse --virtual-time-budget=5000 --dump-dom "file://$work/narrow.html" | grep -o '<title>[^<]*' || true)
    [[ "$fits" = "<title>fits true"* ]] || fail "$page is wider than a telephone: $fits"
    browse --screenshot="$pictures/$page-narrow.png" --window-size=500,2000 "file://$work/narrow.html"
    browse --screenshot="$pictures/$page-light.png" "file://$work/$page.html"
    browse --screenshot="$pictures/$page-dark.png" --blink-settings=preferredColorScheme=0 "file://$work/$page.html"
    cmp -s "$pictures/$page-light.png" "$pictures/$page-dark.png" && fail "$page: dark paper looks like light paper"
done
echo "charts: $settings settings, $engines engines, light and dark"
