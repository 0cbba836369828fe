"""Measures what benches/RESULTS.md tells, and rewrites its tables: run by benches/compare.sh, which installs the rivals.

Commands of one table take turns, so that what else the machine does falls on all of them; a figure is the median of its runs.
Times are of the wall clock, memory is the most that was resident, both of the whole process.
"""

import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

import latency
import rivals

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / ".." / "shared" / "data"
RESULTS = ROOT / "benches" / "RESULTS.md"
QUCHONG = rivals.QUCHONG
RUNS = 5
CHARS = "--near simhash --shingle char:3 --weights count"
EXACT = "--exact bloom --near none --exact-on raw"
FLOODS = (20_000, 100_000)
# Messages that a process has seen before its latency is measured, and the families of floods for which it is.
LIVE = 200_000
FAMILIES = ("codes", "names and dates", "alerts, parcels, prices", "words without a digit")


def run(command, source=None):
    """Seconds and most resident bytes of a process whose output nobody reads. GNU time starts it: what this process itself takes
    would count as the memory of any child of its own."""
    with open(source or os.devnull, "rb") as stdin, tempfile.NamedTemporaryFile() as memory:
        command = ["/usr/bin/time", "--quiet", "-o", memory.name, "-f", "%M", *map(str, command)]
        started = time.perf_counter()
        subprocess.run(command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return time.perf_counter() - started, int(memory.read()) * 1024


def side_by_side(commands, runs=RUNS):
    """Medians of (seconds, bytes) for each name of `commands`: name -> (command, standard input)."""
    rounds = [{name: run(*command) for name, command in commands.items()} for _ in range(runs)]
    return {name: [statistics.median(one[name][part] for one in rounds) for part in (0, 1)] for name in commands}


def dedup(options, source):
    return [QUCHONG, "dedup", "--quiet", *options.split(), source], None


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


def rate(count, seconds):
    return f"{count / seconds:,.0f}"


def megabytes(size):
    return f"{size / 1e6:.1f}"


def write_lines(path, lines):
    with open(path, "wb") as file:
        file.writelines(lines)
    return path


def short_texts():
    """Distinct real texts of 8 to 40 characters: headlines, and the clauses of messages and posts, longer ones in pieces. There
    are not 10^6 headlines."""
    texts = {}
    for name in ("headlines", "sms", "sms-spam", "weibo", "reposts"):
        for line in (DATA / f"{name}-dev.jsonl").read_bytes().splitlines():
            for clause in re.split(r"[。！？!?；;\n，,：:、…~]", json.loads(line)["text"]):
                clause = clause.strip()
                texts.update(dict.fromkeys(clause[at : at + 40] for at in range(0, len(clause), 40) if len(clause) >= at + 8))
    return [text.encode() + b"\n" for text in texts]


def modes(folder, posts):
    """Every mode over the posts, and the default over short texts."""
    headlines = (DATA / "headlines-dev.jsonl").read_bytes().splitlines(True)
    short = short_texts()
    inputs = {"posts": (DATA / "weibo-dev.jsonl", len(posts)), "headlines": (DATA / "headlines-dev.jsonl", len(headlines))}
    inputs["short texts"] = (write_lines(folder / "short.txt", short), len(short))
    asked = {
        ("default", "posts"): "-j 1",
        ("default, 2 threads", "posts"): "-j 2",
        ("--preset simhash", "posts"): "--preset simhash -j 1",
        ("--preset simhash, 2 threads", "posts"): "--preset simhash -j 2",
        (CHARS, "posts"): f"{CHARS} -j 1",
        ("--near minhash", "posts"): "--near minhash -j 1",
        ("--near none", "posts"): "--near none -j 1",
        (EXACT, "posts"): f"{EXACT} -j 1",
        ("default, --verify-window 1M", "headlines"): "--verify-window 1M -j 1",
        ("default, --verify-window 1M", "short texts"): "--verify-window 1M -j 1",
    }
    summary = folder / "summary.json"
    commands = {name: dedup(f"{options} --summary {summary}", inputs[name[1]][0]) for name, options in asked.items()}
    kept = {name: (run(*command), json.loads(summary.read_text())["kept"])[1] for name, command in commands.items()}
    found = side_by_side(commands)
    counts = {name: inputs[name[1]][1] for name in asked}
    rows = [
        (f"`{mode}`", f"{counts[mode, of]:,} {of}", f"{kept[mode, of]:,}", f"{seconds:.2f}", rate(counts[mode, of], seconds), megabytes(size))
        for (mode, of), (seconds, size) in found.items()
    ]
    per_second = {name: counts[name] / seconds for name, (seconds, _) in found.items()}
    return table(["options", "input", "kept", "s", "messages/s", "MB"], rows), per_second, kept


def jieba(posts):
    """Messages a second of jieba-rs's own cut of the bodies."""
    text = "".join(body + "\n" for body in rivals.bodies_of(posts)).encode()
    example = QUCHONG.parent / "examples" / "jieba"
    outputs = [subprocess.run([example], input=text, check=True, capture_output=True).stdout for _ in range(RUNS)]
    return len(posts) / statistics.median(float(output.split()[1]) for output in outputs)


def exact_tools(installed, source, runs):
    """Exact-only tools over plain lines."""
    commands = {
        "quchong": dedup(f"{EXACT} -j 1 --format lines", source),
        "quchong, 2 threads": dedup(f"{EXACT} -j 2 --format lines", source),
        "quchong --capacity 1M": dedup(f"{EXACT} -j 1 --format lines --capacity 1M", source),
        "quchong --near none --exact-on raw": dedup("--near none --exact-on raw -j 1 --format lines", source),
        "runiq 2.1.0": ([installed / "bin" / "runiq", source], None),
        "runiq 2.1.0 --filter compact": ([installed / "bin" / "runiq", "--filter", "compact", source], None),
        "huniq 2.7.0": ([installed / "bin" / "huniq"], source),
        "awk '!seen[$0]++'": (["awk", "!seen[$0]++", source], None),
    }
    if runs == 1:
        del commands["awk '!seen[$0]++'"]  # Gigabytes.
        del commands["quchong --capacity 1M"]  # Ten times too small.
    return side_by_side(commands, runs)


def exponent(points):
    """b of y = a·x^b, by least squares of the logarithms."""
    xs, ys = ([math.log(value) for value in values] for values in zip(*points))
    return statistics.linear_regression(xs, ys).slope


def growth(folder, posts):
    """Generated posts from 10^4 to 10^7 (one run at 10^7); the default over the real posts, which end at 3·10^5."""
    generated = folder / "generated.jsonl"
    rows = []
    for name, source, sizes in [
        (EXACT, generated, (10**4, 10**5, 10**6, 10**7)),
        ("--near none", generated, (10**4, 10**5, 10**6, 10**7)),
        (CHARS, generated, (10**4, 10**5, 10**6, 10**7)),
        ("default", DATA / "weibo-dev.jsonl", (10**4, 10**5, 3 * 10**5)),
    ]:
        options, points, memory = "" if name == "default" else name, [], []
        for size in sizes:
            part, summary = folder / "part.jsonl", folder / "summary.json"
            with open(part, "wb") as file:
                subprocess.run(["head", "-n", str(size), source], stdout=file, check=True)
            command = dedup(f"{options} -j 1 --summary {summary}", part)
            (seconds, most), = side_by_side({name: command}, 1 if size == 10**7 else RUNS).values()
            points.append((size, seconds))
            memory.append((json.loads(summary.read_text())["kept"], most))
        # Below 10^5 starting counts as much as the messages.
        (less, before), (more, after) = memory[-2:]
        bytes_each = max(0, after - before) / (more - less)
        figures = {size: f"{seconds:.2f}" for size, seconds in points}
        last = [figures.get(size, "–") for size in (10**4, 10**5, 3 * 10**5, 10**6, 10**7)]
        rows.append((f"`{name}`", *last, f"{exponent(points[1:]):.2f}", f"{bytes_each:.0f}"))
    head = ["options", "10⁴ s", "10⁵ s", "3·10⁵ s", "10⁶ s", "10⁷ s", "exponent from 10⁵", "bytes per kept message, last step"]
    return table(head, rows)


def criterion(bench, asked, **settings):
    """Medians in ns by name, as criterion wrote them down, and what the bench said on standard error."""
    started = time.time()
    command = ["cargo", "bench", "--quiet", "--locked", "--bench", bench, "--", asked]
    output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, env={**os.environ, **settings})
    found = {}
    for estimates in sorted((ROOT / "target" / "criterion").glob("**/new/estimates.json"), key=lambda path: path.stat().st_mtime):
        if estimates.stat().st_mtime >= started:
            name = json.loads(estimates.with_name("benchmark.json").read_text())["full_id"]
            found[name] = json.loads(estimates.read_text())["median"]["point_estimate"]
    return found, output.stderr


