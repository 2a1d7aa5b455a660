# Completion of `tuner` for bash. The program knows what can be typed: `tuner complete WORDS...` answers on its first
# line how what it offers is to be treated, and on each other line with a word and, behind a tab, what it means.

# Sets `plain` to what bash makes of a word that is being typed.
_tuner_plain() {
  local text=$1 quote= c
  plain=
  while [[ $text ]]; do
    c=${text:0:1} text=${text:1}
    case $quote$c in
      \\ | \"\\) plain+=${text:0:1} text=${text:1} ;;
      \' | \") quote=$c ;;
      \'\' | \"\") quote= ;;
      *) plain+=$c ;;
    esac
  done
}

_tuner() {
  local words=() part rest=$COMP_LINE i plain
  # Bash breaks words at = : and @ too, but not the program: what no blank parts is one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    part=${COMP_WORDS[i]}
    if ((i > 1)) && [[ $rest != [[:blank:]]* ]]; then
      words[-1]+=$part
    else
      rest=${rest#"${rest%%[![:blank:]]*}"}
      words+=("$part")
    fi
    rest=${rest#"$part"}
  done
  for ((i = 1; i < ${#words[@]}; i++)); do
    _tuner_plain "${words[i]}"
    words[i]=$plain
  done
  # What is offered takes the place of $2 only, the end of the word.
  _tuner_plain "$2"
  local before=${words[-1]%"$plain"} quote=
  [[ ${COMP_WORDS[COMP_CWORD]} != [\'\"]* ]] || quote=yes

  local answer line
  mapfile -t answer < <(command tuner complete "${words[@]:1}" 2>/dev/null)
  COMPREPLY=()
  case ${answer[0]-} in
    open) compopt -o nospace ;;
    files) mapfile -t COMPREPLY < <(compgen -f -- "$plain") ;;
    folders) mapfile -t COMPREPLY < <(compgen -d -- "$plain") ;;
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
