// Fetched voices, with a small network of the same signature in the real process.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { DefaultVoice } from "../../../../../src/speech/voice/default-voice.ts";
import { FetchedVoice } from "../../../../../src/speech/voice/fetched/fetched-voice.ts";
import { listFetchedVoices, voicesFolder } from "../../../../../src/speech/voice/fetched/fetched-voices.ts";
import type { SpokenPiece } from "../../../../../src/speech/voice/voice.ts";
import { SMALL_VOICE_RATE_HZ, TOKEN_MS, writeSmallVoice } from "../../../../helpers/speech/small-piper-voice.ts";

const data = await mkdtemp(join(tmpdir(), "fetched-voices-"));
const folder = voicesFolder(data);
const fetched = new FetchedVoice({ folder });
t.teardown(async () => {
  await fetched.close();
  await rm(data, { recursive: true });
});
await writeSmallVoice(join(folder, "de_DE-small-x_low"), "de");
await writeSmallVoice(join(folder, "en_US-two-x_low"), "en-us", 2);

async function collect(pieces: AsyncIterable<SpokenPiece>): Promise<SpokenPiece[]> {
  const all: SpokenPiece[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

/** How often the sound changes its sign, a second. */
function crossingsPerSecond({ samples, sampleRateHz }: SpokenPiece): number {
  const changes = samples.filter((sample, index) => sample < 0 !== samples[index - 1] < 0).length;
  return (changes * sampleRateHz) / samples.length;
}

t.test("a sentence has the times of its words, and lips shut for P, B and M", async (t) => {
  const text = "**Mama**, papa!";
  const [piece, ...rest] = await collect(fetched.synthesize(text, { voiceId: "en_US-two-x_low", speed: 1 }));
  t.same(rest, []);
  t.equal(piece.sampleRateHz, SMALL_VOICE_RATE_HZ);
  t.ok(piece.endsSentence);
  const { sentence } = piece;
  t.equal(sentence?.text, "Mama, papa!");
  t.same(
    sentence?.words.map(({ text, fromCharacter }) => [text, fromCharacter]),
    [
      ["Mama", 2],
      ["papa", 10],
    ],
  );
  t.equal(sentence?.phonemes.map(({ text }) => text).join(" "), "m ˈɑː m ɐ p ˈɑː p ə");
  // Begin, then each sound with a blank before it; ˈɑː has three letters, a comma and a space are between the words.
  const starts = [0, 2, 8, 10, 16, 18, 24, 26].map((tokens) => (1 + tokens) * TOKEN_MS);
  t.same(
    sentence?.phonemes.map(({ startMs }) => startMs),
    starts,
  );
  const shut = sentence?.visemes.filter(({ viseme }) => viseme === "PP").map(({ startMs }) => startMs);
  t.same(
    shut,
    [0, 2, 4, 6].map((index) => starts[index] - 45),
    "lips move before the sound",
  );
  const [word] = sentence?.words ?? [];
  const heard = piece.samples.subarray((word.startMs * 16) | 0, (word.endMs * 16) | 0);
  t.ok(Math.max(...heard) > 1000 && Math.max(...heard) < 32_000);
});

t.test("a voice of several speakers has each by number", async (t) => {
  const say = async (voiceId: string) => (await collect(fetched.synthesize("Papa.", { voiceId })))[0];
  const [first, second] = [await say("en_US-two-x_low"), await say("en_US-two-x_low:1")];
  t.ok(crossingsPerSecond(second) > 2 * crossingsPerSecond(first));
  await t.rejects(say("en_US-two-x_low:2"), { code: "invalid-input", message: /2 speakers, from 0 to 1/ });
  await t.rejects(say("en_US-other"), { code: "unknown-voice" });
  await t.rejects(collect(fetched.synthesize("Hi", { voiceId: "en_US-two-x_low", speed: 9 })), {
    code: "invalid-input",
  });
  t.same(await collect(fetched.synthesize("…", { voiceId: "en_US-two-x_low" })), []);
});

t.test("it speaks its language unless a built-in voice does, and by its id", async (t) => {
  const marked = (sampleRateHz: number) => ({
    async *synthesize() {
      yield { sampleRateHz, samples: new Int16Array(1), endsSentence: true };
    },
    close: async () => undefined,
  });
  const rateOf = async (options: object, speech: { language?: string; voiceId?: string }) => {
    const voice = new DefaultVoice({ neural: marked(24_000), formant: marked(22_050), fetched, ...options });
    return (await collect(voice.synthesize("Papa.", speech)))[0].sampleRateHz;
  };
  const isInstalled = true;
  t.equal(await rateOf({ isInstalled }, { language: "de", voiceId: "F1" }), SMALL_VOICE_RATE_HZ);
  t.equal(await rateOf({ isInstalled }, { language: "en", voiceId: "F1" }), 24_000);
  t.equal(await rateOf({ isInstalled }, { voiceId: "en_US-two-x_low" }), SMALL_VOICE_RATE_HZ);
  t.equal(await rateOf({ isInstalled }, { language: "pl" }), 22_050);
  t.equal(
    await rateOf({ engine: "formant" }, { language: "de" }),
    22_050,
    "an operator who chose it has little memory",
  );
});

t.test("a folder that is no voice is left out; a damaged network says what to do", async (t) => {
  await writeSmallVoice(join(folder, "fr_FR-broken-x_low"), "fr");
  await writeFile(join(folder, "fr_FR-broken-x_low", "model.onnx"), "not a network");
  await writeSmallVoice(join(folder, "half"), "fr");
  await rm(join(folder, "half", "model.onnx"));
  await writeSmallVoice(join(folder, "odd"), "fr");
  await writeFile(join(folder, "odd", "config.json"), "{}");
  t.same(
    listFetchedVoices(folder).map(({ id, language }) => [id, language]),
    [
      ["de_DE-small-x_low", "de"],
      ["en_US-two-x_low", "en"],
      ["fr_FR-broken-x_low", "fr"],
    ],
  );
  t.same(listFetchedVoices(join(data, "nothing")), []);
  await t.rejects(collect(fetched.synthesize("Papa.", { voiceId: "fr_FR-broken-x_low" })), {
    code: "unavailable",
    message: "The fetched voice cannot be loaded. Remove it and fetch it again.",
  });
});
