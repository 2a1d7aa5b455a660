#!/usr/bin/env bash
# What the hardware counted while the baseline and the winner of each tuned problem ran: the numbers by which the studies
# explain themselves. Needs ncu, and the winners that the section `tune` has left in OUTPUT_FOLDER/tune.
#   bench/kernels/counters.sh BIN_FOLDER OUTPUT_FOLDER [NAME...]
set -uo pipefail
cd "$(dirname "$0")/../.."
bin=$1
out=$2
shift 2
table=bench/kernels/kernels.table
ncu=$(command -v ncu || ls -d /usr/local/cuda/bin/ncu 2>/dev/null)
if [ -z "$ncu" ]; then
  printf 'SKIPPED: there is no ncu.\n'
  exit 0
fi
mkdir -p "$out/counters"

# metric as ncu calls it, and as the table does
metrics=(
  'smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio|bytes used of 32 a sector'
  'l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio|sectors a request'
  'smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio|long scoreboard'
  'smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio|lg throttle'
  'smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio|short scoreboard'
  'sm__warps_active.avg.pct_of_peak_sustained_active|occupancy, %'
  'gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed|DRAM, %'
  'sm__throughput.avg.pct_of_peak_sustained_elapsed|SM, %'
  'dram__bytes_read.sum|DRAM read'
  'dram__bytes_write.sum|DRAM written'
  'l1tex__m_l1tex2xbar_write_bytes.sum|L1 to L2'
  'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum|bank conflicts, loads'
  'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum|bank conflicts, stores'
  'smsp__inst_executed_op_local_ld.sum|local loads'
  'smsp__inst_executed_op_local_st.sum|local stores'
)
names=$(printf '%s\n' "${metrics[@]}" | cut -d'|' -f1 | paste -sd,)

# count NAME LABEL ARGUMENTS...: one line of the table. Of two launches the second: the first meets untouched pages.
count() {
  local csv=$out/counters/$1.$2.csv
  if ! timeout 120 "$ncu" --csv --page raw --print-units base --metrics "$names" --clock-control none --cache-control none \
    --kernel-name "regex:^$3" --launch-skip 1 --launch-count 1 "$bin/bench_launch_one" "${@:4}" >"$csv" 2>&1; then
    printf '| %s | %s | failed: %s |\n' "$1" "$2" "$(grep -m1 -E '==ERROR==|bench_launch_one' "$csv")"
    return 1
  fi
  python3 - "$csv" "$1" "$2" "$names" <<'PYTHON'
import csv, sys
path, name, label, metrics = sys.argv[1:]
lines = [line for line in open(path) if line.startswith('"')]
rows = list(csv.DictReader(lines))
values = rows[-1] if rows else {}
print("|", " | ".join([name, label] + [values.get(metric, "-") or "-" for metric in metrics.split(",")]), "|")
PYTHON
}

{
  printf '| kernel | version |'
  printf ' %s |' "${metrics[@]#*|}"
  printf '\n|%s\n' "$(printf -- '---|%.0s' $(seq $((${#metrics[@]} + 2))))"
} | tee "$out/counters/counters.md"
status=0
for name in ${*:-$("$bin/bench_kernels" list "$table")}; do
  # tab-separated: file, kernel, problem, baseline, winner
  line=$(python3 - "$out/tune/$name.json" <<'PYTHON'
import json, sys
try:
    record = json.load(open(sys.argv[1]))
    report = record["report"]
    print("\t".join([record["file"], report["kernel"], report["problem"], report["baseline"]["configuration"],
                     report["winner"]["configuration"]]))
except (OSError, KeyError, TypeError, ValueError):
    pass
PYTHON
  )
  if [ -z "$line" ]; then
    printf '| %s | it has no winner: run the section tune first |\n' "$name"
    continue
  fi
  IFS=$'\t' read -r file kernel problem baseline winner <<<"$line"
  common=("$file" --kernel "$kernel" --problem "$problem")
  count "$name" baseline "$kernel" "${common[@]}" --config "$baseline" || status=1
  count "$name" winner "$kernel" "${common[@]}" --config "$winner" || status=1
done | tee -a "$out/counters/counters.md"
exit "$status"
