#!/usr/bin/env bash
# The library as it is installed: its two packages, unpacked, and the programs of docs/library.md, compiled by what pkg-config
# and CMake say of them, against the program. tests/library/installed.sh BUILD SOURCE CC CXX
set -euo pipefail
build=${1:?} source=${2:?} cc=${3:?} cxx=${4:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

cpack --config "$build/CPackConfig.cmake" -G DEB -D VFILTER_COMPONENTS="library;development" -B "$work/packages" >"$work/log" ||
    fail "$(cat "$work/log")"
library=("$work"/packages/libvfilter0_*.deb) development=("$work"/packages/libvfilter-dev_*.deb)
[[ $(find "$work/packages" -maxdepth 1 -name '*.deb' | wc -l) == 2 ]] || fail "there are other packages than these two"

# The library needs the system's own libraries alone: whoever links it gets no others, Highway's among them.
depends=$(dpkg-deb -f "${library[0]}" Depends)
others=$(tr ',' '\n' <<<"$depends" | sed -E 's/^ *//; s/ .*//; s/t64$//' | grep -vxE 'libc6|libgcc-s1|libstdc\+\+6' || true)
[[ $depends && ! $others ]] || fail "libvfilter0 depends on '$depends'"
[[ $(dpkg-deb -I "${library[0]}" shlibs) == 'libvfilter 0 libvfilter0 '* ]] || fail "who links the library would not need its package"
version=$(dpkg-deb -f "${library[0]}" Version)
[[ $(dpkg-deb -f "${development[0]}" Depends) == "libvfilter0 (= $version)" ]] || fail "libvfilter-dev is for another libvfilter0"
for package in "${library[0]}" "${development[0]}"; do
    dpkg-deb -x "$package" "$work"
    [[ -s $work/usr/share/doc/$(dpkg-deb -f "$package" Package)/copyright ]] || fail "$package has no copyright"
done
# And what is compiled into the two that are made of code.
for part in libhwy-dev Apache; do
    grep -q "$part" "$work/usr/share/doc/libvfilter0/copyright" || fail "libvfilter0's copyright does not name $part"
done
for part in libhwy-dev libcli11-dev libconcurrentqueue-dev nlohmann-json3-dev; do
    [[ ! -e $build/copyright/program ]] || grep -q "$part" "$build/copyright/program" || fail "vfilter's copyright does not name $part"
done
# No folder of one package is the other's, but those that both are in, and each has its own files.
[[ ! $(dpkg-deb -c "${library[0]}" | grep -E '/(include|cmake|pkgconfig)/|/libvfilter\.so ') ]] || fail "libvfilter0 has what is for compiling"
[[ ! $(dpkg-deb -c "${development[0]}" | grep -E '/libvfilter\.so\.') ]] || fail "libvfilter-dev has the library"

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
# With comments it is the same picture; of 16 bits, larger than can be, or cut short it is none.
{ printf 'P6# one\n#two\n96 #three\n# 5\n 64\n255\n' && tail -c $((96 * 64 * 3)) "$work/in.ppm"; } >"$work/commented.ppm"
"$work/blur" "$work/commented.ppm" "$work/out.ppm" 5
cmp "$work/out.ppm" "$work/expected.ppm"
head -c 100000 /dev/zero >"$work/zeros"
for head in '96 64\n65535' '96 64\n25500' '96 64\n2550' '96 64\n1' '3037000500 2024666999\n255' '1048577 1\n255' '4294967392 64\n255' '-96 -64\n255' \
    '0 64\n255' '1048576 1048576\n255' '96 6400\n255' '96' '# 96 64 255'; do
    { printf 'P6\n%b\n' "$head" && cat "$work/zeros"; } >"$work/wrong.ppm"
    code=0
    "$work/blur" "$work/wrong.ppm" "$work/wrong.out.ppm" 5 2>"$work/said" || code=$?
    [[ $code == 1 && -s $work/said && ! -e $work/wrong.out.ppm ]] || fail "of '$head' there came $code and '$(cat "$work/said")'"
done

mkdir "$work/edges"
block cpp >"$work/edges/edges.cpp"
block cmake >"$work/edges/CMakeLists.txt"
cmake -S "$work/edges" -B "$work/edges/build" -D CMAKE_CXX_COMPILER="$cxx" -D CMAKE_PREFIX_PATH="$work/usr" >/dev/null
cmake --build "$work/edges/build" >/dev/null
[[ $("$work/edges/build/edges") =~ ^[0-9]+$ ]]
printf 'packed, found and used\n'
