#!/usr/bin/env bash
# What is loaded into our binaries, and how they are hardened: tests/binaries.sh FOLDER [all]
# What tests/python and tests/vapoursynth have fetched and made there is not ours to hand out, and is left out.
# No binary below FOLDER may look for libraries in an empty or relative folder: that is code of whoever owns the working
# directory. With `all` each has to be position independent, fully bound before main and read-only then (RELRO with
# BIND_NOW), without an executable stack and marked for CET, and the program has guarded stacks and checked C calls.
set -euo pipefail
folder=${1:?tests/binaries.sh FOLDER [all]}
failed=0 seen=0

complain() {
    printf '%s: %s\n' "$@"
    failed=1
}

while IFS= read -r -d '' file; do
    [[ $(head -c 4 "$file" | tr -d '\0') == $'\x7fELF' ]] || continue
    header=$(readelf -h "$file" 2>/dev/null) && [[ $header == *'DYN ('* || $header == *'EXEC ('* ]] || continue
    seen=$((seen + 1))
    dynamic=$(readelf -d "$file")
    while IFS= read -r path; do
        # An empty entry is the working directory, at either end too.
        while IFS= read -r entry; do
            [[ $entry == /* || $entry == "\$ORIGIN"* ]] || complain "$file" "looks for libraries in '$entry' ($path)"
            # Beside a build tree in /tmp anybody can make a folder.
            [[ $entry != *..* || ! -e $folder/CMakeCache.txt ]] || complain "$file" "looks for libraries outside of $folder ($entry)"
        done < <(tr ':' '\n' <<<"$path")
    done < <(sed -n 's/.*Library \(rpath\|runpath\): \[\(.*\)\]$/\2/p' <<<"$dynamic")
    [[ ${2-} == all ]] || continue
    [[ $header == *'DYN ('* ]] || complain "$file" "is not position independent"
    segments=$(readelf -lW "$file")
    [[ $segments == *GNU_RELRO* ]] || complain "$file" "has no RELRO"
    grep -qE 'BIND_NOW|FLAGS_1.*NOW' <<<"$dynamic" || complain "$file" "is bound lazily"
    grep -qE 'GNU_STACK .* RWE ' <<<"$segments" && complain "$file" "has an executable stack"
    if [[ $(uname -m) == x86_64 ]]; then
        notes=$(readelf -nW "$file")
        [[ $notes == *IBT* && $notes == *SHSTK* ]] || complain "$file" "is not marked for CET"
    fi
    if [[ $file == "$folder/vfilter" ]]; then
        symbols=$(readelf -sW --dyn-syms "$file")
        [[ $symbols == *__stack_chk_fail* ]] || complain "$file" "has no guarded stacks"
        grep -qE ' __[a-z]+_chk@' <<<"$symbols" || complain "$file" "has no checked calls of the C library"
    fi
done < <(find "$folder" -path "$folder/python" -prune -o -path "$folder/vapoursynth" -prune -o -type f \( -perm -u+x -o -name '*.so*' \) ! -path '*/CMakeFiles/*' -print0)

((seen)) || complain "$folder" "has no binary"
((failed)) || printf '%d binaries, nothing to complain of\n' "$seen"
exit "$failed"
