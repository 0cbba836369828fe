"""What the deduplicators of data-juicer, datatrove, text-dedup, datasketch, rensa and gaoya make of the same posts and labelled pairs.

    benches/compare.sh frameworks [NAME…]       installs them, measures, and rewrites the table in benches/RESULTS.md

Each tool is a process of its own, which gets the posts as they are, removes repeats in one thread and says how many are gone; GNU
time measures it whole, with its start. The quick ones also get all posts. Then each judges the labelled pairs, as a data set of two
texts: whether the later one goes. Frameworks are asked by the functions with which they sign and compare, since a run of a
framework for each pair would take hours. A name in the arguments measures those tools whose names begin so, and prints their rows.

*defaults* are those of each package. *characters* are quchong's settings, for a package that can have them: pairs of characters,
128 permutations and a similarity of 0.5, for which datasketch, data-juicer and text-dedup choose 25 bands of 5, so that the others
get these, too; or 64 bits to distance 4. *words* is datatrove's tokenizer for Chinese (spaCy with jieba) with its other defaults.
"""

import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import streamed
from streamed import P, SIMILARITY

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / ".." / "shared" / "data"
RESULTS = ROOT / "benches" / "RESULTS.md"
QUCHONG = Path(os.environ.get("QUCHONG", ROOT / "target" / "release" / "quchong"))
PAIRS = {"posts": "weibo-dev-pairs.jsonl", "mixed": "mixed-dev-pairs.jsonl"}
FEW, ALL = 20_000, 300_000
BANDS, ROWS, DISTANCE = 25, 5, 4


def data_juicer(operator, **options):
    """Its operator, but for the last step of `run`, which installs PyTorch to empty the cache of a graphics card."""
    from data_juicer.core.data import NestedDataset
    from data_juicer.ops.deduplicator.document_minhash_deduplicator import DocumentMinhashDeduplicator
    from data_juicer.ops.deduplicator.document_simhash_deduplicator import DocumentSimhashDeduplicator
    from data_juicer.utils.constant import HashKeys
    from datasets import Dataset, disable_progress_bars
    from loguru import logger

    logger.remove()
    disable_progress_bars()
    of = (DocumentMinhashDeduplicator if operator == "minhash" else DocumentSimhashDeduplicator)(num_proc=1, **options)

    def drop(texts):
        hashed = NestedDataset(Dataset.from_dict({"text": texts})).map(of.compute_hash, num_proc=1)
        return len(texts) - len(of.process(hashed)[0])

    def is_repeat(a, b):
        a, b = (of.compute_hash({"text": text}) for text in (a, b))
        if operator == "minhash":
            return any(one == other for one, other in zip(a[HashKeys.minhash], b[HashKeys.minhash]))
        return (int(a[HashKeys.simhash]) ^ int(b[HashKeys.simhash])).bit_count() <= of.hamming_distance

    return drop, is_repeat


def characters():
    """A tokenizer for datatrove, which has none that cuts into characters."""
    from datatrove.utils.word_tokenizers import WordTokenizer

    class Characters(WordTokenizer):
        def word_tokenize(self, text):
            return list(text.replace(" ", ""))

        sent_tokenize = span_tokenize = None

    return Characters()


def datatrove(language, **options):
    """Its four steps, with files between them, as its example has them."""
    from datatrove.data import Document
    from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.utils.logging import logger

    logger.remove()
    config = MinhashConfig(**options)
    language = language or characters()

    def drop(texts):
        documents = lambda: (Document(text=text, id=str(number)) for number, text in enumerate(texts))
        with tempfile.TemporaryDirectory() as folder:
            signatures, buckets, removed = (f"{folder}/{name}" for name in ("signatures", "buckets", "removed"))
            MinhashDedupSignature(signatures, config, language).run(documents())
            for bucket in range(config.num_buckets):
                MinhashDedupBuckets(signatures, buckets, config=config).run(None, bucket, config.num_buckets)
            MinhashDedupCluster(buckets, removed, config).run()
            return len(texts) - sum(1 for _ in MinhashDedupFilter(removed).run(documents()))

    signer = MinhashDedupSignature(tempfile.gettempdir(), config, language)

    def is_repeat(a, b):
        a, b = (signer.get_shingles(text) for text in (a, b))
        # A document without shingles is kept.
        return bool(a.size and b.size) and any(one == other for one, other in zip(signer.get_signature(a), signer.get_signature(b)))

    return drop, is_repeat


