#!/usr/bin/env bash
# Keeps programs started, for the tests that call them: see server.c.
#
#   servers.sh start FOLDER MODULE PROGRAM...    FOLDER gets their sockets; MODULE is server.c, built
#   servers.sh stop FOLDER
set -euo pipefail

folder=$2

# Those of a run that was broken off, too. A number may be somebody else's by now.
for file in "$folder"/*.pid; do
    if [[ -f $file ]] && process=$(<"$file") &&
        grep -qzxF "VFILTER_WITNESS=${file%.pid}" "/proc/$process/environ" 2>/dev/null; then
        kill "$process" || true
    fi
done
rm -rf "$folder"
[[ $1 == start ]] || exit 0

mkdir -p "$folder"
module=$3
shift 3
started=0
for program; do
    socket=$folder/$(basename "$program")
    # One that is not built yet: nobody calls it, or its client says that it is missing.
    path=$(command -v "$program") || { echo "there is no $program"; continue; }
    started=$((started + 1))
    # All symbols are bound once, instead of in each of the thousands that are forked.
    setsid env LD_BIND_NOW=1 VFILTER_WITNESS="$socket" LD_PRELOAD="$module" "$path" </dev/null >/dev/null 2>&1 &
    echo $! >"$socket.pid"
done
# Where one cannot be kept (no pidfd_open, a folder whose name is too long) its client starts the program itself.
for ((i = 0; i < 100; ++i)); do
    sockets=("$folder"/*)
    ((${#sockets[@]} == 2 * started)) && exit 0
    sleep 0.05
done
echo "left out: some of $* are started anew each time"
