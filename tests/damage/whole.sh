#!/usr/bin/env bash
# False alarms: whole videos, each of which has to end with 0. Lists those that do not.
#
#   tests/damage/whole.sh FOLDER
#
# VFILTER_BUILD  the folder in which vfilter was built; build/release without it
set -euo pipefail
root=$(readlink -f "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../..")
export vfilter=${VFILTER_BUILD:-$root/build/release}/vfilter

# look_at FILE: a line if it does not end with 0.
look_at() {
    local said status=0
    said=$(timeout 120 "$vfilter" "$1" --format null --device cpu --box 3 --progress none 2>&1 </dev/null) || status=$?
    ((status == 0)) || printf '%s\t%s\t%s\n' "$status" "$(basename "$1")" "${said//$'\n'/ | }"
}
export -f look_at

if (($# != 1)) || [[ ! -d $1 ]]; then
    echo "usage: tests/damage/whole.sh FOLDER" >&2
    exit 2
fi
list=$(mktemp)
trap 'rm -f "$list"' EXIT
# shellcheck disable=SC2016
find "$1" -maxdepth 1 -type f -print0 | xargs -0 -r -n 1 -P "$(nproc)" bash -c 'look_at "$1"' _ >"$list"
sort -k2 "$list"
alarms=$(wc -l <"$list")
files=$(find "$1" -maxdepth 1 -type f | wc -l)
echo "$files files, $alarms alarms"
((files > 0 && alarms == 0))
