#!/usr/bin/env bash
# vfilter itself, after installing and building what is missing: ./run.sh in.mp4 out.mp4 --gaussian 5
# Without arguments it makes a sample clip and filters that.
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/scripts/setup.sh"

[[ " $* " != *" --preview "* ]] || more_packages=("${window_packages[@]}")
set_up release vfilter
vfilter=$root/build/release/vfilter
(($# == 0)) || exec "$vfilter" "$@"

sample=$root/sample
if [[ ! -f $sample/input.mp4 ]]; then
    say "making a sample clip"
    mkdir -p "$sample"
    ffmpeg -nostdin -loglevel error -y \
        -f lavfi -i "testsrc2=size=1280x720:rate=30:duration=5" -f lavfi -i "sine=frequency=440:beep_factor=4:duration=5" \
        -c:v libx264 -preset veryfast -pix_fmt yuv420p -c:a aac -f mp4 "$sample/input.mp4.part"
    mv "$sample/input.mp4.part" "$sample/input.mp4"
fi
"$vfilter" "$sample/input.mp4" "$sample/filtered.mp4" --gaussian 9 -y
printf 'sample clip:  %s\nfiltered:     %s\n' "$sample/input.mp4" "$sample/filtered.mp4"
