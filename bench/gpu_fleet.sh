#!/usr/bin/env bash
# The queue from beginning to end on the GPUs at hand: a PostgreSQL server of its own, twenty jobs, two workers,
# what they found pulled into an empty database, and a program that is served from it and knows no libpq.
#   bench/gpu_fleet.sh [BUILD_FOLDER] [OUTPUT_FOLDER] [DEVICE_OF_WORKER...]
# Needs PostgreSQL's programs in PATH or in /usr/lib/postgresql, and, as root, its user `postgres`. DEVICE_OF_WORKER: as
# for --devices, a worker each; 0 0 (the default) are two that take turns on one GPU. Ends with 1 if a job is lost, or
# not served.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(realpath "${1:-build/release}")/bin
out=${2:-$bin/fleet} kernel=kernel_sources/softmax.cu
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- 0 0
rm -rf "$out"
mkdir -p "$out"
out=$(realpath "$out")
PATH=$PATH:$(printf '%s:' /usr/lib/postgresql/*/bin)

# The path of a socket has at most 107 bytes.
server=$(mktemp -d /tmp/tuner-fleet.XXXXXX)
cp packaging/fleet/schema.sql "$server"
chmod 711 "$server"
as_server() { (cd "$server" && bash -c "$1"); }
if [ "$(id -u)" -eq 0 ]; then
  chown -R postgres "$server"
  as_server() { (cd "$server" && HOME=$server setpriv --reuid postgres --regid postgres --clear-groups bash -c "$1"); }
fi
end() {
  as_server 'pg_ctl --pgdata data --mode immediate stop' >/dev/null 2>&1
  rm -rf "$server"
}
trap end EXIT
as_server 'initdb --pgdata data --username postgres --auth trust --encoding UTF8 --no-locale >initdb.log 2>&1 &&
  pg_ctl --pgdata data --wait --log server.log --options "-k $PWD -c listen_addresses=" start >/dev/null'
sql() { psql --quiet --no-psqlrc --host "$server" --username postgres --dbname "$1" --set ON_ERROR_STOP=1 "${@:2}"; }
sql postgres --command 'CREATE DATABASE tuner'
sql tuner --file packaging/fleet/schema.sql
sql tuner --command "CREATE ROLE anna LOGIN; GRANT tuner_submit, tuner_read TO anna; CREATE ROLE hand LOGIN;
  GRANT tuner_work TO hand; INSERT INTO tuner_fleet.member VALUES ('anna', 'vision'), ('hand', 'vision')"
queue() { printf 'postgresql://%s@/tuner?host=%s' "$1" "$server"; }

for rows in 64 256 1024 4096; do
  for columns in 256 1000 1024 3000 4096; do printf 'rows=%s,columns=%s\n' $rows $columns; done
done >"$out/problems"
begin=$SECONDS
TUNER_QUEUE=$(queue anna) "$bin/tuner" fleet submit "$kernel" --problems "$out/problems" --effort quick >"$out/submit.log"
number=0
for device in "$@"; do
  number=$((number + 1))
  as_root=()
  [ "$(id -u)" -ne 0 ] || as_root=(--as-root)
  TUNER_QUEUE=$(queue hand) TUNER_DB=$out/worker$number/tuner.db "$bin/tuner" fleet work --until-empty \
    --devices "$device" "${as_root[@]}" >"$out/worker$number.log" 2>&1 &
done
wait
seconds=$((SECONDS - begin))
state() { sql tuner --tuples-only --no-align --command "SELECT count(*) FROM tuner_fleet.job WHERE state $1"; }
export TUNER_DB=$out/pulled/tuner.db
TUNER_QUEUE=$(queue anna) "$bin/tuner" pull >"$out/pull.log"
"$bin/bench_runtime_many" "$kernel" "$out/problems" 5 >"$out/served.log"
exact=$(sed -n 's/^| exact: sizes | *\([0-9]*\).*/\1/p' "$out/served.log")
libpq=$(ldd "$bin/bench_runtime_many" | grep -c libpq || true)
printf '| workers | jobs | done | set aside | s | served exact | libpq in the program |\n|---|---|---|---|---|---|---|\n'
printf '| %s | %s | %s | %s | %s | %s | %s |\n' $# "$(state 'IS NOT NULL')" "$(state "= 'done'")" \
  "$(state "= 'aside'")" "$seconds" "$exact" "$libpq"
[ "${exact:-0}" -eq 20 ] && [ "$libpq" -eq 0 ]
