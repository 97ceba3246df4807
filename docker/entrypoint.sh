#!/bin/sh
# What a container of the image runs: vfilter with the words given, or vfilter-bench if the first one is `bench`.
set -eu

program=vfilter
if [ "${1-}" = bench ]; then
    program=vfilter-bench
    shift
fi

# Started as root, it becomes the owner of the folder that it works in, the one that was mounted: the files are then his
# who started the container. Where that is root (rootless podman calls the user so) it stays what it is.
owner=$(stat -c %u .)
if [ "$(id -u)" -eq 0 ] && [ "$owner" -ne 0 ]; then
    export HOME=/
    exec setpriv --reuid="$owner" --regid="$(stat -c %g .)" --clear-groups --no-new-privs "$program" "$@"
fi
exec "$program" "$@"
