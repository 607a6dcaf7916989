import t from "tap";
import { neuralVisemes } from "../../../../../src/speech/voice/neural/neural-visemes.ts";
import { planPieces } from "../../../../../src/speech/voice/neural/piece-plan.ts";
import { soundTimes, wordTimes } from "../../../../../src/speech/voice/neural/sentence-times.ts";
import { MOST_TOKENS, partsThatFit, sentenceTokens } from "../../../../../src/speech/voice/neural/sentence-tokens.ts";
import { pronounced } from "../../../../helpers/speech/pronounced.ts";

t.test("tokens: the network's numbers, with begin and end, in groups of one sound each", async (t) => {
  const { numbers, groups } = sentenceTokens(pronounced("Big/bˈɪɡ day/dˈA!").words);
  t.same(numbers, [0, 44, 156, 102, 92, 16, 46, 156, 24, 5, 0]);
  t.same(
    groups.map(({ symbol, word, tokenCount }) => [symbol, word, tokenCount]),
    [
      ["", -1, 1],
      ["b", 0, 1],
      ["ˈɪ", 0, 2],
      ["ɡ", 0, 1],
      [" ", -1, 1],
      ["d", 1, 1],
      ["ˈA", 1, 2],
      ["!", -1, 1],
      ["", -1, 1],
    ],
  );
  t.same(sentenceTokens(pronounced("Odd/%b").words).numbers, [0, 44, 0], "unknown letters are left out");
  const long = sentenceTokens(Array.from({ length: 99 }, () => pronounced("Banana/bənˈænə").words[0]));
  t.equal(long.numbers.length, MOST_TOKENS + 2, "a sentence that is too long is cut off");
  t.equal(
    long.groups.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
    long.numbers.length,
  );
});

t.test("a sentence of more sounds than the network takes is spoken in parts, without losing a word", async (t) => {
  const banana = pronounced("Banana/bənˈænə").words[0];
  const words = Array.from({ length: 99 }, (_, index) => ({ ...banana, fromCharacter: index, toCharacter: index + 1 }));
  const sizes = (parts: readonly (readonly unknown[])[]) => parts.map(({ length }) => length);
  const parts = partsThatFit(words);
  t.same(parts.flat(), words, "every word, in order");
  t.ok(parts.every((part) => sentenceTokens(part).numbers.length <= MOST_TOKENS + 2));
  t.same(sizes(parts), [40, 40, 19]);
  const withComma = words.map((word, index) => (index === 29 ? { ...word, mark: "," as const } : word));
  t.same(sizes(partsThatFit(withComma)), [30, 40, 29], "a part ends at a clause mark");
  const address = words.map((word, index) => (index >= 35 && index < 60 ? { ...word, fromCharacter: 35 } : word));
  t.same(sizes(partsThatFit(address)), [35, 40, 24], "what is written as one stays together");
  const endless = words.map((word) => ({ ...word, fromCharacter: 0 }));
  t.same(sizes(partsThatFit(endless)), [40, 40, 19], "unless it does not fit");
  t.same(sizes(partsThatFit([{ ...banana, phonemes: "bə".repeat(999) }, banana])), [1, 1]);
  t.same(sizes(partsThatFit(words.slice(0, 2))), [2]);
  t.same(partsThatFit([]), [[]]);
});

t.test(
  "times: 50 ms before the durations, P B M shut earlier, and the last sound as long as it is heard",
  async (t) => {
    const { groups } = sentenceTokens(pronounced("Ah/ˈɑ bee/bˈi.").words);
    // Frames of 25 ms: begin, ˈ, ɑ, space, b, ˈ, i, mark, end.
    const sounds = soundTimes(groups, [4, 1, 5, 1, 3, 1, 20, 9, 1], 1);
    t.same(
      sounds.map(({ text, startMs, endMs }) => [text, startMs, endMs]),
      [
        ["ˈɑ", 50, 225],
        ["b", 225, 300],
        ["ˈi", 300, 530],
      ],
    );
    t.same(
      [...wordTimes(sounds)],
      [
        [0, { startMs: 50, endMs: 225 }],
        [1, { startMs: 225, endMs: 530 }],
      ],
    );
    t.same(neuralVisemes(sounds, 900), [
      { viseme: "aa", startMs: 50, endMs: 185 },
      { viseme: "PP", startMs: 185, endMs: 275 },
      { viseme: "I", startMs: 275, endMs: 530 },
      { viseme: "sil", startMs: 530, endMs: 900 },
    ]);
    t.same(soundTimes(sentenceTokens([]).groups, [5, 5], 1), [], "no sounds, no times");
  },
);

t.test("a pause inside a sentence rests the mouth if it is long; diphthongs have two shapes", async (t) => {
  const { groups } = sentenceTokens(pronounced("I/ˈI, you/ju").words);
  const frames = (pause: number) => [2, 1, 5, pause, 1, 2, 9, 1];
  const shapes = (pause: number) =>
    neuralVisemes(soundTimes(groups, frames(pause), 1), 1000).map((each) => each.viseme);
  t.same(shapes(8), ["aa", "I", "sil", "I", "U", "sil"]);
  t.same(shapes(2), ["aa", "I", "I", "U", "sil"]);
});

t.test("pieces: half a second first, growing to two, none shorter than half a second, no gap", async (t) => {
  const seconds = (from: number, to: number) => planPieces(from, to).map((each) => (each.toStep - each.fromStep) / 80);
  t.same(seconds(10, 10 + 560), [0.5, 0.8, 1.3, 2, 2.4]);
  t.same(seconds(10, 10 + 70), [0.875], "a short sentence is one piece");
  t.same(seconds(10, 10), []);
  const pieces = planPieces(7, 900);
  t.ok(pieces.every(({ fromStep }, index) => fromStep === (index === 0 ? 7 : pieces[index - 1].toStep)));
  t.equal(pieces.at(-1)?.toStep, 900);
});