def stages():
    """Each stage by itself: the stateless ones for each post, the structures for each call."""
    found, _ = criterion("pipeline", "")
    rows = []
    for name, nanoseconds in found.items():
        group, stage = name.split("/", 1)
        rows.append((f"`{stage}`", f"{nanoseconds / (1000 if group == 'stage' else 20_000):,.0f}"))
    found, _ = criterion("overlap", "/posts")
    rows += [(f"overlap engine, window {name.split('/')[1]}, a distinct post", f"{nanoseconds:,.0f}") for name, nanoseconds in found.items()]
    found, _ = criterion("exact", "")
    calls = ("insert", "hit", "miss")
    structures = [
        (f"`{name}`", *(f"{found[f'{name}/{call}']:.0f}" for call in calls))
        for name in dict.fromkeys(name.split("/")[0] for name in found)
    ]
    return table(["stage", "ns"], rows), table(["structure", *(f"{call}, ns" for call in calls)], structures)


def near_index():
    """Query and insertion at 10^6, in µs, by criterion; bytes for each fingerprint; and how both grow to 10^7."""
    times, said = criterion("near", "/1000000/")
    found = {tuple(name.split("/1000000/")): nanoseconds / 1e3 for name, nanoseconds in times.items()}
    size = {name: float(figure) for name, figure in re.findall(r"^(.+): ([\d.]+) bytes for each of 1000000", said, re.M)}
    _, said = criterion("near", "growth alone", QUCHONG_GROWTH="10000000")
    return found, size, re.findall(r"growth: (\d+) ([\d.]+) µs (\d+) bytes", said)


