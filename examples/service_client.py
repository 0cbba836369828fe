#!/usr/bin/env python3
"""Sends the messages of a JSONL file to `quchong serve`, writes the kept ones, and notes how far it has come once they are written.

    quchong serve --state seen &
    python3 examples/service_client.py feed.jsonl kept.jsonl

Start it again after any crash, of it or of the service: it sends again what it had not noted, and gets the same answers again.
"""
import http.client, json, os, sys, time

feed, kept, batch = sys.argv[1], sys.argv[2], 500
host, port = os.environ.get("QUCHONG_SERVICE", "127.0.0.1:7878").rsplit(":", 1)

def ask(body):
    """The answers to a batch; it is sent until they come."""
    while True:
        try:
            service = http.client.HTTPConnection(host, int(port), timeout=60)
            service.request("POST", "/v1/messages", body)
            answer = service.getresponse()
            lines = answer.read().splitlines()
            if answer.status == 200:
                return [json.loads(line) for line in lines]
            if answer.status not in (408, 500, 503):
                sys.exit(f"{answer.status}: {lines[:1]}")
        except (OSError, http.client.HTTPException):
            pass  # The service is not there: it may come back.
        time.sleep(0.2)

note = kept + ".offsets"  # How far the feed was read, and how long the output was then.
read, written = json.load(open(note)) if os.path.exists(note) else (0, 0)
with open(feed, "rb") as source, open(kept, "ab") as output:
    source.seek(read)
    output.truncate(written)
    while lines := [line for line in (source.readline() for _ in range(batch)) if line]:
        output.writelines(line for line, answer in zip(lines, ask(b"".join(lines))) if answer["verdict"] == "kept")
        output.flush()
        os.fsync(output.fileno())
        json.dump((source.tell(), output.tell()), open(note + ".new", "w"))
        os.replace(note + ".new", note)
