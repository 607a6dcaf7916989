import t from "tap";
import { visemesOfIpa } from "../../../src/hearing/ipa-visemes.ts";

t.test("phonemes become the mouth shapes they are made of, whatever marks they carry", async (t) => {
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
