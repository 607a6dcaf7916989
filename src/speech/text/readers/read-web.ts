// Web and mail addresses, handles and hashtags.
import type { SpeechLanguage } from "../../languages/reading/speech-language.ts";
import { type SaidWord, say, spell, withPause } from "../said.ts";
import { sayDigits, sayWhole } from "./numerals.ts";
import { matchAt, type Reading, type ReadingPlace } from "./reader.ts";
import { splitName } from "./split-name.ts";

const URL_WITH_SCHEME = /(?:https?|ftp|wss?):\/\/([^\s<>"'\u2029]{1,2000})/iy;
const MAILTO = /mailto:/iy;
const MAIL = /[\p{L}\p{N}][\p{L}\p{N}._%+-]{0,63}@([\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5})/uy;
const HOST =
  /(?:www\.)?[\p{L}\p{N}][\p{L}\p{N}-]{0,62}(?:\.[\p{L}\p{N}-]{1,62}){0,4}\.(?:com|org|net|edu|gov|io|ai|dev|app|info|eu|de|fr|es|it|pt|br|uk|us|ch|at|me|tv|co)(?![\p{L}\p{N}@-])(?::\d{1,5})?(\/[^\s<>"'\u2029]{0,2000})?/uy;
const HANDLE = /@([\p{L}\p{N}_]{1,30})(?![\p{L}\p{N}@])/uy;
const HASHTAG = /#(\p{L}[\p{L}\p{N}_]{0,60})/uy;
const NUMBER_SIGN = /#(\d{1,6})(?![\p{L}\d])/uy;
/** Punctuation behind an address belongs to the sentence. */
const TRAILING = /[.,;:!?)\]}'"…]+$/;
/** Longer paths say nothing to a listener. */
const LONGEST_PATH = 40;
const MOST_SEGMENTS = 3;
/** Their letters are said one by one. */
const SPELLED_ENDINGS = new Set("io ai eu uk us de fr es it pt br ch at tv js ts py md js css html xml pdf".split(" "));

/** An address as one reads it out: `example dot com slash help`. Query, fragment and long paths are left out. */
export function readWeb(place: ReadingPlace): Reading | undefined {
  const { language } = place;
  const url = matchAt(URL_WITH_SCHEME, place);
  if (url) {
    const written = url[0].replace(TRAILING, "");
    return { length: written.length, said: sayAddress(written.slice(written.indexOf("//") + 2), language) };
  }
  const prefix = matchAt(MAILTO, place)?.[0].length ?? 0;
  const mail = matchAt(MAIL, { ...place, at: place.at + prefix });
  if (mail) {
    const written = mail[0].replace(TRAILING, "");
    const [user, host] = written.split("@");
    const said = [...sayParts(user, language), ...say(language.words.at), ...sayParts(host, language)];
    return { length: prefix + written.length, said };
  }
  const host = matchAt(HOST, place);
  if (host) {
    const written = host[0].replace(TRAILING, "");
    // `end.It` and `U.S.` are no hosts: a host is written in small letters, or begins with www.
    if (/^www\./i.test(written) || /^\P{Lu}*$/u.test(written.split("/")[0].slice(1))) {
      return { length: written.length, said: sayAddress(written, language) };
    }
  }
  return undefined;
}

/** `@name`, `#Name` and `#5`. */
export function readHandle(place: ReadingPlace): Reading | undefined {
  const { language } = place;
  const handle = matchAt(HANDLE, place);
  if (handle) return { length: handle[0].length, said: [...say(language.words.at), ...sayParts(handle[1], language)] };
  const number = matchAt(NUMBER_SIGN, place);
  if (number) {
    return {
      length: number[0].length,
      said: say(`${language.words.number} ${sayWhole(number[1], language)}`),
      isNumber: true,
    };
  }
  const hashtag = matchAt(HASHTAG, place);
  return hashtag
    ? { length: hashtag[0].length, said: [...say(language.words.hashtag), ...sayParts(hashtag[1], language)] }
    : undefined;
}

function sayAddress(address: string, language: SpeechLanguage): SaidWord[] {
  const [, authority, path] = /^([^/?#]*)([^?#]*)/.exec(address) ?? ["", address, ""];
  const host = authority.replace(/^.*@/, "").replace(/^www\./i, "");
  const said = sayParts(host, language);
  const segments = path.split("/").filter(Boolean);
  if (path.length > LONGEST_PATH || segments.length > MOST_SEGMENTS) return withPause(said);
  for (const segment of segments) {
    const readable = segment.includes("%") ? "" : segment.replace(/\.html?$/, "");
    if (readable) said.push(...say(language.words.slash), ...sayParts(readable, language));
  }
  return said;
}

/** Names, numbers and the marks between them. */
function sayParts(name: string, language: SpeechLanguage): SaidWord[] {
  const said: SaidWord[] = [];
  const marks: Readonly<Record<string, string>> = {
    ".": language.words.dot,
    "-": language.words.dash,
    _: language.words.underscore,
    "+": language.words.plus,
    "/": language.words.slash,
    ":": "",
  };
  let isEnding = false;
  for (const part of name.split(/([.\-_+:/])/)) {
    if (part === "") continue;
    if (part in marks) {
      said.push(...say(marks[part]));
      isEnding = part === ".";
    } else if (isEnding && SPELLED_ENDINGS.has(part.toLowerCase())) said.push(...spell(part));
    else for (const piece of splitName(part)) said.push(...sayPiece(piece, language));
  }
  return said;
}

function sayPiece(piece: string, language: SpeechLanguage): SaidWord[] {
  if (/^\d+$/.test(piece)) return say(piece.length > 4 ? sayDigits(piece, language) : sayWhole(piece, language));
  const isPronounceable = /[aeiouyáéíóúàèìòùâêîôûäëïöüãõ]/i.test(piece) && piece.length > 1;
  return isPronounceable ? [{ text: piece.toLowerCase() }] : spell(piece.slice(0, 40));
}
