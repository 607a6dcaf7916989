import t from "tap";
import { LANGUAGE_CODES } from "../../../../src/speech/languages/languages.ts";
import { EspeakSynthesizer } from "../../../../src/speech/voice/espeak-synthesizer.ts";
import { EspeakVoice } from "../../../../src/speech/voice/espeak-voice.ts";
import { joinPieces } from "../../../../src/speech/voice/join-pieces.ts";
import type { SpokenPiece, SpokenSentence } from "../../../../src/speech/voice/voice.ts";
import { VOICE_IDS } from "../../../../src/speech/voice/voice-catalogue.ts";

async function collect(pieces: AsyncIterable<SpokenPiece>): Promise<SpokenSentence[]> {
  const all: SpokenSentence[] = [];
  for await (const sentence of joinPieces(pieces)) all.push(sentence);
  return all;
}

function rms(samples: Int16Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

t.test("a voice synthesizes sentence by sentence, with timed phonemes and words", async (t) => {
  const voice = new EspeakVoice();
  t.teardown(() => voice.close());
  const sentences = await collect(voice.synthesize("My big boat is blue. Please bring it back tomorrow."));
  t.equal(sentences.length, 2);
  for (const { samples, sampleRateHz, phonemes, words } of sentences) {
    const durationMs = (samples.length / sampleRateHz) * 1000;
    t.ok(durationMs > 700 && durationMs < 4000, `lasts ${Math.round(durationMs)} ms`);
    t.ok(rms(samples) > 500, "is loud enough");
    t.ok(phonemes.length > 8);
    t.ok(
      phonemes.every((symbol, index) => index === 0 || symbol.startMs >= phonemes[index - 1].startMs),
      "phonemes are in order",
    );
    t.ok(phonemes.at(-1)!.startMs <= durationMs);
    t.ok(words.length > 3);
  }
  t.match(sentences[0].words[1].text, "big");
});

t.test("numbers and short forms are said as words, and captions show what is written", async (t) => {
  const voice = new EspeakVoice();
  t.teardown(() => voice.close());
  const sounds = async (text: string, language: string) =>
    (await collect(voice.synthesize(text, { language }))).map(({ phonemes }) =>
      phonemes.map((one) => one.text).join(""),
    );
  for (const [language, written, said] of [
    [
      "en",
      "**Dr.** Wu paid $3.50 at 3:45 p.m.",
      "Doctor Wu paid three dollars and fifty cents at three forty-five P M.",
    ],
    ["de", "Am 3. Mai kostet es 3,50 €.", "Am dritten Mai kostet es drei Euro und fünfzig Cent."],
    ["fr", "Il est 15h30, ça coûte 2 €.", "Il est quinze heures trente, ça coûte deux euros."],
  ]) {
    t.same(await sounds(written, language), await sounds(said, language), written);
  }
  const [{ text, words }] = await collect(voice.synthesize("The **boss** paid $3.50 to Dr. Wu.", { language: "en" }));
  t.equal(text, "The boss paid $3.50 to Dr. Wu.");
  t.same(
    words.map((word) => word.text),
    ["The", "boss", "paid", "$3.50", "to", "Dr.", "Wu"],
  );
  t.ok(words.every((word, index) => index === 0 || word.startMs > words[index - 1].startMs));
  const letters = await sounds("An API, an AI and a VIP.", "en");
  t.match(letters[0], /ˈeɪpˈiːˈaɪ/u, "the A of an acronym is a letter");
});

t.test("every voice and every language gives audio, and voices differ", async (t) => {
  const voice = new EspeakVoice();
  t.teardown(() => voice.close());
  const sounds = new Set<string>();
  for (const voiceId of VOICE_IDS) {
    const [sentence] = await collect(voice.synthesize("The weather is lovely today.", { voiceId }));
    sounds.add(Buffer.from(sentence.samples.buffer).toString("base64"));
    t.ok(rms(sentence.samples) > 500, voiceId);
  }
  t.equal(sounds.size, VOICE_IDS.length, "no two voices sound alike");
  for (const language of [...LANGUAGE_CODES, "pt-BR"]) {
    const [sentence] = await collect(voice.synthesize("Internet, radio, taxi 42", { language }));
    t.ok(sentence.samples.length > 15_000, language);
  }
  const [slow] = await collect(voice.synthesize("The weather is lovely today.", { speed: 0.7 }));
  const [fast] = await collect(voice.synthesize("The weather is lovely today.", { speed: 2 }));
  t.ok(slow.samples.length > 2 * fast.samples.length, "speed changes the length");
});

t.test("text that cannot be spoken is refused with the contract's codes", async (t) => {
  const voice = new EspeakVoice(new EspeakSynthesizer({ queueLimit: 1 }));
  t.teardown(() => voice.close());
  await t.rejects(collect(voice.synthesize("Hi", { voiceId: "X9" })), {
    code: "unknown-voice",
    message: /X9.*M1, .*F5/,
  });
  await t.rejects(collect(voice.synthesize("Hi", { language: "xx" })), { code: "invalid-input" });
  await t.rejects(collect(voice.synthesize("Hi", { speed: 9 })), { code: "invalid-input" });
  t.same(await collect(voice.synthesize("   ")), [], "nothing to say is no error");
  const [first, second] = await Promise.allSettled([
    collect(voice.synthesize("One moment please.")),
    collect(voice.synthesize("One moment please.")),
  ]);
  t.equal(first.status, "fulfilled");
  t.match(second, { status: "rejected", reason: { code: "unavailable" } }, "the queue is bounded");
});

t.test("a synthesizer that hangs is replaced after a timeout; a closed voice refuses text", async (t) => {
  const voice = new EspeakVoice(new EspeakSynthesizer({ timeoutMs: 1, startTimeoutMs: 0 }));
  t.teardown(() => voice.close());
  await t.rejects(collect(voice.synthesize("Too late for this one.")), { code: "timeout" });
  const patient = new EspeakVoice();
  const speaking = collect(patient.synthesize("This will be cut short by the end of the voice."));
  await Promise.all([t.rejects(speaking, { code: "unavailable" }), patient.close()]);
  await patient.close();
  await t.rejects(collect(patient.synthesize("Hello")), { code: "unavailable" });
});
