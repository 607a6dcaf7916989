#!/usr/bin/env bash
# From ordinary packages to lip-sync.onnx and its metrics. usage: run.sh [FOLDER [MINUTES]]
# TRIAL=1 run.sh … does the same with little of everything, to see that all of it works.
# Debian with Python 3.11, apt and npm. 6 GB of disk for Python's packages, 12 GB for data, 8 GB of memory.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-data}
minutes=${2:-300}
piper_s=1500 kokoro_s=2400 flite=2000 espeak=400 recordings= steps=500
if [ -n "${TRIAL:-}" ]; then
  minutes=1 piper_s=60 kokoro_s=30 flite=40 espeak=20 recordings=15 steps=20
fi
mkdir -p "$folder"
[ -d "$folder/venv" ] || python3 -m venv "$folder/venv"
# shellcheck disable=SC1091
. "$folder/venv/bin/activate"
pip install -q -r "$here/requirements.txt"

python "$here/corpora.py" "$folder"
python "$here/neural_voices.py" "$folder" piper "$piper_s"
python "$here/neural_voices.py" "$folder" kokoro "$kokoro_s"
python "$here/synthesize.py" "$folder" "$flite" "$espeak"
# shellcheck disable=SC2086
python "$here/align.py" "$folder" $recordings
python "$here/whisper_encoder.py" "$folder"

# Speakers of the tests and of the tuning are not trained on.
validation=stamps-ro
tests=stamps-el,stamps-en,reading-en,sonnet-en,dialogues-nl-big
held="$validation,$tests"
# A large network with future audio finds the boundaries that the aligner missed by a little, and says what is between them.
python "$here/teacher.py" "$folder" "$steps" --hold "$held"
python "$here/features.py" "$folder"
python "$here/train.py" "$folder" "$minutes" --hold "$held"
python "$here/export.py" "$folder/lip-sync.pt" "$folder/lip-sync.onnx"
# For browsers: rounded on training speech, then packed.
find "$folder/aligned" -name '*.jsonl' | grep -vE "/(${held//,/|})(-rest)?\.jsonl" | sort | xargs cat | shuf -n 400 --random-source=<(yes) > "$folder/calibration.jsonl"
python "$here/round_weights.py" "$folder/lip-sync.onnx" "$folder/calibration.jsonl" "$folder/rounded.onnx"
(cd "$here/../../.." && npx tsx lab/training/lip-sync/write-eight-bit.ts "$OLDPWD/$folder/rounded.onnx" "$OLDPWD/$folder/lip-sync.8bit.bin")
for speaker in ${tests//,/ } "$validation"; do
  python "$here/evaluate.py" "$folder/lip-sync.onnx" "$folder/aligned/$speaker.jsonl"
done
python "$here/robustness.py" "$folder/lip-sync.onnx" "$folder/aligned/stamps-el.jsonl"
