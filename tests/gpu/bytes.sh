# shellcheck shell=bash
# Steps of ../gpu.sh: the bytes of every filter, by both engines.
# shellcheck disable=SC2154  # work, clip: gpu.sh

# Every filter with arguments, and chains; words are separated by tabs.
declare -A filter_arguments=(
    [gaussian]=5 [box]=5 [motion]=15:direction=y [sharpen]=0.8:sigma=1.2:threshold=3 [sobel]=scale=2
    [scharr]=direction=x:scale=2 [prewitt]=bias=-20 [laplacian]=8:scale=0.5 [log]=1.4:scale=4 [dog]=1:sigma2=2:scale=4
    [emboss]=1:angle=135 [kernel]='0 -1 0; -1 5 -1; 0 -1 0' [nlmeans]=6 [denoise]=film [bilateral]=30:size=9 [guided]=20:size=9 [deband]=3:range=24 [median]=5 [tmedian]=1 [taverage]=2:limit=30 [pixelate]=19 [fill]='#20c040'
    [identity]=''
)
printf '%s\n' 1,a,10,20,90.5,60 30,a,300,101,120,60 8,b,-20,150,90,200 40,b,60,150,33,90 >"$work/tracks.csv"
chains=(
    $'--gaussian\t5\t--gaussian\tsigma=4'
    $'--gaussian\tsigma=50\t--gaussian\tsigma=14:border=wrap\t--gaussian\t127:chroma=same'
    $'--median\t3:shape=cross:border=wrap\t--median\t9:chroma=same:region=10%,10%,60%,60%:border=constant'
    $'--pixelate\t17:region='"@$work/tracks.csv"$':pad=10%\t--gaussian\tsigma=14:enable=5f-9f:region='"@$work/tracks.csv"
    $'--fill\tnavy:region=11,7,101,53:feather=5:outside=1:enable=3f-30f\t--sobel\tenable=20f-:region=1,1,99,33:chroma=off'
    $'--nlmeans\t5:frames=1:search=7\t--gaussian\t3\t--taverage\t2:after=1'
    $'--tmedian\t2:enable=5f-30f\t--nlmeans\t8:patch=5:search=5:frames=2:after=0:region='"@$work/tracks.csv"
    $'--deband\t8:region=10%,10%,60%,60%:border=constant\t--guided\t30:size=37:border=wrap:enable=5f-30f\t--guided\t10:size=3:region='"@$work/tracks.csv"
    $'--gaussian\t3\t--sharpen\t1.5:chroma=same\t--sobel\t5:chroma=neutral'
    $'--sharpen\t2:size=5\t--emboss\t1:region=25%,25%,50%,50%:feather=20\t--gaussian\t9:border=wrap:chroma=off'
)

# Not of 16 bits, which have no finer levels.
dithered_chains=(
    $'--gaussian\t5:dither=on\t--deband\t2'
    $'--gaussian\tsigma=14:dither=on\t--bilateral\t40:dither=on:region='"@$work/tracks.csv"$'\t--guided\t20:dither=on:border=constant'
    $'--taverage\t2:dither=on\t--nlmeans\t6:frames=1:search=5:dither=on:region=10%,10%,60%,60%\t--sobel\tdither=on:chroma=neutral'
)

same_bytes() { # FILE WORD...: hashes of the first frames by both engines
    local in=$1 device count
    shift
    for device in cpu cuda; do
        vfilter "$in" - --device "$device" "$@" --frames 48 --format framehash --codec rawvideo --log-level error --progress none \
            >"$in.$device" || return
    done
    count=$(grep -c '^0,' "$in.cuda")
    [[ $count -gt 0 ]] && cmp -s "$in.cpu" "$in.cuda"
}
same_bytes_of_format() { # FORMAT: every filter and every chain
    local format=$1 in=$work/$1.nut name chain count=0 status=0 words own
    ffmpeg -nostdin -v error -i "$clip" -map 0:v -frames:v 48 -pix_fmt "$format" -c:v rawvideo -f nut -y "$in" || return
    for name in $(vfilter --list filters | awk '{print $1}'); do
        if [[ ! ${filter_arguments[$name]+there} ]]; then
            echo "$name: no arguments are known here"
            return 1
        fi
        words=("--$name" ${filter_arguments[$name]:+"${filter_arguments[$name]}"})
        same_bytes "$in" "${words[@]}" || { echo "$format: ${words[*]}: DIFFERENT"; status=1; }
        ((++count))
    done
    own=("${chains[@]}")
    [[ $format == *16* ]] || own+=("${dithered_chains[@]}")
    for chain in "${own[@]}"; do
        IFS=$'\t' read -ra words <<<"$chain"
        same_bytes "$in" "${words[@]}" || { echo "$format: ${words[*]}: DIFFERENT"; status=1; }
        ((++count))
    done
    echo "$format: $count chains looked at"
    return "$status"
}

step_bytes() {
    local format job jobs=() status=0
    for format in yuv420p yuv420p10le yuv422p yuv444p nv12 gbrp gray12le p010le yuva420p gray16le; do
        same_bytes_of_format "$format" &
        jobs+=($!)
    done
    for job in "${jobs[@]}"; do wait "$job" || status=1; done
    return "$status"
}
