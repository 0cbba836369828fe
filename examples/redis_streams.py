#!/usr/bin/env python3
"""Reads messages from a Redis stream as a consumer group, asks `quchong serve`, and writes the kept ones to another stream.

    redis-cli XADD posts '*' json '{"text":"今天武汉的樱花开了"}'
    quchong serve --state seen &
    python3 examples/redis_streams.py posts kept

It needs the package `redis` (pip install redis, or Debian's python3-redis). What is kept is added and acknowledged in one
transaction, after the answer: kill this program or the service at any moment, start it again, and nothing is lost or doubled.
What cannot be judged goes to the stream `kept:errors`. One program at a time may have one NAME; several names share the work.

REDIS_URL is the address of Redis, QUCHONG_SERVICE that of the service, QUCHONG_TOKEN a token, NAME the consumer.
"""
import http.client, json, os, sys, time
import redis, redis.backoff, redis.retry

posts, kept, group, name = sys.argv[1], sys.argv[2], "quchong", os.environ.get("NAME", "a")
MOST = 4 << 20  # Bytes of a body. Raise it with --max-body of the service, and not above.
host, port = os.environ.get("QUCHONG_SERVICE", "127.0.0.1:7878").rsplit(":", 1)
headers = {"Authorization": "Bearer " + os.environ["QUCHONG_TOKEN"]} if "QUCHONG_TOKEN" in os.environ else {}
# What was sent and has no answer is not sent again: it may have been done. This program ends, and the next one finds out.
once = redis.retry.Retry(redis.backoff.NoBackoff(), 0)
store = redis.Redis.from_url(os.environ.get("REDIS_URL", "redis://127.0.0.1:6379"), retry=once, socket_timeout=60)

def ask(lines):
    """The answers to some lines, which are sent in parts. A line that is longer than a part is not sent."""
    answers = []
    while len(answers) < len(lines):
        part, size = [], 0
        for line in lines[len(answers):]:
            size += len(line)
            if size > MOST:
                break
            part.append(line)
        found = send(b"".join(part)) if part else [{"verdict": "error", "reason": f"it has more than {MOST} bytes"}]
        assert len(found) == max(1, len(part)), "an answer for each message"
        answers += found
    return answers

def send(body):
    """The answers to a part; it is sent until they come."""
    while True:
        try:
            service = http.client.HTTPConnection(host, int(port), timeout=60)
            service.request("POST", "/v1/messages", body, headers)
            answer = service.getresponse()
            lines = answer.read().splitlines()
            if answer.status == 200:
                return [json.loads(line) for line in lines]
            if answer.status not in (400, 408, 500, 503):
                sys.exit(f"{answer.status}: {lines[:1]}")
        except (OSError, http.client.HTTPException):
            pass  # The service is not there: it may come back.
        time.sleep(0.2)

def message(entry, fields):
    """The entry as a line. Its id is that of the entry in its stream: a producer may send one message twice, and no entry has the id of another."""
    place = f"{posts}/{entry.decode()}"
    try:
        return json.dumps({"id": place, "text": json.loads(fields[b"json"])["text"]}, ensure_ascii=False).encode() + b"\n"
    except (KeyError, RecursionError, TypeError, ValueError):  # The service says that this is no message.
        return json.dumps({"id": place, "text": None}).encode() + b"\n"

try:
    store.xgroup_create(posts, group, id="0", mkstream=True)
except redis.ResponseError as error:
    if "BUSYGROUP" not in str(error):
        raise
# First what was given to this consumer and never acknowledged, then what is new.
after = "0"
while True:
    found = store.xreadgroup(group, name, {posts: after}, count=500, block=5000)
    entries = found[0][1] if found else []
    if not entries:
        after = ">"
        continue
    # An entry that was deleted meanwhile has no fields.
    entries = [(entry, fields or {}) for entry, fields in entries]
    answers = ask([message(entry, fields) for entry, fields in entries])
    done = store.pipeline(transaction=True)
    for (entry, fields), answer in zip(entries, answers):
        if answer["verdict"] == "kept":
            done.xadd(kept, fields)
        elif answer["verdict"] == "error":
            done.xadd(kept + ":errors", {**fields, "entry": entry, "reason": answer["reason"]})
    done.xack(posts, group, *[entry for entry, _ in entries])
    done.execute()
