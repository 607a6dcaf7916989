// A text for comparing: lower case, without punctuation, and with English short forms written out.

const SHORT_FORMS: readonly [RegExp, string][] = [
  [/\b(can|won|shan)['’]t\b/g, "$1 not"],
  [/n['’]t\b/g, " not"],
  [/['’]s\b/g, " is"],
  [/['’]re\b/g, " are"],
  [/['’]m\b/g, " am"],
  [/['’]ll\b/g, " will"],
];

/** The words of a text with one space between them. */
export function plainWords(text: string): string {
  const written = SHORT_FORMS.reduce((rest, [short, long]) => rest.replaceAll(short, long), text.toLowerCase());
  return written.replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim();
}
