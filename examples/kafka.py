#!/usr/bin/env python3
"""Reads messages from a Kafka topic, asks `quchong serve`, and writes the kept ones to a file.

    quchong serve --state seen &
    python3 examples/kafka.py 127.0.0.1:9092 posts kept.jsonl

It needs the package `confluent-kafka` (pip, or Debian's python3-confluent-kafka). Offsets are noted beside the output once that is on
disk, and then committed, so that monitors see the lag: kill this program or the service at any moment, start it again, and nothing
is lost or doubled. One program reads all partitions of the topic. What cannot be judged is told on standard error.

QUCHONG_SERVICE is the address of the service, QUCHONG_TOKEN a token.
"""
import http.client, json, os, sys, time
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, TopicPartition

brokers, topic, kept = sys.argv[1:4]
MOST = 4 << 20  # Bytes of a body. Raise it with --max-body of the service, and not above.
host, port = os.environ.get("QUCHONG_SERVICE", "127.0.0.1:7878").rsplit(":", 1)
headers = {"Authorization": "Bearer " + os.environ["QUCHONG_TOKEN"]} if "QUCHONG_TOKEN" in os.environ else {}

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

def line(message):
    """The message as a line. Its id is its place: a producer may send one message twice, and no place is that of another."""
    place = f"{topic}/{message.partition()}/{message.offset()}"
    try:
        return json.dumps({"id": place, "text": json.loads(message.value())["text"]}, ensure_ascii=False).encode() + b"\n"
    except (KeyError, RecursionError, TypeError, ValueError):  # The service says that this is no message.
        return json.dumps({"id": place, "text": None}).encode() + b"\n"

note = kept + ".offsets"  # The offsets to read on from, by partition, and how long the output was then.

def save(offsets, written):
    with open(note + ".new", "w") as new:
        json.dump((offsets, written), new)
        new.flush()
        os.fsync(new.fileno())
    os.replace(note + ".new", note)

if not os.path.exists(note):
    if os.path.exists(kept) and os.path.getsize(kept):
        sys.exit(f"{kept}: was written by something else; name another file")
    save({}, 0)
offsets, written = json.load(open(note))
consumer = Consumer({"bootstrap.servers": brokers, "group.id": "quchong", "enable.auto.commit": False, "auto.offset.reset": "error"})
partitions = consumer.list_topics(topic, timeout=60).topics[topic].partitions
consumer.assign([TopicPartition(topic, each, offsets.get(str(each), OFFSET_BEGINNING)) for each in partitions])
with open(kept, "ab") as output:
    output.truncate(written)
    while True:
        messages = consumer.consume(500, timeout=0.5)
        for message in messages:
            if message.error():  # Also an offset that the topic no longer has: what came before it is gone.
                raise KafkaException(message.error())
        if not messages:
            continue
        answers = ask(list(map(line, messages)))
        for message, answer in zip(messages, answers):
            if answer["verdict"] == "kept":
                output.write(message.value().replace(b"\n", b" ") + b"\n")  # JSON may have line ends between its parts.
            elif answer["verdict"] == "error":
                print(f"{topic}/{message.partition()}/{message.offset()}: {answer}", file=sys.stderr)
            offsets[str(message.partition())] = message.offset() + 1
        output.flush()
        os.fsync(output.fileno())
        save(offsets, output.tell())
        consumer.commit(offsets=[TopicPartition(topic, int(each), offset) for each, offset in offsets.items()], asynchronous=True)
