// Words that are listed without their ending. Source: the rules of Misaki 0.9.4, with doubled consonants for -ed.

export type Accent = "american" | "british";

/** Finds the phonemes of a stem; undefined if it is not listed. */
export type FindStem = (stem: string) => string | undefined;

/** Vowels behind which an American t becomes a tap: `waiting`. */
const TAPPED = /[AIOWYiuæɑəɛɪɹʊʌ]t$/u;
const DOUBLED = /([bcdgklmnprstvxz])\1$/;

/** The phonemes of a word with -s, -'s, -ed, -ing or a short verb behind it; undefined if its stem is not listed.
 *  `word`: as written, at most 64 letters. */
export function withEnding(word: string, find: FindStem, accent: Accent): string | undefined {
  const short = /^(.{2,})('ll|'ve|'re|'d)$/.exec(word);
  if (short) {
    const stem = find(short[1]);
    return stem && stem + SHORT_VERBS[short[2]];
  }
  if (/s'?$/.test(word)) return plural(word.replace(/s'$/, "s"), find, accent);
  if (word.endsWith("ed")) {
    const stem = word.slice(0, -2);
    const base = word.length > 4 ? (find(word.slice(0, -1)) ?? find(stem) ?? undoubled(stem, find)) : undefined;
    return base && past(base, accent);
  }
  if (word.endsWith("ing") && word.length > 4) {
    const stem = word.slice(0, -3);
    const base = (stem.length > 2 ? find(stem) : undefined) ?? find(`${stem}e`) ?? undoubled(stem, find);
    return base && progressive(base, accent);
  }
  return undefined;
}

/** Phonemes with the sound of a plural or a possessive. */
export function withS(stem: string, accent: Accent): string {
  if (/[ptkfθ]$/u.test(stem)) return `${stem}s`;
  return /[szʃʒʧʤ]$/u.test(stem) ? `${stem}${accent === "british" ? "ɪ" : "ᵻ"}z` : `${stem}z`;
}

const SHORT_VERBS: Readonly<Record<string, string>> = { "'ll": "ᵊl", "'ve": "əv", "'re": "əɹ", "'d": "d" };

function plural(word: string, find: FindStem, accent: Accent): string | undefined {
  if (word.length < 3) return undefined;
  let stem = word.endsWith("ss") ? undefined : find(word.slice(0, -1));
  if (!stem && word.endsWith("'s")) stem = find(word.slice(0, -2));
  if (!stem && word.length > 4 && word.endsWith("ies")) stem = find(`${word.slice(0, -3)}y`);
  else if (!stem && word.length > 4 && word.endsWith("es")) stem = find(word.slice(0, -2));
  return stem && withS(stem, accent);
}

function undoubled(stem: string, find: FindStem): string | undefined {
  return stem.length > 3 && DOUBLED.test(stem) ? find(stem.slice(0, -1)) : undefined;
}

function past(stem: string, accent: Accent): string {
  if (/[pkfθʃsʧ]$/u.test(stem)) return `${stem}t`;
  const vowel = accent === "british" ? "ɪ" : "ᵻ";
  if (stem.endsWith("d")) return `${stem}${vowel}d`;
  if (!stem.endsWith("t")) return `${stem}d`;
  return accent === "american" && TAPPED.test(stem) ? `${stem.slice(0, -1)}ɾ${vowel}d` : `${stem}${vowel}d`;
}

function progressive(stem: string, accent: Accent): string {
  // A British r comes back before a vowel: `caring`.
  if (accent === "british") return /[əː]$/u.test(stem) ? `${stem}ɹɪŋ` : `${stem}ɪŋ`;
  return TAPPED.test(stem) ? `${stem.slice(0, -1)}ɾɪŋ` : `${stem}ɪŋ`;
}