def text_dedup(method, options, spaced=False, **same):
    """Its command, which keeps results as Arrow. Texts of fewer tokens than --min_length are not in them."""
    from datasets import load_from_disk

    def drop(texts):
        with tempfile.TemporaryDirectory() as folder:
            source, output = Path(folder, "texts.jsonl"), Path(folder, "out")
            # A text of fewer than five characters ends its SimHash.
            given = [" ".join(text) if spaced else text for text in texts if method == "minhash" or len(text) >= 5]
            source.write_text("".join(json.dumps({"text": text}) + "\n" for text in given), encoding="utf-8")
            command = [sys.executable, "-m", f"text_dedup.{method}", "--path", "json", "--split", "train", "--column", "text"]
            command += ["--num_proc", "1", "--data_files", source, "--output", output, "--cache_dir", folder, *options.split()]
            environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": folder}
            subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return len(given) - len(load_from_disk(str(output)))

    return drop, text_dedup_pair(method, spaced, **same)


def text_dedup_pair(method, spaced=False, ngram=5, num_perm=250, threshold=0.7, min_length=5, bits=3):
    import numpy as np
    from text_dedup.utils import optimal_param, sha1_hash, xxh3_64_digest

    if method == "simhash":
        from text_dedup.simhash import _hamming_distance, _unsigned_hash, compute
        from text_dedup.utils import ngrams

        def sign(text):
            found = {"".join(gram).lower().encode() for gram in ngrams(list(text), n=ngram)}
            return compute([_unsigned_hash(gram, xxh3_64_digest) for gram in found]) if found else None

        def is_repeat(a, b):
            a, b = sign(a), sign(b)
            return a is not None and b is not None and _hamming_distance(a, b) <= bits

        return is_repeat

    from text_dedup.minhash import NON_ALPHA, SIGNATURE_COLUMN, embed_func

    many, each = optimal_param(threshold, num_perm)
    random, prime = np.random.RandomState(42), np.uint64((1 << 61) - 1)
    permutations = (random.randint(1, prime, num_perm, np.uint64), random.randint(0, prime, num_perm, np.uint64))

    def bands_of(text):
        text = " ".join(text) if spaced else text
        if len(NON_ALPHA.split(text.lower())) < min_length:
            return None
        ranges = [(at * each, (at + 1) * each) for at in range(many)]
        found = embed_func(
            text, 0, num_perm=num_perm, ngram_size=ngram, min_length=min_length, hashranges=ranges, permutations=permutations,
            hash_func=lambda data: sha1_hash(data, d=32), dtype=np.uint64, max_hash=np.uint32((1 << 32) - 1), modulo_prime=prime,
        )
        return found[SIGNATURE_COLUMN]

    def is_repeat(a, b):
        a, b = bands_of(a), bands_of(b)
        return a is not None and b is not None and any(one == other for one, other in zip(a, b))

    return is_repeat


def of_two(drop):
    """Both: what is dropped, and whether of two texts the later one is."""
    return drop, lambda a, b: drop([a, b]) == 1


def in_stream(sign, index, verified=False):
    """An index for so many texts, which is asked and told text by text."""
    return of_two(lambda texts: streamed.dropped(map(streamed.shingles, texts), sign, index(len(texts)), verified))


def datasketch(**options):
    sign, index = streamed.datasketch(**options)
    return in_stream(sign, lambda _: index(), verified=bool(options))


class Bloom:
    """datasketch's index of Bloom filters, which takes no name of a text."""

    def __init__(self, count):
        from datasketch import MinHashLSHBloom

        warnings.simplefilter("ignore")
        self.index = MinHashLSHBloom(num_perm=P, params=(BANDS, ROWS), n=max(count, 100), fp=1e-5)
        self.query = self.index.query

    def insert(self, _, signature):
        self.index.insert(signature)


def rensa():
    sign, index = streamed.rensa()
    return in_stream(sign, lambda _: index(), verified=True)


