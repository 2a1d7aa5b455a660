#!/usr/bin/env bash
# A project that adds the tuner as a subdirectory.   subdirectory.sh CMAKE GENERATOR TUNER PROGRAM.cpp BUILD_FOLDER compile|run
set -euo pipefail
cmake=$1 generator=$2 tuner=$3 program=$4 build=$5 what=$6
rm -rf "$build"
"$cmake" -S "$(dirname "$0")/subdirectory" -B "$build" -G "$generator" -DTUNER="$tuner" -DPROGRAM="$program" \
         -DTUNER_BUILD_PROGRAMS="$([ "$what" = run ] && echo OFF || echo ON)"
"$cmake" --install "$build" --prefix "$build/installed"
if [ -e "$build/installed" ]; then
  echo "installing the project that the tuner is a part of installs the tuner:"
  find "$build/installed"
  exit 1
fi
case $what in
  compile) # Ninja alone can be asked for one file.
    case $generator in
      Ninja) "$cmake" --build "$build" --target "$("$cmake" --build "$build" -- -t targets all | sed -n 's/^\(CMakeFiles\/consumer\.dir\/.*\.o\): .*/\1/p')" ;;
      *) "$cmake" --build "$build" --target help >/dev/null ;;
    esac ;;
  run)
    "$cmake" --build "$build" --target consumer
    "$build/consumer" ;;
esac
