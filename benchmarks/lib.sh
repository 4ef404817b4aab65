# Shared by the bench-*.sh scripts; sourced, not run.
#
#   BOUGH   the binary under test (or the script's first argument)
#   PI      pi's command, for example  PI="node …/pi-coding-agent/dist/bundle/cli.js"
#   PI_DIST pi's dist folder, for the counterparts of commands that pi's command line lacks
#   NODE    node (default: node on PATH)
#   WORK    scratch folder (default: ${TMPDIR:-/tmp}/bough-bench); data and builds are kept there between runs
#   RUNS    counted runs a command (default 5)
#   SIZES   session sizes (default "1MB 10MB 100MB"; add 1GB for the full picture: pi needs 20 s a run there)
#
# Without PI and PI_DIST only bough is measured. bough's command line is assumed in the b_* functions
# below and nowhere else.
set -eu
BENCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BOUGH=${1:-${BOUGH:-}}
WORK=${WORK:-${TMPDIR:-/tmp}/bough-bench}
RUNS=${RUNS:-5}
SIZES=${SIZES:-1MB 10MB 100MB}
NODE=${NODE:-node}
PI=${PI:-}
PI_DIST=${PI_DIST:-}
export PI_DIST
mkdir -p "$WORK/bin" "$WORK/data" "$WORK/home/agent" "$WORK/project"

b_version() { echo "$BOUGH --version"; }
b_help()    { echo "$BOUGH --help"; }
b_context() { echo "$BOUGH context $1 ${2:+--leaf $2} --json"; }
b_tree()    { echo "$BOUGH tree $1 --json"; }
b_list()    { echo "$BOUGH sessions list --all --json"; }
b_export()  { echo "$BOUGH export $1 $2 --force"; }
b_print()   { echo "$BOUGH --max-turns 0 --provider fake --model fake -p {PROMPT}"; } # 101 turns are one more than print mode allows by itself
b_rpc()     { echo "$BOUGH --provider fake --model fake --mode rpc $*"; }
b_tui()     { echo "$BOUGH --provider fake --model fake $*"; }
b_clean()   { rm -rf "$WORK/home/cache" "$WORK/home/agent/cache"; } # forgets every index bough made

# an own home, so that nothing of the user's is read or changed; both agents share one sessions root
export HOME=$WORK/home PI_CODING_AGENT_DIR=$WORK/home/agent BOUGH_AGENT_DIR=$WORK/home/agent XDG_CACHE_HOME=$WORK/home/cache
export PI_OFFLINE=1 PI_TELEMETRY=0 PI_SKIP_VERSION_CHECK=1

built() { # built NAME COMMAND...: build once
  [ -x "$WORK/bin/$1" ] || { local n=$1; shift; "$@" >&2 || { echo "cannot build $n" >&2; exit 1; }; }
}
gobuild() { (cd "$BENCH/$1" && CGO_ENABLED=0 go build -o "$WORK/bin/$2" .); }
built pairbench cc -O2 -o "$WORK/bin/pairbench" "$BENCH/pairbench/pairbench.c"
built gen gobuild gen-sessions gen
built agentbench gobuild agentbench agentbench
built fakellm gobuild fakellm fakellm
built hello-go sh -c "d=\$(mktemp -d); printf 'package main\nimport \"os\"\nfunc main() { os.Stdout.WriteString(\"hello\\\\n\") }\n' >\$d/main.go; cd \$d && CGO_ENABLED=0 go build -ldflags='-s -w' -o '$WORK/bin/hello-go' main.go; rm -r \$d"
pairbench() { "$WORK/bin/pairbench" "$@"; }
need_bough() { [ -n "$BOUGH" ] || { echo "usage: $0 BOUGH-BINARY   (see lib.sh for PI, PI_DIST, WORK, RUNS, SIZES)" >&2; exit 2; }; }
session() { # session SIZE [PRESET]: a generated file, made once
  local f=$WORK/data/${2:-agent}-$1.jsonl
  [ -s "$f" ] || "$WORK/bin/gen" -out "$f" -size "$1" -preset "${2:-agent}" -seed 7 -cwd "$WORK/project" >"$f.json"
  echo "$f"
}
root() { # root SESSIONS PROJECTS: an agent folder with a whole sessions root, made once
  local d=$WORK/root-$1-$2/agent
  [ -d "$d/sessions" ] || "$WORK/bin/gen" -root "$d/sessions" -sessions "$1" -projects "$2" -session-median 30KB -session-max 8MB -cwd "$WORK/project" >"$WORK/root-$1-$2.json"
  echo "$d"
}
fake() { # starts the instant model server; FAKE=host:port; stopped on exit
  rm -f "$WORK/port"
  "$WORK/bin/fakellm" -port-file "$WORK/port" >/dev/null 2>&1 &
  FAKE_PID=$!
  trap 'kill $FAKE_PID 2>/dev/null || true' EXIT
  for _ in $(seq 100); do [ -s "$WORK/port" ] && break; sleep 0.05; done
  FAKE=127.0.0.1:$(cat "$WORK/port")
  cat >"$PI_CODING_AGENT_DIR/models.json" <<EOF
{"providers":{"fake":{"baseUrl":"http://$FAKE/v1","api":"openai-completions","apiKey":"x","models":[{"id":"fake","name":"Fake","contextWindow":1000000,"maxTokens":8192}]}}}
EOF
}
