#!/usr/bin/env bash
# compute-sanitizer over a session that checks, times and races the baseline of prefetch.cu and a winner, over the
# examples, with what was tuned for them, and over a program whose scratch the library provides while winners take over.
#   bench/gpu_sanitizer.sh [BUILD_FOLDER] [LOG_FOLDER] [SECTION...]      sections: session examples scratch; all if none is named
# $WINNER is the session's winner, as an expression; $EXAMPLES the folder with the examples' programs.
set -uo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build/release}")
bin=$build/bin
logs=${2:-$bin}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- session examples scratch
winner=${WINNER:-BLOCKDIMX == 1024 and MIN_BLOCKS == 1 and STRATEGY == unrolled and UNROLL == 4 and SIZE_KNOWN == 0}
examples=${EXAMPLES:-$build/examples}
status=0
mkdir -p "$logs"

summary() { grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$1" | sort | uniq -c | sed 's/=*//' | tr -s ' \n' ' '; }

session() {
  for tool in memcheck racecheck initcheck; do
    folder=$(mktemp -d)
    TUNER_DB=$folder compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 99 \
      "$bin/tuner" tune kernel_sources/prefetch.cu --problem rows=40,row_length=3001 --launch-timeout 60s --workers 2 \
      --where "$winner" >"$logs/$tool.log" 2>&1 || status=1
    printf 'session, %s: %s\n' "$tool" "$(summary "$logs/$tool.log")"
    grep -E '^winner|^Winner' "$logs/$tool.log" | head -1
    rm -rf "$folder"
  done
}

# Each program runs once by itself and has what it asks for tuned; the sanitizer then watches it use that.
examples() {
  for program in minimal simulation server runtime_api shipped; do
    folder=$(mktemp -d)
    arguments=()
    [ "$program" = simulation ] && arguments=(20)
    [ "$program" = server ] && arguments=(1 2)
    [ "$program" = runtime_api ] && arguments=(1)
    if [ "$program" = shipped ]; then
      TUNER=$bin/tuner examples/shipped/make_database.sh "$examples/shipped" >"$logs/shipped.log" 2>&1 || status=1
    else
      TUNER_DB=$folder TUNER_MODE=tune "$examples/$program/$program" "${arguments[@]}" >"$logs/$program.log" 2>&1 || status=1
    fi
    for tool in memcheck racecheck; do
      log=$logs/$program.$tool.log
      TUNER_DB=$folder TUNER_MODE=cache compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 99 \
        "$examples/$program/$program" "${arguments[@]}" >"$log" 2>&1
      ended=$?
      [ "$ended" = 0 ] || status=1
      printf '%s, %s: ended with %s, %s\n' "$program" "$tool" "$ended" "$(summary "$log")"
    done
    rm -rf "$folder"
  done
}

# The program alone: what it has tuned meanwhile is tuned as ever.
scratch() {
  log=$logs/scratch.memcheck.log
  TUNER_SCRATCH_BATCHES=${SCRATCH_BATCHES:-2} TUNER_SOURCE_FOLDER=$PWD TUNER_LIBEXEC=$build/libexec/tuner \
    compute-sanitizer --tool memcheck --target-processes application-only --error-exitcode 99 \
    "$build/tests/gpu/gpu_scratch_test" >"$log" 2>&1 || status=1
  printf 'scratch, memcheck: %s\n' "$(summary "$log")"
  grep -E 'launches while|test cases' "$log"
}

for section in "$@"; do "$section"; done
exit "$status"
