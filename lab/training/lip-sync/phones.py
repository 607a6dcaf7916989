"""Phones and their mouth shapes: ARPABET, the fifteen visemes, and the six groups that a viewer can tell apart."""

import re
import unicodedata

import numpy as np

VISEMES = ["sil", "PP", "FF", "TH", "DD", "kk", "CH", "SS", "nn", "RR", "aa", "E", "I", "O", "U"]
SILENCE = {"SIL", "+NSN+", "+SPN+", "<sil>", "(NULL)"}
BILABIALS = {"P", "B", "M"}

_VISEME_OF = {
    "PP": "P B M", "FF": "F V", "TH": "TH DH", "DD": "T D", "kk": "K G", "CH": "CH JH SH ZH", "SS": "S Z",
    "nn": "N NG L", "RR": "R ER", "aa": "AA AE AH HH", "E": "EH", "I": "IH IY Y", "O": "AO", "U": "UH UW W",
}
VISEME_OF_PHONE = {phone: viseme for viseme, phones in _VISEME_OF.items() for phone in phones.split()}
# A diphthong is two visemes; the first takes three fifths of the time.
DIPHTHONGS = {"AY": ("aa", "I"), "AW": ("aa", "U"), "OY": ("O", "I"), "EY": ("E", "I"), "OW": ("O", "U")}
FIRST_PART_OF_DIPHTHONG = 0.6

LABEL_RATE_HZ = 100
_INDEX = {viseme: index for index, viseme in enumerate(VISEMES)}


def viseme_labels(phones: list, seconds: float) -> np.ndarray:
    """int8 [seconds × 100]: the viseme of each hundredth."""
    labels = np.zeros(int(np.ceil(seconds * LABEL_RATE_HZ)), np.int8)
    for phone, begin, end in phones:
        phone = phone.rstrip("012")
        if phone in SILENCE:
            continue
        first, last = int(round(begin * LABEL_RATE_HZ)), int(round(end * LABEL_RATE_HZ))
        if phone in DIPHTHONGS:
            middle = first + int(round((last - first) * FIRST_PART_OF_DIPHTHONG))
            labels[first:middle], labels[middle:last] = (_INDEX[viseme] for viseme in DIPHTHONGS[phone])
        else:
            labels[first:last] = _INDEX[VISEME_OF_PHONE[phone]]
    return labels


def hundredths_of(row: dict) -> int:
    """Number of labels of an utterance."""
    return int(np.ceil(row["seconds"] * LABEL_RATE_HZ))


def phones_of(visemes: np.ndarray) -> list:
    """[phone, begin s, end s] for labels of hundredths. Each viseme is represented by the first phone of the list that
    looks like it."""
    edges = [0, *(np.flatnonzero(np.diff(visemes)) + 1).tolist(), len(visemes)]
    names = ["SIL", *(_VISEME_OF[viseme].split()[0] for viseme in VISEMES[1:])]
    return [[names[visemes[begin]], begin / LABEL_RATE_HZ, end / LABEL_RATE_HZ] for begin, end in zip(edges, edges[1:])]


# A single vowel is steady: the English aligner transcribes "e" and "o" as EY and OW, and the mouth shows E and O.
_ARPABET_OF_IPA = {
    "P": "p", "B": "b", "M": "m", "F": "f", "V": "v β ʋ", "T": "t ʈ", "D": "d ɾ ɖ", "N": "n ɲ ɳ", "S": "s ts", "Z": "z dz", "K": "k c q",
    "G": "g ɡ ɣ ɟ", "SH": "ʃ ɕ ʂ", "ZH": "ʒ ʐ ʑ", "CH": "tʃ tɕ", "JH": "dʒ", "L": "l ɫ ɭ ɬ", "Y": "ʎ j ʝ", "NG": "ŋ", "R": "r ʁ ɹ ɻ ʀ",
    "W": "w ɥ", "HH": "h x χ ɦ", "TH": "θ", "DH": "ð", "AA": "a ɑ ɒ", "AH": "ɐ ʌ ə", "AE": "æ", "EY": "e eɪ", "EH": "ɛ", "IY": "i",
    "IH": "ɪ ɨ ᵻ ʏ", "UW": "y u ʉ ɯ", "UH": "ø œ ʊ ɵ", "OW": "o oʊ əʊ", "AO": "ɔ", "AY": "aɪ", "AW": "aʊ", "OY": "ɔɪ", "ER": "ɚ ɝ ɜ",
}
_IPA = {ipa: phone for phone, list_ in _ARPABET_OF_IPA.items() for ipa in list_.split()}
_STEADY = {"e": "EH", "o": "AO"}


def ipa_to_arpabet(ipa: str) -> list[tuple[str, str]]:
    """(phone as the English aligner transcribes it, phone as a mouth shows it) for each sound of a transcription, longest
    symbols first. Marks of stress, length and tone are dropped."""
    phones = []
    for word in re.split(r"[\s_|]+", ipa):
        word = unicodedata.normalize("NFD", word.replace("ç", "x"))
        word = "".join(c for c in word if c not in "ˈˌːˑʲʰ‿.-'" and not unicodedata.combining(c))
        index = 0
        while index < len(word):
            for length in (2, 1):
                symbol = word[index : index + length]
                if symbol in _IPA:
                    phones.append((_IPA[symbol], _STEADY.get(symbol, _IPA[symbol])))
                    index += length
                    break
            else:
                index += 1
    return phones


# Mnemonics of the espeak-ng phoneme tables, stress and length marks removed.
_ESPEAK = {
    "P": "p", "B": "b", "M": "m", "F": "f", "V": "v B", "T": "t t2", "D": "d * t# d#", "N": "n n^ n-", "S": "s ts", "Z": "z",
    "K": "k c", "G": "g Q J", "SH": "S S; s.", "ZH": "Z z.", "CH": "tS ts;", "JH": "dZ", "L": "l l# @L", "NG": "N",
    "R": "r R ** r-", "Y": "j l^", "W": "w", "HH": "h x C", "TH": "T", "DH": "D", "AA": "a A A: 0 A@ A~", "AE": "aa & E~",
    "AH": "a# V @ @- @2 @5", "ER": "3 3:", "IY": "i@3 i i: i@ I:", "EY": "e eI e:", "EH": "E e@ E:", "IH": "I I2 I#",
    "UW": "y u u: y:", "UH": "Y W U 9 Y: W: U@ W~", "OW": "o oU o:", "AO": "O O: O2 O@ o@ O~", "AY": "aI aI@ aI3",
    "AW": "aU aU@ aU3", "OY": "OI", "SIL": "? _ _: _! _|",
}
_ESPEAK_PHONE = {name: phone for phone, list_ in _ESPEAK.items() for name in list_.split()}


def espeak_to_arpabet(mnemonic: str) -> str | None:
    """The phone of an espeak-ng phoneme name, or None if it is unknown."""
    name = mnemonic.lstrip("',=%").replace(";", "").rstrip("`") or mnemonic
    if not name or name.startswith("_"):
        return "SIL"
    for candidate in (name, name.rstrip(":"), name.rstrip("23#-")):
        if candidate in _ESPEAK_PHONE:
            return _ESPEAK_PHONE[candidate]
    return None
