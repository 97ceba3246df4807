#!/usr/bin/env bash
# Builds the image with docker, podman or buildah and tries it: a sample goes in, and what comes out is looked at.
#
#   docker/build.sh [cpu|cuda] [--base-from-debootstrap] [-- OPTION...]
#
# cpu makes vfilter:cpu on Debian 12, cuda makes vfilter on Ubuntu 24.04 by NVIDIA's development image. Options after --
# are the build's. BASE and DEVELOPMENT in the environment name other images (Dockerfile says what they are);
# --base-from-debootstrap makes BASE from a mirror of Debian where no registry can be reached, as root.
set -euo pipefail
# shellcheck source=scripts/setup.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../scripts/setup.sh"
cd "$root"

kind=cpu from_debootstrap=
while (($#)); do
    case $1 in
        cpu | cuda) kind=$1 ;;
        --base-from-debootstrap) from_debootstrap=yes ;;
        --) shift && break ;;
        *) die "'$1' is not one of: cpu, cuda, --base-from-debootstrap, --" ;;
    esac
    shift
done
case $kind in
    cpu) image=vfilter:cpu BASE=${BASE:-debian:12} ;;
    cuda)
        image=vfilter:latest BASE=${BASE:-ubuntu:24.04}
        DEVELOPMENT=${DEVELOPMENT:-nvidia/cuda:13.0.2-devel-ubuntu24.04}
        ;;
esac

for tool in docker podman buildah none; do
    # Where docker is installed its daemon need not run.
    "$tool" info >/dev/null 2>&1 && break
done
[[ $tool != none ]] || die "there is no docker, podman or buildah that works"
command -v ffmpeg >/dev/null || die "the sample is made and looked at by ffmpeg and ffprobe: install ffmpeg"
export BUILDAH_FORMAT=docker # podman and buildah: OCI's format has no HEALTHCHECK

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ $from_debootstrap ]]; then
    BASE=localhost/vfilter-base
    say "making $BASE with debootstrap"
    debootstrap --variant=minbase bookworm "$work/base" >"$work/log" || die "debootstrap failed: $(tail -n 3 "$work/log")"
    if [[ $tool == buildah ]]; then
        container=$(buildah from scratch)
        tar -C "$work/base" -cf "$work/base.tar" .
        buildah add --quiet "$container" "$work/base.tar" / >/dev/null
        buildah config --cmd bash "$container"
        buildah commit --quiet --rm "$container" "$BASE" >/dev/null
    else
        tar -C "$work/base" -c . | "$tool" import - "$BASE"
    fi
    rm -rf "$work/base" "$work/base.tar"
fi

say "building $image on $BASE with $tool"
"$tool" build -t "$image" --build-arg BASE="$BASE" --build-arg DEVELOPMENT="${DEVELOPMENT-}" \
    --build-arg VERSION="$(sed -n 's/^project(vfilter VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)" \
    --build-arg REVISION="$(git rev-parse HEAD)" "$@" .

# start FOLDER USER WORD...: vfilter in a container, the folder being its /data, as this user or as the image says.
start() {
    local folder=$1 as=() container status=0
    [[ ! $2 ]] || as=(--user "$2")
    shift 2
    if [[ $tool == buildah ]]; then
        container=$(buildah from "$image")
        buildah run "${as[@]}" -v "$folder:/data" "$container" -- entrypoint "$@" || status=$?
        buildah rm "$container" >/dev/null
        return "$status"
    fi
    # Rootless podman calls the caller root, unless told otherwise.
    [[ $tool != podman || $EUID == 0 || ! ${as[*]} ]] || as+=(--userns keep-id)
    "$tool" run --rm "${as[@]}" -v "$folder:/data" "$image" "$@"
}

# try OWNER USER: the sample through a container, in a folder of this owner.
try() {
    local folder=$work/data out facts
    mkdir "$folder"
    ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=25:duration=2 -pix_fmt yuv420p "$folder/in.mp4"
    ((EUID != 0)) || chown -R "$1" "$folder"
    start "$folder" "$2" in.mp4 out.mp4 --gaussian 5
    out=$folder/out.mp4
    facts=$(ffprobe -v error -select_streams v -count_frames -show_entries stream=width,height,nb_read_frames \
        -of csv=p=0 "$out")
    facts+=", $(stat -c 'owner %u:%g, mode %a' "$out")"
    [[ $facts == "320,180,50, owner $1, mode 644" ]] || die "${2:-without a user}, folder of $1: the file is $facts"
    say "${2:-without a user}, folder of $1: $facts"
    rm -r "$folder"
}

owner=$(id -u):$(id -g)
try "$owner" ""
try "$owner" "$owner"
if ((EUID == 0)); then
    try 1234:1234 ""
    try 1234:1234 1234:1234
fi
start "$work" "" --doctor
"$tool" images "$image"
