#!/bin/bash
# Asks pi 1.6.0 and bough the same in the same folder, over three APIs, and prints
# what differs in the meaning of their requests, and whether each goes on with the
# other's session. No difference, no output but go test's own.
set -euo pipefail
cd "$(dirname "$0")/.."
eval "$(bash benchmarks/setup-pi.sh)"
export NODE24 PI_DIST
exec go test ./cmd/bough -count=1 -run TestRequestsAsPi "$@"
