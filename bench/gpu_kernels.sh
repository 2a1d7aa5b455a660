#!/usr/bin/env bash
# Tunes every kernel that is shipped on the GPU at hand, and measures what explains the winners.
#   bench/gpu_kernels.sh [BUILD_FOLDER] [OUTPUT_FOLDER] [SECTION|NAME...]
# Sections: tune studies curve peers counters tenfold; tune studies curve peers if none is named. A NAME of
# bench/kernels/kernels.table, or a kernel that has a study, limits them to it. Each piece of work leaves a record in
# OUTPUT_FOLDER/<section>/, and its log beside it, so that the sections can be run apart; OUTPUT_FOLDER/kernels.md and
# kernels.json put together what there is. bench/kernels/README.md says more. Ends with 1 if any piece failed; never for
# being slow.
set -uo pipefail
cd "$(dirname "$0")/.."
bin=${1:-build/release}/bin
out=${2:-$bin/kernels}
shift $(($# < 2 ? $# : 2))
lists=bench/kernels
table=$lists/kernels.table
limit=${LIMIT:-240} # seconds for any piece: a kernel that hangs must not take the others with it
sections=() names=()
for word in "$@"; do
  case $word in
    tune | studies | curve | peers | counters | tenfold) sections+=("$word") ;;
    *) names+=("$word") ;;
  esac
done
[ ${#sections[@]} -gt 0 ] || sections=(tune studies curve peers)
status=0
mkdir -p "$out"

wanted() { # of names, or all
  [ ${#names[@]} -eq 0 ] && return 0
  local name
  for name in "${names[@]}"; do [ "$name" = "$1" ] && return 0; done
  return 1
}

# piece SECTION NAME COMMAND...: the command's output, also in the log, and the last it said on stderr.
piece() {
  local log=$out/$1/$2.log
  mkdir -p "$out/$1"
  timeout -k 10 "$limit" "${@:3}" 2>"$log.errors" | tee "$log"
  local ended=${PIPESTATUS[0]}
  [ "$ended" -eq 0 ] || status=1
  # A piece that failed in an orderly way has said why on its line.
  [ "$ended" -le 1 ] || printf '%s %s ended with %s\n' "$1" "$2" "$ended"
  tail -3 "$log.errors"
  cat "$log.errors" >>"$log"
  rm -f "$log.errors"
}

each_problem() { # SECTION COMMAND: for every wanted line of the table
  local name
  for name in $("$bin/bench_kernels" list "$table"); do
    wanted "$name" && piece "$1" "$name" "$bin/bench_kernels" "$2" "$out" "$table" "$name"
  done
}

each_list() { # SECTION COMMAND SUFFIX: for every wanted file of lists
  local file name
  for file in "$lists"/*."$3"; do
    name=$(basename "$file" ".$3")
    wanted "$name" && piece "$1" "$name" "$bin/bench_kernels" "$2" "$out" "$table" "$file"
  done
}

tune() { each_problem tune tune; }
tenfold() { each_problem tenfold tenfold; }
studies() { each_list studies study study; }
curve() { each_list curves curve curve; }
peers() {
  local name
  for name in $("$bin/bench_kernel_peers" list "$table"); do
    wanted "$name" && piece peers "$name" "$bin/bench_kernel_peers" "$out" "$table" "$name"
  done
}
counters() { "$lists/counters.sh" "$bin" "$out" "${names[@]}" || status=1; }

[ -f "$out/peaks.json" ] || timeout 60 "$bin/bench_kernel_peaks" "$out" || status=1
for section in "${sections[@]}"; do
  printf '\n== %s, %s s so far\n' "$section" "$SECONDS"
  "$section"
done
printf '\n== all, %s s\n\n' "$SECONDS"
"$bin/bench_kernels" report "$out" "$table" || status=1
exit "$status"
