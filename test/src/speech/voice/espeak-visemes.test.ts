import t from "tap";
import { LANGUAGE_CODES } from "../../../../src/speech/languages/languages.ts";
import { espeakVisemes } from "../../../../src/speech/voice/espeak-visemes.ts";
import { EspeakVoice } from "../../../../src/speech/voice/espeak-voice.ts";
import { joinPieces } from "../../../../src/speech/voice/join-pieces.ts";

t.test("lips are shut before the burst of a P, and from the beginning of an M", async (t) => {
  const visemes = espeakVisemes(
    [
      { text: "ˈæ", startMs: 0 },
      { text: "p", startMs: 200 },
      { text: "ə", startMs: 234 },
      { text: "m", startMs: 300 },
      { text: "", startMs: 380 },
    ],
    500,
  );
  t.same(
    visemes.map(({ viseme, startMs, endMs }) => [viseme, startMs, endMs]),
    [
      ["aa", 0, 150],
      ["PP", 150, 206],
      ["E", 206, 290],
      ["PP", 290, 366],
      ["sil", 366, 500],
    ],
  );
});

t.test("the lips are shut before the reported time of a B in a cluster, and diphthongs are two shapes", async (t) => {
  const visemes = espeakVisemes(
    [
      { text: "z", startMs: 0 },
      { text: "b", startMs: 100 },
      { text: "aɪ", startMs: 118 },
    ],
    218,
  );
  t.same(
    visemes.map(({ viseme, startMs, endMs }) => [viseme, Math.round(startMs), Math.round(endMs)]),
    [
      ["SS", 0, 60],
      ["PP", 60, 104],
      ["aa", 104, 172],
      ["I", 172, 218],
    ],
  );
});

t.test(
  "without phonemes there are no visemes, and the time of phonemes without a shape goes to their neighbours",
  async (t) => {
    t.same(espeakVisemes([], 1000), []);
    const visemes = espeakVisemes(
      [
        { text: "ɑ", startMs: 0 },
        { text: "h", startMs: 100 },
        { text: "ʔ", startMs: 150 },
        { text: "i", startMs: 180 },
      ],
      300,
    );
    t.same(
      visemes.map(({ viseme }) => viseme),
      ["aa", "I"],
    );
    t.equal(visemes[0].endMs, visemes[1].startMs, "without a gap");
  },
);

t.test("in every language, the visemes cover the whole sentence without gaps", { timeout: 120_000 }, async (t) => {
  const voice = new EspeakVoice();
  t.teardown(() => voice.close());
  for (const language of LANGUAGE_CODES) {
    const pieces = voice.synthesize("Mama, papa, 1 2 3.", { language });
    for await (const { visemes, samples, sampleRateHz } of joinPieces(pieces)) {
      t.ok(visemes.length > 5, `${language}: ${visemes.length} shapes`);
      t.ok(visemes.every(({ startMs, endMs }, k) => startMs <= endMs && (k === 0 || startMs === visemes[k - 1].endMs)));
      t.ok(Math.abs(visemes.at(-1)!.endMs - (samples.length * 1000) / sampleRateHz) < 1, "to its end");
    }
  }
});
