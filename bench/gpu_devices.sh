#!/usr/bin/env bash
# Tuning 16 problems on several GPUs of one machine against one GPU of it, with all cores for compiling both times:
# seconds, how many times as fast, and whether the winners are the same or tied.
#   bench/gpu_devices.sh [BUILD_FOLDER] [OUTPUT_FOLDER] [DEVICES] [WORK...]
# DEVICES: as for --devices; 0-3 (the default). Three kinds of work: GPU-bound (sgemm, large, each launch milliseconds
# long), compile-bound (prefetch.cu), both with a small part of the space that is searched completely, so that winners
# can be compared; and one task that is spread (sgemm, launches of 25 ms and more). Reports are left in OUTPUT_FOLDER:
# WORK.one.json, WORK.several.json. What is best for one problem is not tried first on the next, so that both do the
# same work. Then what is GPU-bound is repeated with a load on the second GPU: a session of its own, which ignores the
# lock.
set -uo pipefail
cd "$(dirname "$0")/.."
bin=$(realpath "${1:-build/release}")/bin
out=${2:-$bin/devices} devices=${3:-0-3}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- gpu_bound compile_bound one_task
mkdir -p "$out"
out=$(realpath "$out")
first=${devices%%[,-]*}
[ "$first" = all ] && first=0

"$bin/tuner" devices || exit
"$bin/tuner" --version
nproc

# words WORK: what is tuned, a word a line.
words() {
  case $1 in
    gpu_bound)
      printf '%s\n' kernel_sources/sgemm.cu --problem 'm=4096..7936 +256,n=6144,k=6144' --effort full --where \
        'TM == 1 or BK == 16 and UNROLL == 16 and STRIP == 1 and A_LAYOUT == transposed'
      ;;
    compile_bound)
      printf '%s\n' kernel_sources/prefetch.cu --problem 'rows=528,row_length=4096..65536 +4096' --where \
        "$(grep -v '^ *#' bench/comparison_space.where | tr '\n' ' ')" --where 'MIN_BLOCKS == 0 and BLOCKDIMX in (128, 256)' \
        --effort full
      ;;
    one_task)
      printf '%s\n' kernel_sources/sgemm.cu --problem m=8192,n=8192,k=8192 --effort full
      ;;
  esac
}

now() { date +%s.%N; }

# tune WORK NAME OPTION...: seconds of it, from a database of its own.
tune() {
  local work=$1 name=$2 start all
  shift 2
  mapfile -t all < <(words "$work")
  rm -rf "$out/$work.$name.db"
  start=$(now)
  TUNER_DB="$out/$work.$name.db" "$bin/tuner" tune "${all[@]}" --fresh --no-warm-start --json "$@" \
    >"$out/$work.$name.json" 2>"$out/$work.$name.err" || printf 'tuner tune ended with %s\n' "$?" >&2
  awk -v a="$start" -v b="$(now)" 'BEGIN { printf "%.1f\n", b - a }'
}

# same WORK NAME: of how many problems the winner is that of one GPU, or tied with it there.
same() {
  python3 - "$out/$1.one.json" "$out/$1.$2.json" <<'PYTHON'
import json, sys
one, other = ({r["problem"]: r for r in json.load(open(name))["reports"]} for name in sys.argv[1:])
def declared(report):
    return {report["winner"]["configuration"]} | {tie["configuration"] for tie in report.get("ties", [])}
both = sorted(set(one) & set(other))
alike = [p for p in both if other[p]["winner"]["configuration"] in declared(one[p])
         or one[p]["winner"]["configuration"] in declared(other[p])]
print(f"{len(alike)} of {len(one)}")
PYTHON
}

printf '| work | one GPU, s | --devices %s, s | times as fast | same winner or tie |\n|---|---|---|---|---|\n' "$devices"
for work in "$@"; do
  one=$(tune "$work" one --device "$first")
  several=$(tune "$work" several --devices "$devices")
  awk -v w="$work" -v a="$one" -v b="$several" -v s="$(same "$work" several)" \
    'BEGIN { printf "| %s | %s | %s | %.2f | %s |\n", w, a, b, a / b, s }'
done

second=$((first + 1))
for work in "$@"; do
  [ "$work" = compile_bound ] && continue
  touch "$out/loading"
  while [ -e "$out/loading" ]; do
    TUNER_DB="$out/load.db" "$bin/tuner" tune kernel_sources/sgemm.cu --problem m=8192,n=8192,k=8192 --device "$second" \
      --budget 20s --fresh --if-busy ignore --workers 1 >/dev/null 2>&1
  done &
  disturbed=$(tune "$work" disturbed --devices "$devices")
  rm "$out/loading"
  wait
  printf '\n%s with a load on GPU %s: %s s; same winner or tie for %s.\n' "$work" "$second" "$disturbed" \
    "$(same "$work" disturbed)"
done
