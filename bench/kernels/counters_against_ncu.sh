#!/usr/bin/env bash
# The device worker's hardware counters beside those of ncu, for the baselines of five kernels: a table, and status 1
# if a number of instructions or requests differs, or something was not counted.
#   bench/kernels/counters_against_ncu.sh [BUILD_FOLDER] [OUTPUT_FOLDER] [NAME...]
# Names are those of kernels.table. Of ncu there are RUNS (5), each looking at LAUNCHES (1) launches, and of ours as
# many as the larger of both; what is in OUTPUT_FOLDER already is not counted again. A run of ncu takes 20 to 40 s,
# however many launches it looks at; those of one process have their buffers at the same addresses.
#
# Both look at the same launch with the same content of buffers and caches. Our worker launches once for each pass,
# each after in/out buffers got their content back and L2 was overwritten. ncu must find the same in each of its
# passes, so it replays the application: bench_launch_one does as the worker does, in a new process for each pass.
# (Were ncu to repeat the kernel alone, all passes after the first would find in L2 what the one before has left
# there, and what ncu copies to restore buffers.) Each run of ours is a new process, too.
#
# Where buffers lie in physical memory matters: the same launch of small_matrix on an H200 loses 1.28 to 1.40 cycles an
# instruction to the arithmetic pipe. ncu allocates device memory before the kernel's process can, so that one and the
# other would lie in two places for ever. Runs of both are spread over the same five places.
set -uo pipefail
build=$(realpath "${1:-build/release}")
out=${2:-$build/counters_against_ncu}
mkdir -p "$out"
out=$(realpath "$out")
shift $(($# < 2 ? $# : 2))
cd "$(dirname "$0")/../.."
bin=$build/bin
[ $# -gt 0 ] || set -- prefetch wide_loads-l2 average_matvec small_matrix softmax
runs=${RUNS:-5} launches=${LAUNCHES:-1}
ours=$((runs > launches ? runs : launches))
places=(0 300 1000 3000 8000) # MiB before the buffers: of run 1, 2, ..., and again from the first
occupied() { printf '%s' "${places[($1 - 1) % (runs < 5 ? runs : 5)]}"; } # RUN
ncu=$(command -v ncu || ls /usr/local/cuda/bin/ncu 2>/dev/null)
if [ -z "$ncu" ]; then
  printf 'SKIPPED: there is no ncu.\n'
  exit 0
fi
program=$bin/bench_counters_against_ncu
metrics=$("$program" names)
if [ -z "$metrics" ]; then
  exit 1
fi

count_ours() { # NAME RUN FILE KERNEL PROBLEM
  local record=$out/$1.ours.$2.json
  grep -q '"passes": [1-9]' "$record" 2>/dev/null && return
  timeout -k 10 120 "$program" count "${@:3}" "$record" "$(occupied "$2")" >"$out/$1.ours.$2.log" 2>&1 ||
    tail -2 "$out/$1.ours.$2.log" >&2
}

# The first launch is left out: it meets pages that nobody has touched.
count_ncus() { # NAME RUN FILE KERNEL PROBLEM
  local csv=$out/$1.ncu.$2.csv
  grep -q '^"' "$csv" 2>/dev/null && return
  timeout -k 10 300 "$ncu" --csv --page raw --print-units base --metrics "$metrics" --cache-control none \
    --clock-control none --replay-mode application --kernel-name "regex:$4" --launch-skip 1 \
    --launch-count "$launches" "$bin/bench_launch_one" "${@:3}" "" "$launches" "$(occupied "$2")" \
    >"$csv" 2>&1 || tail -2 "$csv" >&2
}

for name in "$@"; do
  line=$("$program" line bench/kernels/kernels.table "$name") || exit 1
  IFS=$'\t' read -r file kernel problem <<<"$line"
  for run in $(seq "$ours"); do
    count_ours "$name" "$run" "$file" "$kernel" "$problem"
    [ "$run" -gt "$runs" ] || count_ncus "$name" "$run" "$file" "$kernel" "$problem"
  done
done
"$program" compare "$out" "$ours" "$runs" "$@" | tee "$out/counters_against_ncu.md"
exit "${PIPESTATUS[0]}"
