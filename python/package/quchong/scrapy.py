"""quchong as an item pipeline of Scrapy, which asks a service (`quchong serve --state seen`).

    ITEM_PIPELINES = {"quchong.scrapy.QuchongPipeline": 300}
    QUCHONG_URL = "http://127.0.0.1:7878"

Several crawlers can ask one service: what one of them has kept is a repeat for all others.
"""

from __future__ import annotations

import http.client
import json
import logging
import threading
import time
from typing import Any
from urllib.parse import urlsplit

from itemadapter import ItemAdapter
from scrapy.exceptions import CloseSpider, DropItem
from scrapy.utils.defer import maybe_deferred_to_future

logger = logging.getLogger(__name__)

# Statuses after which the same request may be answered.
AGAIN = (400, 408, 500, 503)


class QuchongPipeline:
    """Drops items that repeat an earlier one, by the rule of quchong for short Chinese texts.

    QUCHONG_URL is the service, QUCHONG_TOKEN its token. QUCHONG_ID_FIELD ("id"), QUCHONG_TEXT_FIELD ("text") and
    QUCHONG_TIME_FIELD (none) name fields of the items. A DropItem has the answer of the service as its `answer`. An item that
    cannot be judged goes on, with a warning. While the service is away, items wait for QUCHONG_PATIENCE seconds (60). Where it does not
    answer at the start of a crawl, or refuses, the crawl does not begin."""

    def __init__(self, settings: Any, stats: Any) -> None:
        url = urlsplit(settings.get("QUCHONG_URL", "http://127.0.0.1:7878"))
        self.url = url.geturl()
        try:
            port = url.port
            self.is_address = url.scheme in ("http", "https") and bool(url.hostname)
        except ValueError:  # Of a port that is none.
            port, self.is_address = None, False
        self.connect = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        self.host, self.port, self.path = url.hostname or "", port, url.path.rstrip("/") + "/v1/messages"
        token = settings.get("QUCHONG_TOKEN")
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        names = {"id": "id", "text": "text", "time": None}
        fields = {name: settings.get(f"QUCHONG_{name.upper()}_FIELD", usual) for name, usual in names.items()}
        self.fields = {field: name.replace("time", "created_at") for name, field in fields.items() if field}
        self.patience = settings.getfloat("QUCHONG_PATIENCE", 60)
        self.stats = stats
        self.local = threading.local()

    @classmethod
    def from_crawler(cls, crawler: Any) -> QuchongPipeline:
        return cls(crawler.settings, crawler.stats)

    async def open_spider(self, spider: Any = None) -> None:
        from twisted.internet.threads import deferToThread

        try:
            if not self.is_address:
                raise RuntimeError(f"QUCHONG_URL: {self.url} is no address; write one as http://127.0.0.1:7878")
            await maybe_deferred_to_future(deferToThread(self.send, b""))
        except RuntimeError as error:
            # Not NotConfigured, after which a crawl would go on without its pipeline.
            logger.error("quchong: %s", error)
            raise CloseSpider("quchong") from None

    async def process_item(self, item: Any, spider: Any = None) -> Any:
        # It imports the reactor, which Scrapy has chosen by now.
        from twisted.internet.threads import deferToThread

        adapter = ItemAdapter(item)
        found = {name: adapter.get(field) for field, name in self.fields.items()}
        message = json.dumps(found, default=lambda value: value.isoformat() if hasattr(value, "isoformat") else str(value))
        answer = await maybe_deferred_to_future(deferToThread(self.ask, message.encode()))
        self.stats.inc_value(f"quchong/{answer['verdict']}")
        if answer["verdict"] == "error":
            logger.warning("quchong: %s: not judged: %s", self.name(found), answer["reason"])
        elif answer["verdict"] != "kept":
            dropped = DropItem(f"{found['id']}: a repeat ({answer['verdict']}) of {answer['of']}")
            dropped.answer = answer
            raise dropped
        return item

    @staticmethod
    def name(found: dict[str, Any]) -> str:
        """What a warning calls an item: its id, or the beginning of its text."""
        return str(found["id"]) if found.get("id") is not None else repr(str(found.get("text"))[:40])

    def ask(self, message: bytes) -> dict[str, Any]:
        """The answer to a message."""
        answer: dict[str, Any] = json.loads(self.send(message))
        return answer

    def send(self, message: bytes) -> bytes:
        """What is said to a message. It is sent until it is answered: sent again, it gets the same answer."""
        until = time.monotonic() + self.patience
        while True:
            try:
                service = getattr(self.local, "service", None) or self.connect(self.host, self.port, timeout=self.patience)
                service.request("POST", self.path, message, self.headers)
                response = service.getresponse()
                status, said = response.status, response.read()
                kind = response.headers.get_content_type()
                self.local.service = service
            except (OSError, http.client.HTTPException) as error:
                self.local.service = None
                status, said, kind = 503, str(error).encode(), "text/plain"
            if status == 200 and kind == "application/x-ndjson":
                return said
            if status not in AGAIN or time.monotonic() > until:
                # Another server answers with a page.
                said = said if kind == "text/plain" else f"{status}: no `quchong serve` answers here".encode()
                raise RuntimeError(f"{self.url}: {said.decode(errors='replace').strip()} (QUCHONG_URL, QUCHONG_TOKEN)")
            time.sleep(0.2)
