#!/bin/sh
# Writes runtime.txt and dev.txt from pyproject.toml: every release pinned, every file of it hashed, for each platform and
# each Python from 3.11 on, and no address of any registry. Usage: pin.sh PYTHON
set -eu
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$1" -m venv "$scratch"
"$scratch/bin/python" -m pip install --quiet uv

compile() {
    "$scratch/bin/uv" pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --strip-extras \
        --no-annotate --no-emit-index-url --no-emit-find-links --custom-compile-command 'make pins' "$@" pyproject.toml
}
compile --output-file requirements/runtime.txt
compile --extra dev --constraint requirements/runtime.txt --output-file requirements/dev.txt
