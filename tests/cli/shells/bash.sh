#!/usr/bin/env bash
# Completion in bash, at a terminal: what is typed, and what stands on the line then.   bash.sh BIN_FOLDER SOURCE_FOLDER
set -- "$1" "$2" script
. "$(dirname "$0")/common.sh"

# What one line is completed to by the keys: a tab, or `all` for what can be typed there.
cat >rc <<RC
source "$completions/tuner.bash"
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
bind '"\ea": insert-completions'
bind -x '"\eq": printf "%s\n" "\$READLINE_LINE" >>"\$HOME/lines"; READLINE_LINE= READLINE_POINT=0'
RC
tab=$'\t' all=$'\ea' end=$'\eq'
typed=() expected=()
line() { typed+=("$1") expected+=("$2"); }

line "tuner des$tab" 'tuner describe '
line "tuner --db x li$tab" 'tuner --db x list '
line "tuner describe --dev$tab" 'tuner describe --device-name '
line "tuner tune --effort q$tab" 'tuner tune --effort quick '
line "tuner tune --effort=q$tab" 'tuner tune --effort=quick '
line "tuner tune --effort $all" 'tuner tune --effort full normal quick '
line "tuner tune my$tab" 'tuner tune my\ kernel.cu '
line "tuner tune --record=sc$tab" 'tuner tune --record=scale.cu '
line "tuner check -I a$tab" 'tuner check -I a\ folder/'
line "tuner tune my\\ kernel.cu --problem row_$tab" 'tuner tune my\ kernel.cu --problem row_length='
line "tuner tune my\\ kernel.cu --problem row_length=1,r$tab" 'tuner tune my\ kernel.cu --problem row_length=1,rows='
line "tuner tune my\\ kernel.cu --problem 'row_length=1,r$tab" "tuner tune my\\ kernel.cu --problem 'row_length=1,rows='"
line "tuner compare scale.cu@w$tab" 'tuner compare scale.cu@winner'
line "tuner compare scale.cu@BLOCK=64 @UNR$tab" 'tuner compare scale.cu@BLOCK=64 @UNROLL='
line "tuner compare scale.cu@BLOCK=64,UNROLL=2 @BLOCK=64,L$tab" 'tuner compare scale.cu@BLOCK=64,UNROLL=2 @BLOCK=64,LAYOUT='
line "tuner tune --effort=$all" 'tuner tune --effort=full normal quick '
line "tuner show s$tab" 'tuner show scale '
line "tuner show $all" 'tuner show 1 scale '
line "tuner forget --device NV$tab" 'tuner forget --device NVIDIA\ H200 '
line "tuner explain foreign.cu@OP=\\\"a$tab" 'tuner explain foreign.cu@OP=\"a\;\ touch\ ran\"'
line "tuner nothing --w$tab" 'tuner nothing --w'

for ((i = 0; i < ${#typed[@]}; i++)); do printf '%s%s' "${typed[i]}" "$end"; done >keys
printf 'exit\n' >>keys
script -qec "bash --noprofile --rcfile rc -i" /dev/null <keys >terminal 2>&1 || true
mapfile -t found <lines
for ((i = 0; i < ${#typed[@]}; i++)); do check "${typed[i]}" "${expected[i]}" "${found[i]-}"; done
[[ ! -e ran ]] || check 'text of the file is not run' '' 'ran'
exit $((failures > 0))
