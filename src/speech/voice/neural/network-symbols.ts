// The letters that the network knows, with their numbers. Source: vocabulary of Kokoro-82M version 1.0.

const FIRST_NUMBERS: Readonly<Record<string, number>> = {
  ";:,.!?": 1,
  '—…"()“” \u0303ʣʥʦʨᵝ\uAB67AI': 9,
  O: 31,
  Q: 33,
  ST: 35,
  W: 39,
  Yᵊabcdef: 41,
  hijklmnopqrstuvwxyzɑɐɒæ: 50,
  βɔɕç: 75,
  ɖðʤə: 80,
  ɚɛɜ: 85,
  ɟ: 90,
  ɡ: 92,
  ɥ: 99,
  ɨɪʝ: 101,
  ɯɰŋɳɲɴø: 110,
  ɸθœ: 118,
  ɹ: 123,
  ɾɻ: 125,
  ʁɽʂʃʈʧ: 128,
  ʊʋ: 135,
  ʌɣɤ: 138,
  χʎ: 142,
  ʒʔ: 147,
  ˈˌː: 156,
  ʰ: 162,
  ʲ: 164,
  "↓": 169,
  "→↗↘": 171,
  ᵻ: 177,
};

/** Number of each letter, 1–177. 0 stands for the begin and the end of a sentence. */
export const SYMBOL_NUMBERS: ReadonlyMap<string, number> = new Map(
  Object.entries(FIRST_NUMBERS).flatMap(([letters, first]) =>
    [...letters].map((letter, index) => [letter, first + index] as const),
  ),
);
