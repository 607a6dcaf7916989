// Where phrases end and which are questions, on speech with exact times.
import t from "tap";
import { SPEECH_SAMPLE_RATE_HZ } from "../../../../shared/units.ts";
import { type HeardPhrase, PhraseDetector } from "../../../../src/speech/phrases/phrase-detector.ts";
import {
  SENTENCES,
  type SpokenPhrases,
  throughTelephone,
  uniform,
  withNoise,
  withPhrases,
} from "../../../helpers/speech/spoken-phrases.ts";

const BLOCK = 320;

interface Heard {
  what: HeardPhrase;
  /** When the last sample that it needed had arrived. */
  atMs: number;
}

function hear(samples: Int16Array, detector = new PhraseDetector(), block = BLOCK): Heard[] {
  const heard: Heard[] = [];
  for (let at = 0; at < samples.length; at += block) {
    for (const what of detector.push(samples.subarray(at, at + block)))
      heard.push({ what, atMs: ((at + block) * 1000) / SPEECH_SAMPLE_RATE_HZ });
  }
  return heard;
}

const endsOf = (heard: readonly Heard[]) => heard.filter(({ what }) => what !== "speech");

function judge({ samples, ends, words }: SpokenPhrases) {
  const found = endsOf(hear(samples));
  return {
    /** Phrases with an end that is found 100 to 300 ms later. */
    inTime: ends.filter(({ atMs }) => found.some((one) => one.atMs > atMs + 100 && one.atMs <= atMs + 300)).length,
    insideWords: found.filter(({ atMs }) => words.some(({ startMs, endMs }) => atMs > startMs && atMs < endMs)).length,
    ends: ends.length,
  };
}

t.test("the end of a phrase is found within 300 ms in five languages, through noise and telephone", async (t) => {
  const inputs: [string, (samples: Int16Array) => Int16Array][] = [
    ["as spoken", (samples) => samples],
    ["softly", (samples) => samples.map((sample) => Math.round(sample / 8))],
    ["noise", (samples) => withNoise(samples, 20)],
    ["telephone", throughTelephone],
  ];
  await withPhrases(async (speakPhrases) => {
    for (const [language, sentences] of Object.entries(SENTENCES)) {
      for (const voiceId of ["M1", "F1"]) {
        const spoken = await speakPhrases(sentences.slice(0, 6), { voiceId, language });
        for (const [name, change] of inputs) {
          const { inTime, insideWords, ends } = judge({ ...spoken, samples: change(spoken.samples) });
          t.ok(inTime >= ends - 1, `${language} ${voiceId} ${name}: ${inTime} of ${ends}`);
          t.ok(insideWords <= 1, `${language} ${voiceId} ${name}: ${insideWords} inside a word`);
        }
      }
    }
  });
});

t.test("most questions sound like questions, and statements do not", async (t) => {
  const count = { questions: 0, heardAsQuestions: 0, statements: 0, mistaken: 0 };
  await withPhrases(async (speakPhrases) => {
    for (const [language, sentences] of Object.entries(SENTENCES)) {
      for (const voiceId of ["M1", "F1"]) {
        for (const sentence of sentences) {
          const { samples } = await speakPhrases([sentence], { voiceId, language });
          const isHeard = endsOf(hear(samples)).at(-1)?.what === "question";
          const isQuestion = sentence.endsWith("?");
          count[isQuestion ? "questions" : "statements"] += 1;
          if (isHeard) count[isQuestion ? "heardAsQuestions" : "mistaken"] += 1;
        }
      }
    }
  });
  const { questions, heardAsQuestions, statements, mistaken } = count;
  t.comment(count);
  t.ok(questions >= 40 && statements >= 40, "there are enough of both");
  t.ok(heardAsQuestions / questions >= 0.6, `${heardAsQuestions} of ${questions} questions`);
  t.ok(mistaken / statements <= 0.1, `${mistaken} of ${statements} statements`);
});

t.test("the same audio gives the same phrases, however it is cut", async (t) => {
  await withPhrases(async (speakPhrases) => {
    const { samples } = await speakPhrases(SENTENCES.en.slice(0, 3), { voiceId: "F1", language: "en" });
    const whats = (block: number) => hear(samples, undefined, block).map(({ what }) => what);
    const expected = whats(BLOCK);
    t.ok(expected.length >= 6);
    for (const block of [77, 128, 960, samples.length]) t.same(whats(block), expected, `in pieces of ${block}`);
  });
});

t.test("silence, steady noise, a tone and clicks are no phrases", async (t) => {
  const draw = uniform(3);
  const seconds = 6 * SPEECH_SAMPLE_RATE_HZ;
  const sounds: Record<string, Int16Array> = {
    silence: new Int16Array(seconds),
    noise: Int16Array.from({ length: seconds }, () => 3_000 * (2 * draw() - 1)),
    "a tone that stops": Int16Array.from({ length: seconds }, (_, i) =>
      i < seconds / 2 ? 6_000 * Math.sin((2 * Math.PI * 440 * i) / SPEECH_SAMPLE_RATE_HZ) : 0,
    ),
    clicks: Int16Array.from({ length: seconds }, (_, i) => (i % SPEECH_SAMPLE_RATE_HZ < 160 ? 12_000 : 0)),
    "full scale": new Int16Array(seconds).fill(-32_768),
  };
  for (const [name, samples] of Object.entries(sounds)) t.same(endsOf(hear(samples)), [], name);
});

t.test("a microphone that drops out within a phrase has heard no end, and the next phrase is heard", async (t) => {
  await withPhrases(async (speakPhrases) => {
    const { samples, ends } = await speakPhrases(SENTENCES.en.slice(0, 2), { voiceId: "M1", language: "en" });
    const detector = new PhraseDetector();
    const untilMiddle = samples.subarray(0, Math.round(((ends[0].atMs - 600) * SPEECH_SAMPLE_RATE_HZ) / 1000));
    t.same(
      hear(untilMiddle, detector).map(({ what }) => what),
      ["speech"],
    );
    detector.reset();
    t.same(hear(new Int16Array(SPEECH_SAMPLE_RATE_HZ), detector), [], "what was begun has no end");
    t.same(
      hear(samples, detector).filter(({ what }) => what === "speech").length,
      hear(samples).filter(({ what }) => what === "speech").length,
      "it hears as well as a new one",
    );
  });
});
