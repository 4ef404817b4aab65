#!/usr/bin/env python3
"""Load a session, add a message at one of its entries and run one turn there.

    python3 turn.py SESSION-FILE ENTRY "Try it the other way"
"""
import json, subprocess, sys

session, entry, message, *options = sys.argv[1:]
bough = subprocess.Popen(["bough", "--mode", "rpc", *options],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)

def send(**command):
    bough.stdin.write(json.dumps(command).encode() + b"\n")
    bough.stdin.flush()

send(type="open_view", sessionPath=session, entryId=entry, attach=True)
send(type="append_message", parentId=entry, role="user", content=message)
send(type="run_turn")
failed = None
for line in bough.stdout:
    record = json.loads(line)
    if record.get("success") is False:
        sys.exit(record["error"])
    if record["type"] == "message_end" and record["message"]["role"] == "assistant":
        failed = record["message"].get("errorMessage")
        for block in record["message"]["content"]:
            if block["type"] == "text":
                print(block["text"])
    if record["type"] == "agent_settled":
        break
bough.stdin.close()
sys.exit(failed or bough.wait())
