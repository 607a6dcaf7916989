// Stress marks of Misaki's alphabet.

/** All vowels. Diphthongs: A day, I my, O go, Q go in British, W now, Y boy. */
export const VOWEL = /[AIOQWYaiuæɑɒɔəɐɛɜɪʊʌᵻ]/u;
const PRIMARY = "ˈ";
const SECONDARY = "ˌ";

/** How a word is stressed in its sentence: `none` takes all marks away, `weaker` makes its main stress a side stress,
 *  `some` adds a side stress where there is none, `main` a main stress. */
export type Stress = "none" | "weaker" | "some" | "main";

/** The phonemes of a word with another stress. Words without a vowel keep none. */
export function withStress(phonemes: string, stress: Stress): string {
  if (stress === "none") return phonemes.replace(/[ˈˌ]/gu, "");
  if (stress === "weaker") return phonemes.replaceAll(SECONDARY, "").replaceAll(PRIMARY, SECONDARY);
  const hasPrimary = phonemes.includes(PRIMARY);
  const hasSecondary = phonemes.includes(SECONDARY);
  if (hasPrimary || (stress === "some" && hasSecondary)) return phonemes;
  if (hasSecondary) return phonemes.replaceAll(SECONDARY, PRIMARY);
  return phonemes.replace(VOWEL, `${stress === "some" ? SECONDARY : PRIMARY}$&`);
}
