#!/usr/bin/env bash
# One line with a compiler and pkg-config.   pkg_config.sh PKGCONFIG_FOLDER PROGRAM.cpp OUTPUT_FOLDER
set -euo pipefail
export PKG_CONFIG_PATH=$1
program=$2
mkdir -p "$3"
cd "$3"
# pkg-config puts a backslash before a space in a path, which eval takes away. CXXFLAGS has the sanitizers of this build,
# if any.
eval "\"\$CXX\" -std=c++20 $CXXFLAGS \"\$program\" $(pkg-config --cflags --libs tuner) -o consumer"
eval "libdir=$(pkg-config --variable=libdir tuner) kernel_sources=$(pkg-config --variable=kernel_sources tuner)"
LD_LIBRARY_PATH=$libdir ./consumer
test -f "$kernel_sources/prefetch.cu"
