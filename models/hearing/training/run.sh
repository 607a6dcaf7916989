#!/usr/bin/env bash
# From ordinary packages to hearing.onnx and its figures. usage: run.sh [FOLDER [MINUTES]]
# Debian with Python 3.11, apt and npm. 6 GB of disk for Python's packages, 6 GB for data.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-data}
minutes=${2:-60}
mkdir -p "$folder"
[ -d "$folder/venv" ] || python3 -m venv "$folder/venv"
# shellcheck disable=SC1091
. "$folder/venv/bin/activate"
pip install -q -r "$here/requirements.txt"

python "$here/corpora.py" "$folder"
python "$here/neural_voices.py" "$folder" piper 1500
python "$here/neural_voices.py" "$folder" kokoro 600
python "$here/synthesize.py" "$folder" 2000 400
python "$here/align.py" "$folder"
python "$here/features.py" "$folder"

# Whoever is tested or tuned on is not trained on.
validation=stamps-ro
tests=stamps-el,stamps-en,reading-en,sonnet-en,dialogues-nl-big
held="$validation,$tests"
# A first network finds the boundaries that the aligner missed by a little; a second one learns from them.
python "$here/train.py" "$folder" "$((minutes / 2))" --hold "$held" --out first
python "$here/realign.py" "$folder" "$folder/first.pt" --hold "$held"
python "$here/features.py" "$folder"
python "$here/train.py" "$folder" "$((minutes / 2))" --hold "$held" --start "$folder/first.pt" --rate 8e-4
python "$here/export.py" "$folder/hearing.pt" "$folder/hearing.onnx"
for speaker in ${tests//,/ } "$validation"; do
  python "$here/evaluate.py" "$folder/hearing.onnx" "$folder/aligned/$speaker.jsonl"
done
python "$here/robustness.py" "$folder/hearing.onnx" "$folder/aligned/stamps-el.jsonl"
