#!/usr/bin/env python3
"""Sends the messages of a JSONL file to `quchong serve`, writes the kept ones, and notes how far it has come once they are written.

    quchong serve --state seen &
    python3 examples/service_client.py feed.jsonl kept.jsonl

Start it again after any crash, of it or of the service: it sends again what it had not noted, and gets the same answers again.
What cannot be judged goes to kept.jsonl.errors, and the exit code is then 3. QUCHONG_SERVICE is another address, QUCHONG_TOKEN a token.
"""
import hashlib, http.client, json, os, sys, time

if len(sys.argv) != 3 or not os.path.isfile(sys.argv[1]):
    sys.exit("write: service_client.py FEED KEPT, where FEED is a file of JSON lines that is there")
feed, kept, most = sys.argv[1], sys.argv[2], 1 << 20
MOST = 4 << 20  # Bytes of a body. Raise it with --max-body of the service, and not above.
host, colon, port = os.environ.get("QUCHONG_SERVICE", "127.0.0.1:7878").rpartition(":")
if not (host and port.isdecimal()) or "/" in host:
    sys.exit("QUCHONG_SERVICE: write HOST:PORT, as 127.0.0.1:7878")
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
    is_told = False
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
        except (OSError, http.client.HTTPException) as error:
            if not is_told:  # It may come back.
                print(f"{host}:{port}: {error}; waiting for the service", file=sys.stderr)
            is_told = True
        time.sleep(0.2)

def batch(source):
    """The next lines of about a mebibyte that are messages, and where they end. A line without an end may not be whole yet."""
    lines, size, end = [], 0, source.tell()
    while size < most and (line := source.readline()).endswith(b"\n"):
        end, size = source.tell(), size + len(line)
        if line.decode(errors="replace").replace("\ufeff", "").strip():  # A blank line gets no answer.
            lines.append(line)
    return lines, end

def before(source, read):
    """What stands before a place of the feed: another file has something else there."""
    source.seek(max(0, read - 4096))
    return hashlib.sha256(source.read(min(read, 4096))).hexdigest()

note = kept + ".offsets"  # How far the feed was read, how long the outputs were then, and what was read last.

def save(*where):
    with open(note + ".new", "w") as new:
        json.dump(where, new)
    os.replace(note + ".new", note)

if not os.path.exists(note):
    if os.path.exists(kept) and os.path.getsize(kept):
        sys.exit(f"{kept}: was written by something else; name another file")
    save(0, 0, hashlib.sha256().hexdigest(), 0)
read, written, known, failed = (json.load(open(note)) + [0])[:4]
unjudged = 0
with open(feed, "rb") as source, open(kept, "ab") as output, open(kept + ".errors", "ab") as errors:
    if os.path.getsize(feed) < read or before(source, read) != known:
        print(f"{feed}: is not what was read up to byte {read}; name that one, or delete {kept} and {note}", file=sys.stderr)
        sys.exit(2)
    output.truncate(written)
    errors.truncate(failed)
    while (found := batch(source))[1] > read:
        lines, read = found
        answers = ask(lines)
        for line, answer in zip(lines, answers):
            if answer["verdict"] == "kept":
                output.write(line)
            elif answer["verdict"] == "error":
                errors.write(line)
                unjudged += 1
                if unjudged <= 10:
                    print(f"{feed}: {answer['reason']}: {line[:100].decode(errors='replace').strip()}", file=sys.stderr)
        errors.flush()
        os.fsync(errors.fileno())
        output.flush()
        os.fsync(output.fileno())
        save(read, output.tell(), before(source, read), errors.tell())
    if os.path.getsize(feed) > read:
        print(f"{feed}: its last line has no end, and was not sent; start this again once it has one", file=sys.stderr)
if unjudged:
    print(f"{feed}: {unjudged} could not be judged, and went to {kept}.errors", file=sys.stderr)
    sys.exit(3)
