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
# The mangled name of the hottest kernel of a profile that is no library's: python3 -c "$hottest_of" FILE.
hottest_of='
import json, sys
try:
    kernels = [kernel for kernel in json.load(open(sys.argv[1]))["kernels"] if not kernel["library"]]
except ValueError:
    kernels = []
print(kernels[0]["mangled"] if kernels else "")
'
