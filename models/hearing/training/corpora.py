"""Natural speech with its words, from ordinary Debian packages: fetched, unpacked and decoded to 16 kHz WAV.

The recordings are CC-BY and CC-BY-SA 3.0; attributions are in the model card. The English and Spanish packages of the same
family are reserved for acceptance and must never be read here.
"""

import glob
import gzip
import os
import re
import subprocess
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from G722 import G722
from scipy.io import wavfile

SAMPLE_RATE_HZ = 16_000
LANGUAGES = ("fr", "it", "ru")
PACKAGES = [f"asterisk-core-sounds-{language}{suffix}" for language in LANGUAGES for suffix in ("", "-g722")]
PACKAGES += ["flite", "libflite1", "flite1-dev"]


def fetch(folder: str) -> None:
    """Downloads and unpacks the packages below `folder`/root; what is there already stays."""
    debs, root = os.path.join(folder, "deb"), os.path.join(folder, "root")
    os.makedirs(debs, exist_ok=True)
    for package in PACKAGES:
        if not glob.glob(os.path.join(debs, package + "_*.deb")):
            subprocess.run(["apt-get", "download", "-qq", package], cwd=debs, check=True)
    for deb in glob.glob(os.path.join(debs, "*.deb")):
        subprocess.run(["dpkg", "-x", deb, root], check=True)


def transcripts(folder: str, language: str) -> dict[str, str]:
    """Prompt name to its words, as shipped beside the recordings."""
    name = f"core-sounds-{language}.txt.gz"
    (path,) = glob.glob(os.path.join(folder, "root/usr/share/doc/*", name))
    texts = {}
    with gzip.open(path, "rt", encoding="utf-8-sig", errors="replace") as lines:
        for line in lines:
            if ":" in line and not line.startswith(";"):
                key, text = line.strip().split(":", 1)
                texts[key.strip()] = text.strip()
    return texts


def _decode(job: tuple[str, str]) -> None:
    source, target = job
    with open(source, "rb") as data:
        samples = np.array(G722(SAMPLE_RATE_HZ, 64_000).decode(data.read()), dtype=np.int16)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    wavfile.write(target, SAMPLE_RATE_HZ, samples)


def recordings(folder: str, language: str) -> list[tuple[str, str, str]]:
    """(id, path of the 16 kHz WAV, words) of every prompt of one speaker; decodes what is not decoded yet."""
    texts = transcripts(folder, language)
    bases = [d for d in glob.glob(os.path.join(folder, "root/usr/share/asterisk/sounds", language + "_*"))]
    bases = [d for d in bases if glob.glob(d + "/**/*.g722", recursive=True)]
    found, jobs = [], []
    for base in bases:
        for source in sorted(glob.glob(base + "/**/*.g722", recursive=True)):
            key = os.path.relpath(source, base)[: -len(".g722")]
            text = texts.get(key, "")
            if not text or "[" in text:
                continue
            target = os.path.join(folder, "wav", language, key + ".wav")
            if not os.path.exists(target):
                jobs.append((source, target))
            found.append((f"{language}/{key}", target, re.sub(r"[^\w'’ ]+", " ", text).replace("_", " ")))
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(_decode, jobs, chunksize=20))
    return found
