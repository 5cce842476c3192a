#!/bin/sh
# Prints a Python 3.11 or newer that can make virtual environments; says on standard error what is wrong when there is none.
set -eu

found=""
for name in python3 python3.14 python3.13 python3.12 python3.11; do
    command -v "$name" >/dev/null 2>&1 || continue
    version=$("$name" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    if ! "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        found="$found $name is $version;"
    elif ! "$name" -c 'import ensurepip, venv' 2>/dev/null; then
        found="$found $name ($version) lacks the venv module;"
    else
        command -v "$name"
        exit 0
    fi
done

echo "Tocsin needs Python 3.11 or newer with its venv module. Found:${found:- no python3 on PATH;}" >&2
echo "On Debian and Ubuntu: apt-get install python3 python3-venv. On macOS: brew install python." >&2
exit 1
