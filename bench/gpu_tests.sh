#!/usr/bin/env bash
# Every test that needs a GPU, from a build folder that may have been built elsewhere.   bench/gpu_tests.sh [BUILD_FOLDER]
set -uo pipefail
cd "$(dirname "$0")/.."
bin=$(realpath "${1:-build/dev}")
export TUNER_PROGRAM=$bin/bin/tuner TUNER_SOURCE_FOLDER=$PWD TUNER_LIBEXEC=$bin/libexec/tuner
status=0
for test in "$bin"/tests/gpu/*_test; do
  printf '== %s\n' "$test"
  "$test" || status=1
done
exit "$status"
