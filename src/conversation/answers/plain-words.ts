// A text for comparing: lower case, without punctuation, and with English short forms written out.

const SHORT_FORMS: readonly [RegExp, string][] = [
  [/\b(can|won|shan)['’]t\b/g, "$1 not"],
  [/n['’]t\b/g, " not"],
  [/['’]s\b/g, " is"],
  [/['’]re\b/g, " are"],
  [/['’]m\b/g, " am"],
  [/['’]ll\b/g, " will"],
];
/** Words that mean one thing together. */
const PHRASES: readonly [RegExp, string][] = [
  [/\bcheck(?:ing)? out\b/g, "departure"],
  [/\bcheck(?:ing)? in\b/g, "arrival"],
  [/\b(?:my |the |our )?money back\b/g, "refund"],
  [/\b(?:get|be) in touch\b/g, "contact"],
  [/\bget (?:there|to you|here)\b/g, "directions"],
  [/\bget (?:around|about)\b/g, "access"],
  [/\bsign(?:ing)? up\b/g, "register"],
  [/\blittle ones\b/g, "children"],
  [/\b(?:bring|brought|take|took|give|gave) (?:\w+ )?back\b/g, "return"],
  [/\b(?:look|looks) like\b/g, "appearance"],
  [/\bturn(?:ing)? up\b/g, "arrive"],
  [/\b(?:talk|speak) over\b/g, "interrupt"],
];

/** A text in lower case in which phrases are the word that they mean. */
export function withoutPhrases(text: string): string {
  return PHRASES.reduce((rest, [phrase, word]) => rest.replaceAll(phrase, word), text.toLowerCase());
}

/** The words of a text with one space between them. */
export function plainWords(text: string): string {
  const written = SHORT_FORMS.reduce((rest, [short, long]) => rest.replaceAll(short, long), text.toLowerCase());
  return written.replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim();
}
