#include "config/completion.h"

namespace vfilter {

// bash takes words apart at : and =, so they are put together again, and only what follows the last of those is given
// back. Nothing needs the package bash-completion.
std::string bash_completion() {
    return R"script(# bash completion for vfilter: the program itself says what can come next.
_vfilter() {
    local IFS=$'\n' rest=$COMP_LINE words=() word before reply line
    local -i i
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        before=$rest
        rest=${rest#"${rest%%[![:space:]]*}"}
        if [[ $before == "$rest" && ${#words[@]} -gt 0 ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
        rest=${rest#"$word"}
    done
    local current=${words[${#words[@]} - 1]}
    local known=${current%"${current##*[:=]}"}
    COMPREPLY=()
    while read -r line; do
        if [[ $line == :files ]]; then
            compopt -o filenames
            COMPREPLY+=($(compgen -f -- "$current"))
            continue
        fi
        reply=${line%%$'\t'*}
        [[ $reply != *[=:] ]] || compopt -o nospace
        COMPREPLY+=("${reply#"$known"}")
    done < <("${words[0]}" --complete "${words[@]:1}" 2>/dev/null)
}
complete -F _vfilter vfilter
)script";
}

std::string zsh_completion() {
    return R"script(#compdef vfilter
# zsh completion for vfilter: the program itself says what can come next.
_vfilter() {
    local line
    local -a ends ends_shown goes_on goes_on_shown
    for line in "${(@f)$(${words[1]} --complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        case $line in
            '') ;;
            :files) _files ;;
            *[=:]$'\t'*)
                goes_on+=("${line%%$'\t'*}")
                goes_on_shown+=("${line/$'\t'/  -- }")
                ;;
            *)
                ends+=("${line%%$'\t'*}")
                ends_shown+=("${line/$'\t'/  -- }")
                ;;
        esac
    done
    (( ! $#ends )) || compadd -l -d ends_shown -a ends
    (( ! $#goes_on )) || compadd -l -S '' -d goes_on_shown -a goes_on
}
if [[ $funcstack[1] == _vfilter ]]; then
    _vfilter "$@"
else
    compdef _vfilter vfilter
fi
)script";
}

std::string fish_completion() {
    return R"script(# fish completion for vfilter: the program itself says what can come next.
function __vfilter_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] --complete $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c vfilter -f -a '(__vfilter_complete)'
)script";
}

}  // namespace vfilter
