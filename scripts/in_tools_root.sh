#!/bin/sh
# Runs the compiled program like in_empty_root.sh, but with the programs of this machine, read-only.
SVC_EMPTY_ROOT_TOOLS=1 exec "$(dirname "$0")/in_empty_root.sh" "$@"
