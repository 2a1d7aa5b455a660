#!/usr/bin/env bash
# Tunes the size that `shipped` works on, on this machine's GPU, and puts decision and binaries beside the program.
#   make_database.sh FOLDER_OF_THE_PROGRAM        $TUNER: the tuner, if it is not in PATH
set -euo pipefail
kernel=$(cd "$(dirname "$0")/.." && pwd)/kernels/softmax.cu
tuner=${TUNER:-tuner}
tuned=$1/tuned
workshop=$(mktemp -d)
trap 'rm -rf "$workshop"' EXIT
mkdir -p "$tuned"
"$tuner" tune "$kernel" --problem rows=256,columns=4096 --db "$workshop"
"$tuner" export "$tuned" --kernel softmax --decisions-only --with-binaries --force --db "$workshop"
