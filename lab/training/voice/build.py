"""Writes the files of the default voice: two graphs and the tables of its voices.

usage: build.py kokoro-v1.0.int8.onnx VOICES OUT   (VOICES: folder with the official tables)
"""

import hashlib
import sys
from pathlib import Path

import numpy as np
import onnx

from cut import cut
from rearrange import rearrange

VOICES = [
    "af_aoede", "af_bella", "af_heart", "af_kore", "am_fenrir", "am_michael",
    "am_puck", "bf_emma", "bm_fable", "bm_george", "ef_dora", "em_alex",
    "ff_siwis", "if_sara", "im_nicola", "pf_dora", "pm_alex",
]
STYLE_VALUES = 256
# A table has a row for each number of tokens, up to 510. The service gives the network at most 320 at a time.
KEPT_ROWS = 320


def main(model: Path, voices: Path, out: Path) -> None:
    whole = onnx.load(model)
    convolutions, normalisations = rearrange(whole)
    print(f"{convolutions} convolutions and {normalisations} normalisations rearranged")
    front, back = cut(whole)
    onnx.save(front, out / "front.onnx")
    onnx.save(back, out / "back.onnx")
    for name in VOICES:
        table = np.fromfile(voices / f"{name}.bin", np.dtype("<f4")).reshape(-1, STYLE_VALUES)
        table[:KEPT_ROWS].tofile(out / "voices" / f"{name}.f32")
    for file in sorted([*out.glob("*.onnx"), *out.glob("voices/*.f32")]):
        print(hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_size, file.relative_to(out))


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:4]))
