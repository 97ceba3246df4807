#!/usr/bin/env bash
# Who may include whom (docs/architecture.md): what is not allowed does not compile, as a room has no path to it.
#
#   arrows.sh COMPILER ROOM=PATHS...    a room's include paths, with a colon between two
set -euo pipefail
compiler=$1
shift
declare -A paths
for argument; do
    paths[${argument%%=*}]=${argument#*=}
done
failed=0
cd / # what comes from stdin finds what lies where it is read

# compiles ROOM HEADER: whether a file of this room can include it.
compiles() {
    local list options=()
    IFS=: read -ra list <<<"${paths[$1]}"
    options=("${list[@]/#/-I}")
    "$compiler" -std=c++20 -E -x c++ "${options[@]}" -o /dev/null - 2>/dev/null <<<"#include \"$2\""
}
may() {
    compiles "$1" "$2" || { echo "$1/ cannot include $2, which it may"; failed=1; }
}
may_not() {
    local header
    for header in "${@:2}"; do
        [[ -f ${paths[root]}/$header ]] || { echo "there is no $header any more"; failed=1; }
        ! compiles "$1" "$header" || { echo "$1/ can include $header, which it may not"; failed=1; }
    done
}

may kernels kernels/arithmetic/dithered.h
may filters kernels/arithmetic/dithered.h
may config filters/borders.h
may io config/error.h
may io config/lavfi/facts.h
may library filters/borders.h
may pipeline io/file_facts.h
may_not kernels filters/borders.h config/error.h io/file_facts.h pipeline/failure.h library/call.h
may_not filters config/error.h config/lavfi/facts.h io/file_facts.h pipeline/failure.h library/call.h
may_not config io/file_facts.h pipeline/failure.h library/call.h
may_not io filters/borders.h kernels/arithmetic/dithered.h pipeline/failure.h library/call.h config/options.h
may_not library config/error.h io/file_facts.h pipeline/failure.h
may_not pipeline library/call.h bench/machine.h

# The folders of io/ in their order: each includes those before it alone. All of them have one path, so their lines are
# read.
order=(io log bitstream formats graph input codec output preview)
declare -A place
for i in "${!order[@]}"; do
    place[${order[i]}]=$i
done
lines=$(cd "${paths[root]}" && grep -ro --include='*.h' --include='*.cpp' '^#include "io/[^"]*"' io)
while IFS=: read -r file line; do
    header=${line#*'"io/'}
    header=${header%'"'}
    from=${file#io/}
    [[ $from == */* ]] && from=${from%%/*} || from=io
    [[ $header == */* ]] && to=${header%%/*} || to=io
    if [[ -z ${place[$from]:-} || -z ${place[$to]:-} ]] || ((place[$to] > place[$from])); then
        echo "$file includes io/$header: $from/ comes before $to/, or one of them has no place in io's order"
        failed=1
    fi
done <<<"$lines"
# Files are compiled several at once: behind `using namespace` a name of another file's would hide the one that is meant,
# without a word.
if (cd "${paths[root]}" && grep -rn --include='*.h' --include='*.cpp' '^using namespace' config filters io kernels library pipeline |
    grep -v 'namespace std::'); then
    echo "a name of another file could hide one of that namespace"
    failed=1
fi
exit "$failed"
