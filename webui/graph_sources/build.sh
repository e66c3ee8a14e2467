#!/bin/sh
# Builds static/graph.js, static/graph-layout.js and static/graph-licences.txt from the versions in package-lock.json.
set -eu
cd "$(dirname "$0")"
npm ci --ignore-scripts --no-audit --no-fund --silent
npm run --silent build -- --log-level=error
for name in d3-dispatch d3-force d3-quadtree d3-timer events graphology graphology-utils sigma; do
    printf '== %s %s\n\n' "$name" "$(node -p "require('./node_modules/$name/package.json').version")"
    cat "node_modules/$name"/LICENSE*
    printf '\n'
done > ../static/graph-licences.txt