def gaoya(**options):
    from gaoya.minhash import MinHashStringIndex

    def drop(texts):
        index, dropped = MinHashStringIndex(**options), 0
        for number, text in enumerate(texts):
            if index.query(text):
                dropped += 1
            else:
                index.insert_document(number, text)
        return dropped

    return of_two(drop)


def quchong(options):
    """The command, which reads a file of posts itself."""

    def drop(texts):
        with tempfile.TemporaryDirectory() as folder:
            source, summary = texts, Path(folder, "summary.json")
            if not isinstance(texts, Path):
                source = Path(folder, "texts.jsonl")
                source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
            command = [QUCHONG, "dedup", "--quiet", "-j", "1", *options.split(), "--summary", summary, source]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            counts = json.loads(summary.read_text())["dropped"]
            return counts["exact"] + counts["near"]

    return of_two(drop)


CHARACTERS = {"tokenization": "character", "window_size": 2}
BANDED = f"--ngram 2 --min_length 1 --num_perm {P} --threshold {SIMILARITY}"
LIKE_BANDED = {"ngram": 2, "min_length": 1, "num_perm": P, "threshold": SIMILARITY}
CHAR_BANDS = {"num_bands": BANDS, "band_size": ROWS, "analyzer": "char", "ngram_range": (2, 2)}
#: Name: (package, whether it is quick enough for all posts, what makes its two functions).
TOOLS = {
    "quchong, defaults": ("", True, lambda: quchong("")),
    "quchong --near minhash": ("", True, lambda: quchong("--near minhash")),
    "quchong --near simhash": ("", True, lambda: quchong("--near simhash")),
    "data-juicer minhash, defaults": ("py-data-juicer", False, lambda: data_juicer("minhash")),
    "data-juicer minhash, characters": (
        "py-data-juicer",
        False,
        lambda: data_juicer("minhash", **CHARACTERS, num_permutations=P, jaccard_threshold=SIMILARITY),
    ),
    "data-juicer simhash, defaults": ("py-data-juicer", False, lambda: data_juicer("simhash")),
    "data-juicer simhash, characters": ("py-data-juicer", False, lambda: data_juicer("simhash", **CHARACTERS)),
    "datatrove minhash, defaults": ("datatrove", False, lambda: datatrove("eng")),
    "datatrove minhash, words": ("datatrove", False, lambda: datatrove("cmn_Hani")),
    "datatrove minhash, characters": (
        "datatrove",
        False,
        lambda: datatrove(None, n_grams=2, num_buckets=BANDS, hashes_per_bucket=ROWS),
    ),
    "text-dedup minhash, defaults": ("text-dedup", False, lambda: text_dedup("minhash", "")),
    "text-dedup minhash, characters": ("text-dedup", False, lambda: text_dedup("minhash", BANDED, spaced=True, **LIKE_BANDED)),
    "text-dedup simhash, defaults": ("text-dedup", False, lambda: text_dedup("simhash", "", ngram=3)),
    "text-dedup simhash, characters": (
        "text-dedup",
        False,
        lambda: text_dedup("simhash", f"--ngram 2 --bit_diff {DISTANCE} --num_bucket 6", ngram=2, bits=DISTANCE),
    ),
    "datasketch LSH, defaults": ("datasketch", False, datasketch),
    "datasketch LSH, characters": ("datasketch", False, lambda: datasketch(threshold=SIMILARITY)),
    "datasketch LSHBloom, characters": ("datasketch", False, lambda: in_stream(streamed.datasketch()[0], Bloom)),
    "rensa LSH, characters": ("rensa", True, rensa),
    "gaoya minhash, defaults": ("gaoya", True, gaoya),
    "gaoya minhash, characters": ("gaoya", True, lambda: gaoya(jaccard_threshold=SIMILARITY, lowercase=True, **CHAR_BANDS)),
}


