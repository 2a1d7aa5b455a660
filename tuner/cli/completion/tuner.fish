# Completion of `tuner` for fish. The program knows what can be typed: `tuner complete WORDS...` answers on its first
# line how what it offers is to be treated, and on each other line with a word and, behind a tab, what it means.
function __tuner_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct | string trim --left --chars='\'"')
    set -l answer (command tuner complete $words[2..] "$word" 2>/dev/null)
    printf '%s\n' $answer[2..]
    # A file behind `--option=` is found without that, and offered with it.
    set -l before (string match --regex -- '^--[^=]*=' $word)
    set -q before[1]; or set before ''
    set -l path (string replace -- "$before" '' $word)
    switch "$answer[1]"
        case files
            printf '%s\n' $before(__fish_complete_path "$path")
        case folders
            printf '%s\n' $before(__fish_complete_directories "$path")
    end
end
complete -c tuner -f -a '(__tuner_complete)'
