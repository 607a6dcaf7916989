"""Voices without an exact transcript: their labels come from the teacher only. From ordinary Debian packages; licences
are in the model card."""

import glob
import os
import re
from collections.abc import Iterator

from corpora import Recording

# Greek and Romanian volunteers may be the same people as in the test and tuning sets; the variants of Serbian are one
# voice.
_LEFT_OUT = {"el", "ro", "sr@latin", "sr@ijekavian", "sr@ijekavianlatin"}
_STAMP_LANGUAGES = ("da", "lt", "nl")
# Recordings that are not speech: a robot voice and a singer.
_NOT_SPOKEN = {"Robot", "Singer"}
# Folders of the prompts with telephone quality.
_PROMPTS = {"es": "es", "fr": "fr", "it_IT_f_Menardi": "it"}


def unscripted(folder: str) -> list[Recording]:
    """Names of things, letters and syllables, descriptions of pictures by volunteers, lines and taunts of games, and
    telephone prompts. One speaker per language and package, but a whole cast in "cast-en-sky"."""
    share = os.path.join(folder, "root/usr/share")
    found = [*_of(f"{share}/ktuberling/sounds", "words"), *_of(f"{share}/klettres", "letters")]
    for language in _STAMP_LANGUAGES:
        found += _files(f"{share}/tuxpaint/stamps", f"_desc_{language}.ogg", f"stamps-{language}", language)
    found += _files(os.path.join(folder, "root/steel-sky"), ".wav", "cast-en-sky", "en")
    for path in sorted(glob.glob(f"{share}/scummvm/drascula/en/*.ALS")):
        # Letters before the number give the role; the hero has none, and S marks noises.
        role = re.match("[A-Z]*", os.path.basename(path))[0].lower() or "hero"
        if role != "s":
            found.append(Recording(f"roles-en-{role}/{os.path.basename(path)}", f"roles-en-{role}", "en", path, ""))
    for path in sorted(glob.glob(f"{share}/games/hedgewars/Data/Sounds/voices/*/")):
        voice = os.path.basename(path.rstrip("/"))
        if voice not in _NOT_SPOKEN:
            found += _files(path, ".ogg", f"taunts-{voice}", "en")
    for speaker in ("3", "5"):
        found += _files(f"{share}/gcin-voice/ogg", f"/{speaker}.ogg", f"letters-zh-{speaker}", "cmn")
    for voice, language in _PROMPTS.items():
        for ending in (".gsm", ".wav"):
            found += _files(f"{share}/asterisk/sounds/{voice}", ending, f"telephone-{language}", language)
    return found


def _of(base: str, kind: str) -> Iterator[Recording]:
    for path in sorted(glob.glob(f"{base}/*/")):
        language = os.path.basename(path.rstrip("/"))
        if language not in _LEFT_OUT:
            for ending in (".ogg", ".wav"):
                yield from _files(path, ending, f"{kind}-{language}", language)


def _files(base: str, ending: str, speaker: str, language: str) -> Iterator[Recording]:
    for path in sorted(glob.glob(f"{base}/**/*{ending}", recursive=True)):
        yield Recording(f"{speaker}/{os.path.relpath(path, base)[: -len(ending)]}", speaker, language, path, "")
