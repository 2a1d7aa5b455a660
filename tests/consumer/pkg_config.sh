#!/usr/bin/env bash
# One line with a compiler and pkg-config.   pkg_config.sh PKGCONFIG_FOLDER PROGRAM.cpp OUTPUT_FOLDER
set -euo pipefail
export PKG_CONFIG_PATH=$1
program=$2
mkdir -p "$3"
cd "$3"
# CXXFLAGS has the sanitizers of this build, if any.
$CXX -std=c++20 $CXXFLAGS "$program" $(pkg-config --cflags --libs tuner) -o consumer
LD_LIBRARY_PATH=$(pkg-config --variable=libdir tuner) ./consumer
test -f "$(pkg-config --variable=kernel_sources tuner)/prefetch.cu"
