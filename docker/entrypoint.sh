#!/bin/sh
# What a container of the image runs: vfilter with the words given; vfilter-bench if the first one is `bench`, in the image
# for benchmarks with a page of its figures; vfilter-study if it is `study`, and pages.py if it is `pages`.
set -eu

case ${1-} in
    bench)
        program=vfilter-bench
        ! command -v vfilter-bench-page >/dev/null || program=vfilter-bench-page
        shift
        ;;
    study | pages)
        program=vfilter-$1
        shift
        ;;
    *) program=vfilter ;;
esac

# Started as root, it becomes the owner of the folder that it works in, the one that was mounted: the files are then his
# who started the container. Where that is root (rootless podman calls the user so) it stays what it is.
owner=$(stat -c %u .)
if [ "$(id -u)" -eq 0 ] && [ "$owner" -ne 0 ]; then
    export HOME=/
    exec setpriv --reuid="$owner" --regid="$(stat -c %g .)" --clear-groups --no-new-privs "$program" "$@"
fi
exec "$program" "$@"