def rivals_on_bodies(posts):
    """(name, posts, dropped, posts a second) of every tool: the quick ones once over all posts, the slow ones and ours by turns over
    the first of them."""
    rounds = [list(rivals.slow_tools(posts)) for _ in range(RUNS)]
    slow = [(*tools[0][:3], statistics.median(tool[3] for tool in tools)) for tools in zip(*rounds)]
    return [(name, count, dropped, count / seconds) for name, count, dropped, seconds in [*rivals.quick_tools(posts), *slow]]


def targets(figures):
    rows = []
    for measure, target, value, met in figures:
        rows.append((measure, target, value, "yes" if met else "**no**"))
    return table(["measure", "target", "measured", "met"], rows)


def processor_time():
    """Of all cores since the machine started: seconds that the host gave to other guests, and all that were not idle."""
    times = [int(time) / os.sysconf("SC_CLK_TCK") for time in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    return times[7], sum(times) - times[3] - times[4]


def machine(before):
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    rustc = subprocess.check_output(["rustc", "--version"], text=True).strip()
    stolen, busy = (now - then for now, then in zip(processor_time(), before))
    return (
        f"{date.today()}, {cpu[1] if cpu else platform.machine()}, {os.cpu_count()} cores, {rustc}. "
        f"Of the processor time that this run asked for, the host gave {stolen / busy:.1%} to other guests.\n"
    )


class Tables:
    """The tables of RESULTS.md: each is rewritten as soon as it is known."""

    def __setitem__(self, name, content):
        text = RESULTS.read_text(encoding="utf-8")
        text, found = re.subn(f"(<!-- {name} -->\n).*?(<!-- end -->)", lambda mark: mark[1] + content + mark[2], text, flags=re.S)
        assert found == 1, f"{RESULTS} has no place for {name}"
        RESULTS.write_text(text, encoding="utf-8")
        print(content, flush=True)


def plain_lines(folder, posts):
    """The texts of the posts, one a line."""
    texts = (json.loads(post)["text"].replace("\n", " ") for post in posts)
    return write_lines(folder / "posts.txt", [text.encode() + b"\n" for text in texts])


def generated(folder):
    """10^7 generated posts as JSON lines, made once; and their texts, one a line."""
    records, lines = folder / "generated.jsonl", folder / "generated.txt"
    if not lines.exists():
        with open(records, "wb") as file:
            subprocess.run([QUCHONG, "generate", "--lines", "10M", "--seed", "7"], stdout=file, check=True)
        with open(records, "rb") as source, open(lines, "wb") as file:
            file.writelines(line.split(b'"text":"', 1)[1].split(b'","kind":', 1)[0] + b"\n" for line in source)
    return records, lines


def write_floods(folder, *arguments):
    """Streams of one template as JSON lines: of these sizes, and of the families that have this word in their names."""
    command = ["cargo", "bench", "--quiet", "--locked", "--bench", "floods", "--", "--write", folder, *map(str, arguments)]
    subprocess.run(command, cwd=ROOT, check=True)


def floods(folder, posts):
    """Streams of one template or several beside as many ordinary posts, on one thread and on two."""
    write_floods(folder, ",".join(map(str, FLOODS)))
    streams = {"ordinary posts": {size: write_lines(folder / f"posts-{size}.jsonl", posts[:size]) for size in FLOODS}}
    for path in sorted(folder.glob(f"*-{FLOODS[0]}.jsonl")):
        name = path.stem.rsplit("-", 1)[0]
        streams.setdefault("ordinary posts" if name == "posts" else re.sub("_+", " ", name), {size: folder / f"{name}-{size}.jsonl" for size in FLOODS})
    # By turns, so that what else the machine does falls on streams and posts alike.
    rounds = [
        side_by_side({(name, size, threads): dedup(f"-j {threads}", files[size]) for name, files in streams.items() for size in FLOODS for threads in (1, 2)}, 1)
        for _ in range(3)
    ]
    median = lambda *key: [statistics.median(found[key][part] for found in rounds) for part in (0, 1)]
    usual, rows = median("ordinary posts", FLOODS[-1], 1)[0] / FLOODS[-1], []
    for name in streams:
        cells = []
        for size in FLOODS:
            (one, memory), (two, _) = median(name, size, 1), median(name, size, 2)
            cells += [f"{one / size * 1e6:.1f}", f"{usual / one * size:.2f}", f"{one / two:.2f}", f"{memory / 1e6:.0f}"]
        rows.append((name, *cells))
    head = [f"{what}{size:,}" for size in FLOODS for what in ("µs, ", "× the posts' speed, ", "two threads, ", "MB, ")]
    return table(["stream", *head], rows)


def latencies(folder, posts):
    """Milliseconds: to the first verdict, of SimHash and of the default; after a pause; and of the messages of some streams by their share,
    one after another and, of posts, at a rate. The last stream is that of `cat`."""
    first = [statistics.median(latency.first(posts[0], options) for _ in range(9)) * 1e3 for options in (["--near", "simhash"], [])]
    for family in FAMILIES:
        write_floods(folder, LIVE + latency.ALONE, family)
    # The machine itself stops for some 20 ms now and then, which is one run's p99 and not the next one's.
    median = lambda runs, of: statistics.median(of(waits) for waits in runs) * 1e3
    shares = lambda runs: [median(runs, lambda waits: latency.share(waits, part)) for part in latency.SHARES]
    some = [("ordinary posts", posts, None), ("`cat`", posts, latency.CAT)]
    rated = [[latency.at_rate(posts, LIVE, 5000, command) for _, _, command in some] for _ in range(RUNS)]
    rates = [shares([runs[at] for runs in rated]) for at in (0, 1)]
    pause = median([runs[0] for runs in rated], lambda waits: waits[0])
    path = lambda family: folder / f"{re.sub('[ ,]', '_', family)}-{LIVE + latency.ALONE}.jsonl"
    floods = [(family, path(family).read_bytes().splitlines(True), None) for family in FAMILIES]
    rows = [(name, shares([latency.alone(lines, LIVE, command) for _ in range(3)])) for name, lines, command in (some[0], *floods, some[1])]
    return first, pause, rows, rates


class Comparison:
    """Sections of RESULTS.md that can be measured one by one; `figures` has what the targets are held against."""

    def __init__(self, installed, folder):
        self.installed, self.folder, self.tables, self.figures = installed, folder, Tables(), {}
        self.posts = (DATA / "weibo-dev.jsonl").read_bytes().splitlines(True)

    def modes(self):
        self.tables["modes"], *self.figures["modes"] = modes(self.folder, self.posts)

    def exact(self):
        tools = exact_tools(self.installed, plain_lines(self.folder, self.posts), RUNS), exact_tools(self.installed, generated(self.folder)[1], 1)
        self.figures["exact"] = tools
        rows = []
        for tool, (seconds, size) in tools[0].items():
            at_many = tools[1].get(tool)
            many = (f"{at_many[0]:.1f}", megabytes(at_many[1])) if at_many else ("–", "–")
            rows.append((f"`{tool}`", f"{seconds:.2f}", megabytes(size), *many))
        self.tables["exact"] = table(["tool", "300 000 posts s", "MB", "10⁷ generated posts s", "MB"], rows)

    def growth(self):
        generated(self.folder)
        self.tables["growth"] = growth(self.folder, self.posts)

    def floods(self):
        self.tables["floods"] = floods(self.folder, self.posts)

    def stages(self):
        self.tables["stages"], self.tables["structures"] = stages()
        self.figures["stages"] = jieba(self.posts)

    def latency(self):
        first, pause, rows, rates = self.figures["latency"] = latencies(self.folder, self.posts)
        head = [f"p{part * 100:g}" for part in latency.SHARES]
        ms = lambda values: [f"{value:.2f} ms" for value in values]
        self.tables["latency"] = "\n".join(
            [
                table(["first message of a process, SimHash", "default", "after a pause of 0.5 s"], [ms((*first, pause))]),
                table(["one after another", *head], [(name, *ms(waits)) for name, waits in rows]),
                table(["at 5 000/s", *head], [(name, *ms(waits)) for name, waits in zip(("ordinary posts", "`cat`"), rates)]),
            ]
        )

    def near(self):
        index, size, by_size = near_index()
        self.figures["near"] = index, size
        self.tables["near"] = table(
            ["index at 10⁶ fingerprints", "random", "skewed", "bytes each"],
            [(name, f"{index[name, 'random']:.2f} µs", f"{index[name, 'skewed']:.2f} µs", f"{size[name]:.0f}") for name in size],
        )
        fitted = exponent([(int(count), float(each)) for count, each, _ in by_size])
        rows = [(f"{int(count):,}", f"{float(each):.2f} µs", size_each) for count, each, size_each in by_size]
        self.tables["index"] = table(["fingerprints", "query and insertion", "bytes each"], rows) + f"\nThe time grows with n^{fitted:.2f}.\n"

    def rivals(self):
        found = self.figures["rivals"] = rivals_on_bodies(self.posts)
        self.tables["rivals"] = table(
            ["tool", "posts/s", "dropped"], [(f"`{name}`", f"{speed:,.0f}", f"{dropped:,} of {count:,}") for name, count, dropped, speed in found]
        )

    def targets(self):
        """After all others."""
        (per_second, kept), (few_tools, many_tools), cut = (self.figures[name] for name in ("modes", "exact", "stages"))
        (first, pause, rows, rates), (index, size), found = (self.figures[name] for name in ("latency", "near", "rivals"))
        # Of ours, those over as many posts as the slow tools see, which come last.
        speed = {name: speed for name, _, _, speed in found}
        of = lambda tool: next(figure for name, figure in speed.items() if name.startswith(tool + " "))
        paper, paper_two = per_second["--preset simhash", "posts"], per_second["--preset simhash, 2 threads", "posts"]
        few, many_runs = ([tools[name] for name in ("quchong", "runiq 2.1.0")] for tools in (few_tools, many_tools))
        in_time = [theirs[0] / ours[0] for ours, theirs in (few, many_runs)]
        in_memory = [ours[1] / theirs[1] for ours, theirs in (few, many_runs)]
        ratio = {(name, shape): index["gaoya", shape] / index[name, shape] for name, shape in index}
        chars, default = per_second[CHARS, "posts"], per_second["default", "posts"]
        default_two = per_second["default, 2 threads", "posts"]
        shorts = per_second["default, --verify-window 1M", "short texts"]
        by = {
            "text-dedup": speed["quchong --near simhash"] / of("text-dedup"),
            "1e0ng simhash": speed["quchong --near simhash"] / of("simhash"),
            "datasketch": speed["quchong --near minhash"] / of("datasketch"),
        }
        self.tables["targets"] = targets(
            [
                ("`--preset simhash`, 1 thread", "≥ 60 000/s", f"{paper:,.0f}/s", paper >= 60_000),
                ("as a share of what jieba-rs's own cut allows", "≥ 85 %", f"{paper / cut:.0%} of {cut:,.0f}/s", paper >= 0.85 * cut),
                (f"`{CHARS}`, 1 thread", "≥ 250 000/s", f"{chars:,.0f}/s", chars >= 250_000),
                ("`--preset simhash`, 2 threads over 1", "≥ 1.7 ×", f"{paper_two / paper:.2f} ×", paper_two >= 1.7 * paper),
                *(
                    (
                        f"`{EXACT}` over runiq, {count} plain lines",
                        f"≥ {least} ×{' at ≤ 1/4 of the memory' * (least == 1)}",
                        f"{faster:.2f} × at {memory:.2f}",
                        faster >= least and (memory <= 1 / 4 or least < 1),
                    )
                    for count, least, faster, memory in zip(("300 000", "10⁷"), (0.9, 1), in_time, in_memory)
                ),
                ("start to first verdict, SimHash (default)", "≤ 30 ms", f"{first[0]:.1f} ({first[1]:.1f}) ms", max(first) <= 30),
                *(
                    (
                        f"near index over gaoya's, 10⁶ random / skewed, {found}",
                        "≥ 5 × / ≥ 100 ×",
                        f"{ratio[name, 'random']:.1f} × / {ratio[name, 'skewed']:.1f} ×",
                        ratio[name, "random"] >= 5 and ratio[name, "skewed"] >= 100,
                    )
                    for name, found in (("ours, distance 3", "both to distance 3"), ("ours", "ours to distance 4"))
                ),
                ("its bytes for each fingerprint over gaoya's", "≤ 1/8", f"1/{size['gaoya'] / size['ours']:.1f}", 8 * size["ours"] <= size["gaoya"]),
                (f"default, 300 000 posts ({kept['default', 'posts']:,} kept), 1 thread", "≥ 50 000/s", f"{default:,.0f}/s", default >= 50_000),
                (
                    f"default, short texts ({kept['default, --verify-window 1M', 'short texts']:,} kept), 1 thread",
                    "≥ 50 000/s",
                    f"{shorts:,.0f}/s",
                    shorts >= 50_000,
                ),
                ("default, 300 000 posts, 2 threads over 1", "≥ 1.75 ×", f"{default_two / default:.2f} ×", default_two >= 1.75 * default),
                (
                    "first line after a pause; p99 at 5 000/s",
                    "≤ 5 ms; ≤ 2 ms",
                    f"{pause:.2f} ms; {rates[0][1]:.2f} ms",
                    pause <= 5 and rates[0][1] <= 2,
                ),
                (
                    "p99 of one message after another, 200 000 of a family before",
                    "≤ 2 ms",
                    f"{max(waits[1] for _, waits in rows[1:-1]):.2f} ms",
                    all(waits[1] <= 2 for _, waits in rows[1:-1]),
                ),
                *((f"{name}, same texts", "≥ 50 ×", f"{times:.0f} ×", times >= 50) for name, times in by.items()),
            ]
        )


SECTIONS = ("modes", "exact", "growth", "floods", "stages", "latency", "near", "rivals")


def main():
    asked = sys.argv[2:] or SECTIONS
    if unknown := set(asked) - set(SECTIONS):
        sys.exit(f"no such section: {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    if not DATA.exists():
        sys.exit(f"{DATA} is not there: the posts that everything is measured on")
    before = processor_time()
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(Path(sys.argv[1]), Path(folder))
        for section in asked:
            getattr(comparison, section)()
    if len(asked) == len(SECTIONS):
        comparison.targets()
        comparison.tables["machine"] = machine(before)


if __name__ == "__main__":
    main()
