#!/usr/bin/env bash
# Completion in fish, by what it says can follow a line.   fish.sh BIN_FOLDER SOURCE_FOLDER
set -- "$1" "$2" fish
. "$(dirname "$0")/common.sh"

# What can stand in the place of the last word, without what it means, on one line.
offered() {
  fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$completions/tuner.fish" "$1" | cut -f 1 | sort | paste -s -d ' '
}
line() { check "$1" "$2" "$(offered "$1")"; }

line 'tuner des' 'describe'
line 'tuner --db x li' 'list'
line 'tuner describe --dev' '--device-name'
line 'tuner tune --effort ' 'full normal quick'
line 'tuner tune --effort=q' '--effort=quick'
line 'tuner tune my' 'my kernel.cu'
line 'tuner tune --record=sc' '--record=scale.cu'
line 'tuner check -I a' 'a folder/'
line 'tuner tune my\ kernel.cu --problem row_' 'row_length='
line 'tuner tune my\ kernel.cu --problem row_length=1,r' 'row_length=1,rows='
line "tuner tune my\\ kernel.cu --problem 'row_length=1,r" 'row_length=1,rows='
line 'tuner compare scale.cu@w' 'scale.cu@winner'
line 'tuner compare scale.cu@BLOCK=64 @UNR' '@UNROLL='
line 'tuner show ' '1 scale'
line 'tuner forget --device NV' 'NVIDIA H200'
line 'tuner nothing --w' ''
exit $((failures > 0))
