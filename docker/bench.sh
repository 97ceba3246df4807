#!/bin/sh
# `bench` in the image for benchmarks: the figures of vfilter-bench, which takes the words given, and a page of them.
set -eu

vfilter-bench --json bench.json "$@"
exec vfilter-pages bench.json --html bench.html
