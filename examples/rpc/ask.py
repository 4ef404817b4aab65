#!/usr/bin/env python3
"""Ask bough a question over RPC and print the answer while it comes.

    python3 ask.py "what is in README.md?" --no-session
"""
import json, subprocess, sys

bough = subprocess.Popen(["bough", "--mode", "rpc", *sys.argv[2:]],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)

def send(**command):
    bough.stdin.write(json.dumps(command).encode() + b"\n")
    bough.stdin.flush()

send(id="1", type="prompt", message=sys.argv[1])
failed = None
for line in bough.stdout:
    record = json.loads(line)
    if record["type"] == "response" and not record["success"]:
        sys.exit(record["error"])
    if record["type"] == "message_update":
        step = record["assistantMessageEvent"]
        if step["type"] == "text_delta":
            print(step["delta"], end="", flush=True)
        if step["type"] == "text_end":
            print()
    if record["type"] == "message_end":     # a later one is a try that went well
        failed = record["message"].get("errorMessage")
    if record["type"] == "agent_settled":   # nothing goes on any more
        break
bough.stdin.close()
sys.exit(failed or bough.wait())
