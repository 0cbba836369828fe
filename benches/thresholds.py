#!/usr/bin/env python3
"""Cross-validates --similarity for each preset by the labelled pairs of its sources in ../shared/data, and prints a table of Markdown.

    nice benches/thresholds.py [PROGRAM]

A pair is two records under a --scope of their own, so one run judges all pairs at one similarity. Twenty times the pairs of a source
are cut into five folds: the similarity with the best F1 on four of them is measured on the fifth. The counts of the five are summed.
The last row of a preset is of all its pairs together.
"""

import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "target/release/quchong"
DATA = pathlib.Path("../shared/data")
SIMILARITIES = [hundredth / 100 for hundredth in range(54, 84, 2)]
DEFAULT = 0.62
TIMES, FOLDS = 20, 5
# The preset for each source.
PRESETS = {
    "posts": "weibo", "repost": "weibo", "quote": "weibo",
    "headline": "headline", "forum": "headline", "video": "headline", "question": "headline",
    "sms": "sms", "sms-spam": "sms",
}


def pairs():
    """The decided pairs by source and preset."""
    sources = collections.defaultdict(list)
    for name in ("weibo", "mixed", "more"):
        for line in (DATA / f"{name}-dev-pairs.jsonl").read_text(encoding="utf-8").splitlines():
            pair = json.loads(line)
            if pair["label"] != 2:
                source = pair.get("src", "posts")
                sources[source, PRESETS[source]].append(pair)
    for preset in sorted(set(PRESETS.values())):
        sources["all of them", preset] = [pair for (_, of), some in sources.items() if of == preset for pair in some]
    return sorted(sources.items(), key=lambda item: item[0][1])


def found(pairs, preset, similarity):
    """Which of the pairs the rule calls repeats."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        for number, pair in enumerate(pairs):
            for text in (pair["a"], pair["b"]):
                file.write(json.dumps({"pair": number, "text": text}, ensure_ascii=False) + "\n")
        file.flush()
        options = ["--preset", preset, "--similarity", str(similarity), "--scope", "pair", "--output", "dropped"]
        out = subprocess.run([PROGRAM, "dedup", "-q", file.name, *options], check=True, capture_output=True).stdout
    return {json.loads(line)["pair"] for line in out.splitlines()}


def counts(pairs, some, repeats):
    """True and false positives, and false negatives, among some of the pairs."""
    found = [n for n in some if n in repeats]
    right = sum(pairs[n]["label"] for n in found)
    return right, len(found) - right, sum(pairs[n]["label"] for n in some) - right


def f1(right, wrong, missed):
    return 2 * right / (2 * right + wrong + missed) if right else 0.0


def main():
    chance = random.Random(1)
    print("| preset | source | pairs | chosen most often | F1, cross-validated | F1 at the default |")
    print("|---|---|---:|---|---:|---:|")
    for (source, preset), labelled in pairs():
        repeats = {at: found(labelled, preset, at) for at in SIMILARITIES}
        chosen, scores = collections.Counter(), []
        numbers = list(range(len(labelled)))
        for _ in range(TIMES):
            chance.shuffle(numbers)
            total = (0, 0, 0)
            for fold in range(FOLDS):
                held = set(numbers[fold::FOLDS])
                others = [n for n in numbers if n not in held]
                # Of equal ones the nearest to the default, since nothing speaks for another one.
                best = max(SIMILARITIES, key=lambda at: (f1(*counts(labelled, others, repeats[at])), -abs(at - DEFAULT)))
                chosen[best] += 1
                total = tuple(map(sum, zip(total, counts(labelled, held, repeats[best]))))
            scores.append(f1(*total))
        at, times = chosen.most_common(1)[0]
        default = f1(*counts(labelled, numbers, repeats[DEFAULT]))
        mean = sum(scores) / len(scores)
        print(f"| `{preset}` | {source} | {len(labelled)} | {at:.2f} ({times} of {TIMES * FOLDS}) | {mean:.3f} | {default:.3f} |")


if __name__ == "__main__":
    main()
