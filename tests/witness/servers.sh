#!/usr/bin/env bash
# Keeps ffmpeg and ffprobe started, for the tests that call them: see server.c.
#
#   servers.sh start FOLDER MODULE     FOLDER gets their sockets; MODULE is server.c, built
#   servers.sh stop FOLDER
set -euo pipefail

folder=$2
programs=(ffmpeg ffprobe)

# Those of a run that was broken off, too. A number may be somebody else's by now.
for program in "${programs[@]}"; do
    if [[ -f $folder/$program.pid ]] && process=$(<"$folder/$program.pid") &&
        grep -qzxF "VFILTER_WITNESS=$folder/$program" "/proc/$process/environ" 2>/dev/null; then
        kill "$process" || true
    fi
done
rm -rf "$folder"
[[ $1 == start ]] || exit 0

mkdir -p "$folder"
for program in "${programs[@]}"; do
    path=$(command -v "$program") || { echo "there is no $program"; exit 1; }
    setsid env VFILTER_WITNESS="$folder/$program" LD_PRELOAD="$3" "$path" </dev/null >/dev/null 2>&1 &
    echo $! >"$folder/$program.pid"
done
# Where one cannot be kept (no pidfd_open, a folder whose name is too long) its client starts the program itself.
for ((i = 0; i < 100; ++i)); do
    [[ -S $folder/ffmpeg && -S $folder/ffprobe ]] && exit 0
    sleep 0.05
done
echo "left out: ffmpeg and ffprobe are started anew each time"
