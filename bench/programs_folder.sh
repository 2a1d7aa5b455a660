# For the scripts beside it that go through a folder of programs. Their arguments are FOLDER [BUILD_FOLDER]; FOLDER has a
# folder for each program. TUNER_PROGRAMS_KEEP=DIR keeps what they write there.
: "${1:?usage: $0 FOLDER [BUILD_FOLDER]}"
folder=$(realpath "$1")
tuner=$(realpath "${2:-$(dirname "$0")/../build/dev}")/bin/tuner
work=${TUNER_PROGRAMS_KEEP:-$(mktemp -d)}
[ -n "${TUNER_PROGRAMS_KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work" && work=$(realpath "$work")

# A run takes so many seconds at most.
limit=${TUNER_PROGRAMS_LIMIT:-60}
# What `make run` runs in a program's folder.
command_of() { make -s -n -C "$1" run 2>/dev/null | grep -v '^make'; }
