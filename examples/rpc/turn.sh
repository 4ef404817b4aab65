#!/bin/sh
# Load a session, add a message at one of its entries and run one turn there.
#
#     sh turn.sh SESSION-FILE ENTRY "Try it the other way"
session=$1 entry=$2 message=$3
shift 3
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
mkfifo "$dir/commands"
bough --mode rpc "$@" <"$dir/commands" | {
  exec 3>"$dir/commands"   # open until the turn is over: the end of the input ends bough
  jq -nc --arg session "$session" --arg entry "$entry" --arg message "$message" '
    {type: "open_view", sessionPath: $session, entryId: $entry, attach: true},
    {type: "append_message", parentId: $entry, role: "user", content: $message},
    {type: "run_turn"}' >&3
  jq -rn --unbuffered '
    def fail: "\(.)\n" | halt_error(1);
    label $done | (inputs |
      if .success == false then .error | fail
      elif .type == "message_end" and .message.role == "assistant"
      then .message.content[] | select(.type == "text").text
      elif .type == "agent_end" and (.willRetry | not)
      then .messages[-1].errorMessage // empty | fail
      elif .type == "agent_settled" then break $done
      else empty end), ("bough has ended" | fail)'
}
