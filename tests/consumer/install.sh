#!/usr/bin/env bash
# Installs to a folder, then moves the tree to where the other tests use it.   install.sh CMAKE BUILD_FOLDER INSTALLED
set -euo pipefail
cmake=$1 build=$2 installed=$3
rm -rf "$installed" "$installed.first"
"$cmake" --install "$build" --prefix "$installed.first" >/dev/null
mv "$installed.first" "$installed"
