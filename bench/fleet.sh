#!/usr/bin/env bash
# The queue under load, without a GPU: 32 workers under kills and a server that is restarted and frozen, and how long 256
# workers take to get a job each. Prints the figures of docs/results/fleet.md. Needs PostgreSQL, and little else to do on
# the machine.
#   bench/fleet.sh [BUILD_FOLDER]
# TUNER_FLEET_JOBS and TUNER_FLEET_SECONDS make the campaign longer.
set -uo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build/dev}")
export TUNER_FLEET_TIMED=1
status=0
for test in campaign latency; do
  "$build/tests/fleet/fleet_test" "--source-file=*/fleet/${test}_test.cpp" --no-skipped-summary | grep -a -A 3 -E 'MESSAGE|ERROR|assertions'
  [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
done
exit $status
