"""The pipeline, in Scrapy, before a service."""

import json
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from test_frameworks import GUIDES, block

SPIDER = """
import json, sys
from scrapy import Spider
from scrapy.crawler import CrawlerProcess

class Posts(Spider):
    name = "posts"
    start_urls = [__import__("pathlib").Path("posts.html").absolute().as_uri()]

    def parse(self, response):
        for post in response.css("p"):
            yield {"id": post.attrib.get("id"), "text": post.css("::text").get()}

settings = json.loads(sys.argv[1]) | {"FEEDS": {"kept.jsonl": {"format": "jsonlines"}}, "CONCURRENT_ITEMS": 1, "TELNETCONSOLE_ENABLED": False}
process = CrawlerProcess(settings)
process.crawl(Posts)
process.start()
"""
POSTS = ["武汉加油！中国加油！", "武漢加油！中國加油!", "下雨了", "转发微博 //@小王:武汉加油！中国加油！"]


@pytest.fixture
def folder(tmp_path):
    pytest.importorskip("scrapy", reason="Scrapy is not installed: pip install scrapy")
    posts = "".join(f"<p id={id}>{text}</p>" for id, text in zip("abcd", POSTS))
    (tmp_path / "posts.html").write_text(f"<meta charset=utf-8>{posts}<p>没有 id", encoding="utf-8")
    (tmp_path / "token").write_text("geheim", encoding="utf-8")
    return tmp_path


@pytest.fixture
def serve(cli, folder):
    """Starts the service, at an address that stays the same."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    services = []

    def start():
        args = [cli, "serve", "--state", "seen", "--listen", f":{port}", "--token-file", "token"]
        services.append(subprocess.Popen(args, cwd=folder, stderr=subprocess.PIPE, text=True))
        assert "http://" in services[-1].stderr.readline()
        return services[-1]

    start.url = f"http://127.0.0.1:{port}"
    yield start
    for service in services:
        service.kill()
        service.communicate()


def crawl(folder, settings):
    return subprocess.Popen(
        [sys.executable, "-c", SPIDER, json.dumps(settings)], cwd=folder, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )


@pytest.mark.parametrize("guide", GUIDES)
def test_as_in_the_guide(serve, folder, guide):
    settings = {}
    exec(block(guide, "python", "QuchongPipeline"), settings)
    settings = {name: value for name, value in settings.items() if name.isupper()} | {"QUCHONG_URL": serve.url}
    serve()
    said = crawl(folder, settings | {"QUCHONG_TOKEN": "geheim"}).communicate()[1]
    kept = [json.loads(line)["id"] for line in Path(folder, "kept.jsonl").read_text(encoding="utf-8").splitlines()]
    # What cannot be judged goes on.
    assert kept == ["a", "c", None], said
    for told in [
        "b: a repeat (exact) of a",
        "d: a repeat (near) of a",
        "quchong: '没有 id': not judged: no field `id`",
        "'quchong/kept': 2",
        "'quchong/near': 1",
        "'quchong/error': 1",
        "'item_dropped_count': 2",
    ]:
        assert told in said, said
    assert "Deprecat" not in said, said


def test_it_waits_for_the_service_and_is_answered_the_same(serve, folder):
    settings = {"ITEM_PIPELINES": {"quchong.scrapy.QuchongPipeline": 300}, "QUCHONG_URL": serve.url, "QUCHONG_TOKEN": "geheim"}
    crawling = crawl(folder, settings)
    time.sleep(2)
    service = serve()
    first = crawling.communicate()[1]
    service.kill()
    serve()
    again = crawl(folder, settings).communicate()[1]
    for said in (first, again):
        assert "'item_scraped_count': 3" in said and "'item_dropped_count': 2" in said, said


def test_what_is_wrong_is_told(serve, folder):
    serve()
    pipeline = {"ITEM_PIPELINES": {"quchong.scrapy.QuchongPipeline": 300}}
    said = crawl(folder, pipeline | {"QUCHONG_URL": serve.url, "QUCHONG_TOKEN": "falsch"}).communicate()[1]
    assert "401: send the token" in said and "item_scraped_count" not in said, said
    # It ends before the first request, and says once why.
    with socket.create_server(("127.0.0.1", 0)) as free:
        away = f"http://127.0.0.1:{free.getsockname()[1]}"
    page = subprocess.Popen(
        [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    other = "http://127.0.0.1:" + page.stdout.readline().split(" port ")[1].split()[0]
    for url, told in [
        (away, f"{away}: [Errno"),
        (other, f"{other}: 501: no `quchong serve` answers here"),
        ("127.0.0.1:7878", "QUCHONG_URL: 127.0.0.1:7878 is no address"),
        ("http://127.0.0.1:p", "QUCHONG_URL: http://127.0.0.1:p is no address"),
    ]:
        said = crawl(folder, pipeline | {"QUCHONG_URL": url, "QUCHONG_PATIENCE": 1}).communicate()[1]
        assert said.count(told) == 1 and "downloader/request_count" not in said and "Traceback" not in said, said
        assert not Path(folder, "kept.jsonl").exists() or not Path(folder, "kept.jsonl").read_text(), said
    page.kill()
    page.communicate()
