#!/usr/bin/env bash
# docs/make_filters.sh BUILD_DIR: writes docs/filters.md from the filter table, its pictures, and docs/recipes.md from the
# table of everyday words. vfilter filters the pictures and writes them as PNG; ffmpeg makes the sample, and sets before and
# after side by side.
set -euo pipefail

(($# == 1)) || { echo "docs/make_filters.sh BUILD_DIR" >&2; exit 2; }
docs=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
build=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"

make() { ffmpeg -nostdin -loglevel error -y "$@"; }

# The sample has what filters are judged by: sharp edges of every direction, thin lines, fine and coarse texture, smooth
# shades. Spheres over a chequered floor, as a formula: x is in 0, y in 1, upwards, both 0 in the middle of the picture.

# sphere X Y RADIUS COLOUR ELSE: lit from the upper left, with a highlight; in 4 and 5 the place on it, from -1 to 1.
sphere() {
    local toward='st(4,(ld(0)-(%s))/%s);st(5,(ld(1)-(%s))/%s);st(6,1-ld(4)*ld(4)-ld(5)*ld(5));'
    local light='st(7,-0.5*ld(4)+0.6*ld(5)+0.62*sqrt(ld(6)));'
    local colour='min(255,(%s)*(0.25+0.75*max(0,ld(7)))+230*pow(max(0,ld(7)),40))'
    # shellcheck disable=SC2059
    printf "${toward}if(gt(ld(6),0),$light$colour,%s)" "$1" "$3" "$2" "$3" "$4" "$5"
}

# plane SKY FLOOR RED RINGS BLUE: the formula of one colour. In 3 is whether a tile of the floor is a white one.
plane() {
    local tiles='st(2,0.5/(0.02-ld(1)));st(3,mod(floor(ld(0)*ld(2)*2+100)+floor(ld(2)*2),2));'
    local ground="if(lt(ld(1),0),$tiles($2)*exp(-ld(2)/16)+150*(1-exp(-ld(2)/16)),$1-90*ld(1))"
    printf 'st(0,(X-W/2)/(H/2));st(1,(H/2-Y)/(H/2));'
    sphere -0.72 0.02 0.5 "$3" "$(sphere 0.3 -0.3 0.45 "$4" "$(sphere 0.95 0.25 0.28 "$5" "$ground")")"
}

rings='gt(sin(26*(ld(4)*ld(4)+ld(5)*ld(5))),0)'
red=$(plane 175 '50+180*ld(3)' 225 "60+180*$rings" 40)
green=$(plane 200 '45+175*ld(3)' 60 "60+175*$rings" 120)
blue=$(plane 235 '60+150*ld(3)' 50 "80+130*$rings" 220)
make -f lavfi -i "color=size=1280x960,format=gbrp,geq=r='$red':g='$green':b='$blue',scale=320:240:flags=area" \
    -frames:v 1 -pix_fmt yuv420p -c:v ffv1 sample.mkv
make -f lavfi -i "color=size=320x240,format=gray,geq=lum='255*lt(hypot(X-76,Y-118),62)'" -frames:v 1 mask.png

"$build/config/vfilter_docs" filters >filters.md
"$build/config/vfilter_docs" recipes >recipes.md
"$build/config/vfilter_docs" pictures >pictures.tsv
mkdir pictures.new
while IFS=$'\t' read -r name filter noise pictures levels arguments; do
    flags=$([[ $pictures == 1 ]] || echo ':allf=t')
    bands=$([[ $levels == 0 ]] || echo ",lutyuv=y=(floor(val*$levels/256)+0.5)*256/$levels")
    make -i sample.mkv -vf "loop=$((pictures - 1)):1,noise=alls=$noise:all_seed=1$flags$bands" -c:v ffv1 before.mkv
    "$build/vfilter" before.mkv after.mkv -y --quiet --device cpu --codec ffv1 "--$filter" ${arguments:+"$arguments"}
    middle="select=eq(n\\,$((pictures / 2)))"
    make -i before.mkv -i after.mkv -filter_complex \
        "[0]$middle,pad=iw+8:color=white[before];[1]$middle[after];[before][after]hstack" \
        -frames:v 1 -q:v 3 "pictures.new/$name.jpg"
done <pictures.tsv

mkdir -p "$docs/filters"
rm -f "$docs"/filters/*.jpg
mv pictures.new/* "$docs/filters/"
mv filters.md recipes.md "$docs/"
du -ch "$docs"/filters/* | tail -1
