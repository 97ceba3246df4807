#!/usr/bin/env bash
# The library as it is installed: the programs of docs/library.md, compiled by what pkg-config and CMake say of it, against
# the program. tests/library/installed.sh BUILD SOURCE CC CXX
set -euo pipefail
build=${1:?} source=${2:?} cc=${3:?} cxx=${4:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for component in library development; do
    cmake --install "$build" --component "$component" --prefix "$work/usr" >/dev/null
done
libraries=$(dirname "$(find "$work/usr" -name libvfilter.so)")
export LD_LIBRARY_PATH=$libraries PKG_CONFIG_PATH=$libraries/pkgconfig

block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`/!p}" "$source/docs/library.md"; }

block c >"$work/blur.c"
# shellcheck disable=SC2046  # options
"$cc" -std=c11 -Wall -Wextra -Werror "$work/blur.c" -o "$work/blur" $(pkg-config --cflags --libs vfilter)
ffmpeg -v error -f lavfi -i testsrc2=s=96x64:d=1:r=1 -frames:v 1 -pix_fmt rgb24 "$work/in.ppm"
"$work/blur" "$work/in.ppm" "$work/out.ppm" 5
"$build/vfilter" "$work/in.ppm" "$work/expected.ppm" --gaussian 5 --device cpu 2>/dev/null
cmp "$work/out.ppm" "$work/expected.ppm"
! cmp -s "$work/in.ppm" "$work/out.ppm"

mkdir "$work/edges"
block cpp >"$work/edges/edges.cpp"
block cmake >"$work/edges/CMakeLists.txt"
cmake -S "$work/edges" -B "$work/edges/build" -D CMAKE_CXX_COMPILER="$cxx" -D CMAKE_PREFIX_PATH="$work/usr" >/dev/null
cmake --build "$work/edges/build" >/dev/null
[[ $("$work/edges/build/edges") =~ ^[0-9]+$ ]]
printf 'installed, found and used\n'
