# shellcheck shell=bash
# Steps of ../gpu.sh: benchmarks, and whole runs beside each other.
# shellcheck disable=SC2154  # work, clip: gpu.sh

step_kernels() { vfilter-bench kernels --device cuda --check; }
# Without --check: some of its aims are not reached (docs/kernels.md says what binds).
step_sweep() { vfilter-bench sweep --device cuda; }
step_engine() { vfilter-bench pipeline --device cuda --size 1080p,2160p --only only --check; }

seconds() { # COMMAND...: the time it takes
    local begin
    begin=$(date +%s.%N)
    "$@" >/dev/null 2>&1 || { echo "failed: $*" >&2; return 1; }
    echo "$begin $(date +%s.%N)" | awk '{print $2 - $1}'
}

# contest ROUNDS LIMIT CONTESTANT...: times them (functions of these names) against the first, and prints the median of the
# rounds' ratios, the first one's time over each one's, and what it must be. Fails where one is less. A machine's speed
# drifts by several percent within a minute: they take turns, forwards and backwards.
contest() {
    local rounds=$1 limit=$2 n name times
    shift 2
    local order=("$@") i swap
    for ((n = 0; n < rounds; ++n)); do
        for name in "${order[@]}"; do
            times=$(seconds "run_$name") || return
            echo "$name $times"
        done
        for ((i = 0; i < $# / 2; ++i)); do
            swap=${order[i]} order[i]=${order[$# - 1 - i]} order[$# - 1 - i]=$swap
        done
    done | awk -v first="$1" -v limit="$limit" -v names="$*" -v rounds="$rounds" '
        function median(list, n,   i, j, t) {
            for (i = 2; i <= n; ++i) for (j = i; j > 1 && list[j - 1] > list[j]; --j) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
            return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
        }
        { time[$1, ++count[$1]] = $2 }
        END {
            n = split(names, name, " ")
            for (k = 1; k <= n; ++k) {
                c = count[name[k]]
                if (c < rounds) exit 1
                for (r = 1; r <= c; ++r) { own[r] = time[name[k], r]; ratio[r] = time[first, r] / own[r] }
                printf "%-22s %.3f s", name[k], median(own, c)
                if (k > 1) printf ", %s / it: %.3f (must be %s)", first, median(ratio, c), limit
                missed += k > 1 && median(ratio, c) < limit
                print ""
            }
            exit missed > 0
        }'
}

# Whole runs of the program on 1080p H.264, to nowhere and to x264.
run_without_filter() { vfilter "$work/long.mp4" - --format null --device cuda; }
run_with_gaussian_31() { vfilter "$work/long.mp4" - --format null --device cuda --gaussian 31; }
run_with_chain_of_three() { vfilter "$work/long.mp4" - --format null --device cuda --sharpen 0.8 --gaussian 5 --emboss 0.5; }
run_ffmpeg_to_x264() { ffmpeg -v error -y -i "$work/long.mp4" -c:v libx264 -preset ultrafast -crf 23 "$work/theirs.mp4"; }
run_gaussian_31_to_x264() { vfilter "$work/long.mp4" "$work/ours.mp4" -y --device cuda --gaussian 31 --preset ultrafast --crf 23; }
run_with_denoise_medium() { vfilter "$work/long.mp4" - --format null --device cuda --denoise medium; }
make_long() {
    [[ -f $work/long.mp4 ]] ||
        ffmpeg -v error -i "$clip" -map 0:v -vf scale=1920:1080,loop=-1:720,fps=24 -frames:v 3600 -c:v libx264 -preset veryfast -crf 23 \
            -pix_fmt yuv420p -y "$work/long.mp4"
}
step_denoise() { make_long && contest 9 0.95 without_filter with_denoise_medium; }
step_whole() {
    make_long || return
    contest 24 0.97 without_filter with_gaussian_31 with_chain_of_three &&
        contest 7 0.97 ffmpeg_to_x264 gaussian_31_to_x264 &&
        vfilter "$work/long.mp4" - --format null --device cpu --gaussian 31 &&
        vfilter "$work/long.mp4" - --format null --device cuda --gaussian 31 --frames 200 --stats text --trace "${VFILTER_TRACE:-$work/trace.json}"
}
