# What the tests of completions share: a home of their own with a kernel file, a recording's decision in a database, and
# `check`. Sourced with the folder of the program, the source folder and the shell that is needed.
set -euo pipefail
bin=$1 source=$2 shell=$3
if ! command -v "$shell" >/dev/null; then
  echo "SKIPPED: there is no $shell here"
  exit 77
fi
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export HOME=$home PATH=$bin:/usr/bin:/bin TERM=xterm TUNER_DB=$home/db LC_ALL=C.UTF-8
unset XDG_DATA_HOME XDG_CACHE_HOME XDG_CONFIG_HOME
cd "$home"
mkdir 'a folder'
cp "$source/kernel_sources/prefetch.cu" 'my kernel.cu'
cp "$source/tests/data/scale.cu" scale.cu
# A value that a shell must not read as a command.
sed 's/param(LAYOUT, .*/param(OP, "a; touch ran", "$(touch ran)"; text; default "a; touch ran")/' scale.cu >foreign.cu
tuner tune --replay "$source/tests/data/scale.csv" >/dev/null 2>&1
mv db/replay.db db/decisions.db
completions=$source/tuner/cli/completion
failures=0

# check WHAT EXPECTED FOUND
check() {
  [[ $2 == "$3" ]] && return
  failures=$((failures + 1))
  printf 'FAILED: %s\n  expected: %s\n  found:    %s\n' "$1" "$2" "$3"
}
