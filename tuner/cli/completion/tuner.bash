# Completion of `tuner` for bash. The program knows what can be typed: `tuner complete WORDS...` answers on its first
# line how what it offers is to be treated, and on each other line with a word and, behind a tab, what it means.
_tuner() {
  local words=() part rest=$COMP_LINE i
  # Bash breaks words at = : and @ too, but not the program: what no blank parts is one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    part=${COMP_WORDS[i]}
    if ((i > 1)) && [[ $rest == "$part"* ]]; then
      words[-1]+=$part
    else
      rest=${rest#"${rest%%[! ]*}"}
      words+=("$part")
    fi
    rest=${rest#"$part"}
  done
  # Bash puts what is offered in the place of the last part only.
  part=${COMP_WORDS[COMP_CWORD]}
  [[ $part == *[!=:@\<\>]* ]] || part=
  local last=${words[-1]} quote=
  local before=${last%"$part"}
  [[ $part == [\'\"]* ]] && quote=${part:0:1}
  words=("${words[@]//[\\\'\"]/}")
  before=${before//[\\\'\"]/}

  local answer line
  mapfile -t answer < <(command tuner complete "${words[@]:1}" 2>/dev/null)
  COMPREPLY=()
  case ${answer[0]-} in
    open) compopt -o nospace ;;
    files) mapfile -t COMPREPLY < <(compgen -f -- "${part//[\\\'\"]/}") ;;
    folders) mapfile -t COMPREPLY < <(compgen -d -- "${part//[\\\'\"]/}") ;;
  esac
  # Bash itself quotes the names of files.
  [[ ${answer[0]-} != f* ]] || compopt -o filenames
  for line in "${answer[@]:1}"; do
    line=${line%%$'\t'*}
    line=${line#"$before"}
    if [[ $quote ]]; then
      [[ $line != *[\'\"\\\$\`]* ]] || continue
    elif [[ ${answer[0]} != f* && $line == *[!a-zA-Z0-9_@%+=:,./-]* ]]; then
      printf -v line %q "$line"
    fi
    COMPREPLY+=("$line")
  done
}
complete -F _tuner tuner