def scores(is_repeat, body=None):
    """(precision, recall, F1) on the decided pairs of each file."""
    found = {}
    for name, file in PAIRS.items():
        pairs = [json.loads(line) for line in (DATA / file).read_text(encoding="utf-8").splitlines()]
        pairs = [pair for pair in pairs if pair["label"] != 2]
        sides = [[pair[side] for pair in pairs] for side in ("a", "b")]
        if body:
            sides = [body(side) for side in sides]
        said = [is_repeat(a, b) for a, b in zip(*sides)]
        right = sum(repeat and pair["label"] == 1 for repeat, pair in zip(said, pairs))
        precision, recall = right / max(sum(said), 1), right / sum(pair["label"] for pair in pairs)
        found[name] = precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)
    return found


def bodies(texts):
    """What quchong's engines compare."""
    lines = "".join(text.replace("\n", " ") + "\n" for text in texts)
    forms = subprocess.run([QUCHONG, "normalise"], input=lines.encode(), check=True, capture_output=True).stdout
    return [json.loads(form)["body"] for form in forms.splitlines()]


def one(what, name, count):
    """In a process of its own: counts what is dropped of the posts, or judges the pairs."""
    package, _, make = TOOLS[name]
    drop, is_repeat = make()
    if what == "posts":
        with tempfile.TemporaryDirectory() as folder, open(DATA / "weibo-dev.jsonl", "rb") as file:
            posts = Path(folder, "posts.jsonl")
            with open(posts, "wb") as first:
                first.writelines(itertools.islice(file, count))
            if not package:
                return drop(posts)
            with open(posts, "rb") as lines:
                return drop([json.loads(line)["text"] for line in lines])
    return scores(is_repeat), scores(is_repeat, bodies) if package else {}


def timed(command):
    """What a process prints as JSON; its seconds by the clock and of processors; the most megabytes of one of its processes."""
    with tempfile.NamedTemporaryFile("r") as told:
        started = time.perf_counter()
        shown = ["/usr/bin/time", "-o", told.name, "-f", "%U %S %M", *map(str, command)]
        output = subprocess.run(shown, check=True, stdout=subprocess.PIPE).stdout
        user, system, kilobytes = map(float, told.read().split())
        return json.loads(output.splitlines()[-1]), time.perf_counter() - started, user + system, kilobytes / 1e3


def three(figures):
    return " / ".join(f"{figure:.3f}" for figure in figures)


def measured(name, count):
    """The columns of time and memory over so many posts."""
    dropped, wall, seconds, megabytes = timed([sys.executable, __file__, "posts", name, count])
    return [f"{dropped:,}", f"{seconds:.1f}", f"{wall:.1f}", f"{count / seconds:,.0f}", f"{megabytes:,.0f}"]


def judged(name):
    """The columns of the labelled pairs."""
    (raw, on_bodies), *_ = timed([sys.executable, __file__, "pairs", name, 0])
    return [*(three(raw[part]) for part in PAIRS), " and ".join(f"{on_bodies[part][2]:.3f}" for part in on_bodies) or "–"]


COST = ["dropped", "processor s", "clock s", "posts per processor s", "MB"]
HEADS = {"frameworks": [*COST, "posts: P / R / F1", "mixed: P / R / F1", "F1 of both on bodies"], "frameworks-all": COST}


def main():
    if len(sys.argv) == 4 and sys.argv[1] in ("posts", "pairs"):
        print(json.dumps(one(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
        return
    chosen = [name for name in TOOLS if any(name.startswith(asked) for asked in sys.argv[1:] or [""])]
    for mark, head in HEADS.items():
        rows = []
        for name in chosen:
            package, is_quick, _ = TOOLS[name]
            if mark == "frameworks-all" and not is_quick:
                continue
            label = name.replace(" ", f" {version(package)} ", 1) if package else name
            figures = [*measured(name, FEW), *judged(name)] if mark == "frameworks" else measured(name, ALL)
            rows.append("| " + " | ".join([f"`{label}`", *figures]) + " |\n")
            print(rows[-1], end="", flush=True)
        if not sys.argv[1:]:
            content = f"| {' | '.join(['tool', *head])} |\n|{'---|' * (len(head) + 1)}\n" + "".join(rows)
            text = RESULTS.read_text(encoding="utf-8")
            text, found = re.subn(f"(<!-- {mark} -->\n).*?(<!-- end -->)", lambda at: at[1] + content + at[2], text, flags=re.S)
            assert found == 1, f"{RESULTS} has no place for {mark}"
            RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
