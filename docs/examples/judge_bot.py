#!/usr/bin/env python3
"""An external judge: decides on what is held in a room. Usage: judge_bot.py http://127.0.0.1:8083 ROOM TOKEN"""
import json, sys, time, urllib.error, urllib.parse, urllib.request

server, room, token = sys.argv[1:4]
headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}

def decide(text):  # Your model goes here: ("approve", {}), ("approve", {"text": "edited"}) or ("reject", {}).
    return ("reject", {"reason": "bot"}) if "buy" in text.lower() else ("approve", {"reason": "bot"})

def post(path, body):
    request = urllib.request.Request(f"{server}/v1/moderation/{path}", json.dumps(body).encode(), headers)
    try:
        urllib.request.urlopen(request, timeout=5).close()
    except urllib.error.HTTPError as error:
        print(path, error.code, file=sys.stderr)  # 409: somebody else decided first.

last = {}
while True:
    try:
        url = f"{server}/v1/moderation/rooms/{urllib.parse.quote(room, safe='')}/stream"
        for line in urllib.request.urlopen(urllib.request.Request(url, headers=headers | last), timeout=60):
            name, _, value = line.decode().strip().partition(": ")
            if name == "event": kind = value
            if name == "id": last = {"last-event-id": value}
            if name == "data" and kind == "held":
                held = json.loads(value)
                post(f"holds/{held['id']}/{(answer := decide(held['text']))[0]}", answer[1])
    except OSError as error:
        print("again:", error, file=sys.stderr); time.sleep(1)
