#!/usr/bin/env bash
# What the hardware counted while the baseline and the winner of each tuned problem ran: the numbers by which the studies
# explain themselves. Needs ncu, and the winners that the section `tune` has left in OUTPUT_FOLDER/tune.
#   bench/kernels/counters.sh BIN_FOLDER OUTPUT_FOLDER [NAME...]
# A problem takes some seconds. Ends with 1 if any was not counted.
set -uo pipefail
cd "$(dirname "$0")/../.."
bin=$1
out=$2
shift 2
[ $# -gt 0 ] || set -- $("$bin/bench_kernels" list bench/kernels/kernels.table)
ncu=$(command -v ncu || ls /usr/local/cuda/bin/ncu 2>/dev/null)
if [ -z "$ncu" ]; then
  printf 'SKIPPED: there is no ncu.\n'
  exit 0
fi
metrics=$("$bin/bench_kernels" counters | head -1)
status=0
mkdir -p "$out/counters"

# count NAME VERSION KERNEL ARGUMENTS...: of two launches the second, because the first meets pages that nobody touched.
count() {
  timeout -k 10 120 "$ncu" --csv --page raw --print-units base --metrics "$metrics" --clock-control none \
    --kernel-name "regex:$3" --launch-skip 1 --launch-count 1 "$bin/bench_launch_one" "${@:4}" \
    >"$out/counters/$1.$2.csv" 2>&1
  "$bin/bench_kernels" counted "$out" "$1" "$2" || status=1
}

"$bin/bench_kernels" counters | tail -n +2
for name in "$@"; do
  if ! line=$("$bin/bench_kernels" winner "$out" "$name" 2>&1); then
    printf '| %s | %s |\n' "$name" "$line"
    status=1
    continue
  fi
  IFS=$'\t' read -r file kernel problem baseline winner <<<"$line"
  count "$name" baseline "$kernel" "$file" "$kernel" "$problem" "$baseline"
  [ "$winner" = "$baseline" ] || count "$name" winner "$kernel" "$file" "$kernel" "$problem" "$winner"
done
exit "$status"
