#!/usr/bin/env bash
# How long `tuner report` takes for a decision with so many trials, and how long Chromium takes to open its page: those
# of the recording of prefetch, over and over, each time with another value and time. Needs sqlite3 and /usr/bin/time.
#   bench/report_rows.sh [BUILD_FOLDER] [TRIALS]
set -euo pipefail
cd "$(dirname "$0")/.."
tuner=$(realpath "${1:-build/release}/bin/tuner") trials=${2:-1000000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$tuner" tune kernel_sources/prefetch.cu --replay kernel_sources/recordings/prefetch__H200.csv --db "$folder" >/dev/null 2>&1
database=$folder/replay.db
recorded=$(sqlite3 "$database" 'SELECT count(*) FROM trial')
columns=$(sqlite3 "$database" "SELECT group_concat(name) FROM pragma_table_info('trial')
                               WHERE name NOT IN ('trial_id', 'sequence', 'configuration', 'time_ns')")
# The last parameter is a number, which further digits change.
sqlite3 "$database" "PRAGMA synchronous = OFF;
  WITH RECURSIVE copy(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copy
                                  WHERE number < ($trials + $recorded - 1) / $recorded - 1)
  INSERT INTO trial (sequence, configuration, time_ns, $columns)
  SELECT sequence + number * $recorded, configuration || (10000 + number), time_ns * (1 + number / 1e4), $columns
  FROM copy CROSS JOIN trial ORDER BY number, sequence;"

# measured NAME COMMAND...: wall and CPU seconds, and the largest process
measured() {
  local name=$1
  shift
  /usr/bin/time -o "$folder/time" -f '%e %U %S %M' "$@" >/dev/null 2>&1
  awk -v name="$name" '{ printf "| %s | %.1f | %.1f | %.0f |\n", name, $1, $2 + $3, $4 / 1024 }' "$folder/time"
}
printf '%s trials\n\n| | s | CPU s | MB |\n|---|---|---|---|\n' "$(sqlite3 "$database" 'SELECT count(*) FROM trial')"
measured 'write the page' "$tuner" report prefetch --db "$database" -o "$folder/page.html"
printf '| size of the page | | | %.0f |\n' "$(($(stat -c %s "$folder/page.html") / 1048576))"
if command -v chromium >/dev/null; then
  printf '<title>nothing</title>' >"$folder/nothing.html"
  for page in nothing page; do
    HOME=$folder measured "Chromium, $page.html, from its start to its end" chromium --headless=new --no-sandbox \
      --disable-gpu --disable-dev-shm-usage --dump-dom "file://$folder/$page.html"
  done
fi
