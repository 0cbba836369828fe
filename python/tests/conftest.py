"""What the tests share: the command line, and posts."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
DEV_POSTS = ROOT / "../shared/data/weibo-dev.jsonl"
POSTS = 50_000


@pytest.fixture(scope="session")
def cli():
    """The binary: QUCHONG, or what was built last."""
    built = [ROOT / "target" / kind / "quchong" for kind in ("release", "debug")]
    found = [path for path in [Path(os.environ.get("QUCHONG", "")), *built] if path.is_file()]
    if not found:
        pytest.skip("no binary of the command line: cargo build --release, or QUCHONG=PATH")
    return found[0]


@pytest.fixture(scope="session")
def posts(cli, tmp_path_factory):
    """A JSONL file of posts and its records: real ones, where they are there; else generated ones behind the examples."""
    path = tmp_path_factory.mktemp("posts") / "posts.jsonl"
    if DEV_POSTS.exists():
        with DEV_POSTS.open("rb") as file:
            lines = [line for line, _ in zip(file, range(POSTS))]
    else:
        lines = (ROOT / "data/posts.jsonl").read_bytes().splitlines(keepends=True)
        # Their ids begin at 1 again.
        lines += subprocess.run([cli, "generate", "--lines", str(POSTS)], check=True, capture_output=True).stdout.splitlines(
            keepends=True
        )
    path.write_bytes(b"".join(lines))
    return path, [json.loads(line) for line in lines]
