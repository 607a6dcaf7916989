import t from "tap";
import { visemesOfIpa } from "../../../../src/speech/visemes/ipa-visemes.ts";

t.test("phonemes are mapped to mouth shapes, and stress and length marks are ignored", async (t) => {
  const cases: [string, string][] = [
    ["p", "PP"],
    ["ˈb", "PP"],
    ["mʲ", "PP"],
    ["pʰ", "PP"],
    ["v", "FF"],
    ["θ", "TH"],
    ["t͡ʃ", "CH"],
    ["dʒ", "CH"],
    ["ts", "SS"],
    ["pf", "PP FF"],
    ["aɪ", "aa I"],
    ["ˈoʊ", "O U"],
    ["ɔːɹ", "O RR"],
    ["œ̃", "O"],
    ["ç", "kk"],
    ["l̩ː", "nn"],
    ["ɯᵝ", "I"],
    ["h", ""],
    ["ʔ", ""],
    ["(en)", ""],
    ["", "sil"],
    ["  ", "sil"],
  ];
  for (const [symbol, visemes] of cases) t.equal(visemesOfIpa(symbol).join(" "), visemes, JSON.stringify(symbol));
});
