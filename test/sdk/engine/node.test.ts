// The engine package in Node, from its sources.
import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { open as openFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import t from "tap";
import { openLive } from "../../../sdk/engine/live.ts";
import { type Avatar, bake, EngineError, open, type RenderOptions, type Speech } from "../../../sdk/engine/node.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { readWav, wavHeader, writeWav } from "../../../src/signal/audio/wav.ts";
import { bakedFace } from "../../helpers/faces/baked-face.ts";

const speechFile = new URL("../../fixtures/speech/weather-en.wav", import.meta.url);
const whole = readWav(await readFile(speechFile));
/** One second from the middle of a word on. */
const said = {
  samples: whole.samples.slice(whole.sampleRateHz / 2, 1.5 * whole.sampleRateHz),
  sampleRateHz: whole.sampleRateHz,
};
const folder = t.testdir();
const path = join(folder, "face.imx");
const wavPath = join(folder, "said.wav");
const bytes = await writeImx(await bakedFace("photograph", "essence-2-light"));
await writeFile(path, bytes);
await writeFile(wavPath, writeWav(said));
const avatar = await open(path);
t.teardown(() => avatar.close());

t.test("every form of a bundle opens, and the face at rest is its poster", async (t) => {
  for (const form of [
    pathToFileURL(path),
    pathToFileURL(path).href,
    new Uint8Array(bytes),
    new Blob([new Uint8Array(bytes)]),
  ]) {
    await using other = await open(form);
    t.same([other.widthPx, other.heightPx], [avatar.widthPx, avatar.heightPx]);
    t.ok(other.gestures.includes("nod"));
    t.same([...other.poster.subarray(0, 2)], [0xff, 0xd8]);
  }
});

t.test("every form of a speech gives the same frames", async (t) => {
  const expected = await framesOf(avatar, said);
  t.equal(expected.length, 25);
  t.ok(new Set(expected).size > 20, "the face moves");
  const wav = new Uint8Array(writeWav(said));
  const channel = Float32Array.from(said.samples, (sample) => sample / 32_768);
  const forms: Record<string, Speech> = {
    path: wavPath,
    "file URL": pathToFileURL(wavPath),
    "data URL": `data:audio/wav;base64,${Buffer.from(wav).toString("base64")}`,
    bytes: wav,
    ArrayBuffer: wav.buffer,
    Blob: new Blob([wav]),
    "float samples": { ...said, samples: channel },
    "stream of bytes": createReadStream(wavPath, { highWaterMark: 1001 }) as AsyncIterable<Uint8Array>,
    "web stream of bytes": new Blob([wav]).stream() as ReadableStream<Uint8Array>,
    "stream of samples": inPieces(480),
    AudioBuffer: {
      sampleRate: said.sampleRateHz,
      numberOfChannels: 2,
      length: channel.length,
      getChannelData: () => channel,
    },
  };
  for (const [name, form] of Object.entries(forms)) t.same(await framesOf(avatar, form), expected, name);
});

t.test(
  "the same seed gives the same frames; seed, expressiveness, emotion, manner and gestures change them",
  async (t) => {
    const expected = await framesOf(avatar, said);
    t.same(await framesOf(avatar, said, { seed: 1, expressiveness: 0.5 }), expected);
    t.not(String(await framesOf(avatar, said, { seed: 2 })), String(expected));
    t.not(String(await framesOf(avatar, said, { expressiveness: 1 })), String(expected));
    const nodding = await framesOf(avatar, said, { gestures: [{ name: "nod", atMs: 400 }] });
    t.same(nodding.slice(0, 10), expected.slice(0, 10));
    t.not(nodding[20], expected[20]);
    await t.rejects(framesOf(avatar, said, { gestures: [{ name: "moonwalk", atMs: 0 }] }), /no gesture moonwalk/);
    await t.rejects(framesOf(avatar, said, { expressiveness: 2 }), RangeError);
    t.same(await framesOf(avatar, said, { emotion: "neutral", manner: "natural" }), expected);
    t.not(String(await framesOf(avatar, said, { emotion: "happy:0.6" })), String(expected));
    t.not(String(await framesOf(avatar, said, { manner: "still" })), String(expected));
    await t.rejects(framesOf(avatar, said, { emotion: "joyful" }), /no expression "joyful".*happy, sad/);
    await t.rejects(framesOf(avatar, said, { emotion: "happy:2" }), RangeError);
    await t.rejects(framesOf(avatar, said, { manner: "wild" as "still" }), /still, natural, animated/);
  },
);

t.test("a live face has its mood, and refuses unknown names", async (t) => {
  const live = await openLive(path, { emotion: "happy:0.6", manner: "still" });
  t.same(live.engine.mood, { emotion: "happy", intensity: 0.6 });
  await live.close();
  await t.rejects(openLive(path, { emotion: "joyful" }), /happy, sad/);
  await t.rejects(openLive(path, { manner: "wild" as "still" }), /still, natural, animated/);
});

t.test("a frame is valid until the next step, in its format, with its audio", async (t) => {
  const others = avatar.render(said)[Symbol.asyncIterator]();
  for await (const { frame, audio } of avatar.render(said)) {
    const hash = hashOf(frame.data);
    await others.next();
    t.equal(hashOf(frame.data), hash, "whatever is rendered meanwhile");
    t.equal(frame.data.length, (avatar.widthPx * avatar.heightPx * 3) / 2);
    t.same([audio.sampleRateHz, audio.samples.length], [48_000, 1920]);
  }
  for await (const { frame, audio } of avatar.render(said, { format: "rgba", sampleRateHz: 16_000 })) {
    t.equal(frame.data.length, avatar.widthPx * avatar.heightPx * 4);
    t.equal(audio.samples.length, 640);
    break;
  }
  await t.rejects(framesOf(avatar, said, { format: "bitmap" }), { code: "invalid-input" });
});

t.test("two renderings at once do not disturb each other, and one is read once", async (t) => {
  const expected = await framesOf(avatar, said);
  const both = await Promise.all([framesOf(avatar, said), framesOf(avatar, inPieces(4800))]);
  t.same(both, [expected, expected]);
  const rendering = avatar.render(said);
  for await (const _ of rendering) break;
  t.throws(() => rendering[Symbol.asyncIterator](), { code: "invalid-input", message: /read already/ });
});

t.test("an empty recording is refused with words", async (t) => {
  const empty = join(folder, "empty.wav");
  await writeFile(empty, "");
  const forms: Speech[] = [
    empty,
    new Uint8Array(0),
    writeWav({ samples: new Int16Array(0), sampleRateHz: 16_000 }),
    { samples: new Int16Array(0), sampleRateHz: 16_000 },
    inPieces(480, 0),
  ];
  for (const form of forms) await t.rejects(framesOf(avatar, form), { code: "invalid-input", message: /empty/ });
});

t.test("what is no audio is refused with words", async (t) => {
  await t.rejects(framesOf(avatar, join(folder, "missing.wav")), { code: "file-not-found" });
  await t.rejects(framesOf(avatar, path), { code: /invalid-input|unavailable/ });
  await t.rejects(framesOf(avatar, { samples: said.samples, sampleRateHz: 5 }), /8,000 to 192,000/);
  await t.rejects(framesOf(avatar, {} as Speech), /AudioBuffer or a MediaStreamTrack/);
  const changing = (async function* () {
    yield said;
    yield { ...said, sampleRateHz: 24_000 };
  })();
  await t.rejects(framesOf(avatar, changing), /sample rate changes/);
});

t.test("ten hours of audio are read as they are needed", async (t) => {
  const long = join(folder, "long.wav");
  const file = await openFile(long, "w");
  await file.write(wavHeader({ sampleRateHz: 48_000, sampleCount: 10 * 3600 * 48_000 }));
  await file.truncate(44 + 10 * 3600 * 48_000 * 2);
  await file.close();
  let frames = 0;
  const before = process.memoryUsage();
  for await (const _ of avatar.render(long)) if (++frames === 50) break;
  const { arrayBuffers } = process.memoryUsage();
  t.ok(arrayBuffers - before.arrayBuffers < 60e6, `${(arrayBuffers - before.arrayBuffers) / 1e6} MB`);

  let pulled = 0;
  let isClosed = false;
  const endless = (async function* () {
    try {
      for (;;) {
        pulled += 1;
        yield { samples: said.samples.subarray(0, said.sampleRateHz / 10), sampleRateHz: said.sampleRateHz };
      }
    } finally {
      isClosed = true;
    }
  })();
  frames = 0;
  for await (const _ of avatar.render(endless)) if (++frames === 50) break;
  t.ok(pulled < 30, `two seconds of frames took ${pulled / 10} s of audio`);
  await sleep(1);
  t.ok(isClosed, "the source is closed when the loop is left");
});

t.test("a bundle that was cut off, or is of another version, says so", async (t) => {
  for (const length of [0, 3, 40, 2000, bytes.length - 1]) {
    await t.rejects(open(bytes.subarray(0, length)), { code: "bundle-invalid" }, `${length} bytes`);
  }
  const newer = new Uint8Array(bytes);
  newer[4] = 9;
  await t.rejects(open(newer), { code: "bundle-invalid", message: /version 9, newer than .* Update/ });
  newer[4] = 2;
  await t.rejects(open(newer), { code: "bundle-invalid", message: /version 2.* again/ });
  await t.rejects(open(join(folder, "missing.imx")), { code: "file-not-found" });
  await t.rejects(open("http://127.0.0.1:9/face.imx"), { code: "upstream-unavailable" });
});

t.test("a rig that our executor does not know is rendered by ONNX Runtime", async (t) => {
  const imx = await bakedFace("photograph", "essence-2-light");
  const rig = new Uint8Array(imx.rig);
  t.same([...rig.subarray(0, 2)], [8, 8], "version of the format");
  rig[1] = 7;
  await using other = await open(await writeImx({ ...imx, rig }));
  t.equal((await framesOf(other, said)).length, 25);
});

t.test("every wait ends with the reason of the signal", async (t) => {
  const reason = new Error("changed my mind");
  await t.rejects(open(path, { signal: AbortSignal.abort(reason) }), reason);
  const opening = new AbortController();
  const late = open(path, { signal: opening.signal });
  opening.abort(reason);
  await t.rejects(late, reason);

  await t.rejects(framesOf(avatar, said, { signal: AbortSignal.abort(reason) }), reason);
  const reading = new AbortController();
  const silent = new ReadableStream<Uint8Array>();
  const waiting = framesOf(avatar, silent, { signal: reading.signal });
  setTimeout(() => reading.abort(reason), 20);
  await t.rejects(waiting, reason);
  const rendering = new AbortController();
  let frames = 0;
  const readFive = async () => {
    for await (const _ of avatar.render(inPieces(480), { signal: rendering.signal })) {
      if (++frames === 5) rendering.abort(reason);
    }
  };
  await t.rejects(readFive(), reason);
  t.equal(frames, 5);

  const film = new AbortController();
  const target = join(folder, "aborted.mp4");
  const writing = avatar.render(said, { signal: film.signal }).toFile(target, { onFrame: () => film.abort(reason) });
  await t.rejects(writing, reason);
  t.notOk(
    (await readdir(folder)).some((name) => name.startsWith("aborted.mp4")),
    "nothing is left of the film",
  );
  await t.rejects(bake(new Uint8Array(0), { signal: AbortSignal.abort(reason) }), reason);
});

t.test("a closed avatar ends its renderings", async (t) => {
  const closing = await open(path);
  const silent = framesOf(closing, new ReadableStream<Uint8Array>());
  await closing.close();
  await closing.close();
  await t.rejects(silent, { code: "unavailable", message: /closed/ });
  await t.rejects(framesOf(closing, said), { code: "unavailable", message: /closed/ });
});

t.test("what is for a tab says so", async (t) => {
  await t.rejects(avatar.speak(said), { message: /speak\(\) is for a browser tab/ });
  t.throws(() => avatar.stop(), EngineError);
});

t.test("a film is whole, and as long as the speech", async (t) => {
  const target = join(folder, "film.mp4");
  t.equal(await avatar.render(wavPath).toFile(pathToFileURL(target)), 25);
  const film = await readFile(target);
  t.equal(film.toString("latin1", 4, 8), "ftyp");
  t.ok(film.includes("compositeSynthetic"), "it says that it is generated");
  t.notOk(existsSync(`${target}.partial`));
  t.equal((await framesOf(avatar, target)).length > 23, true, "the sound of a film is a speech, too");
});

/** Hashes of the frames of a speech. */
async function framesOf(
  face: Avatar,
  speech: Speech,
  options: RenderOptions<"i420" | "rgba" | "bitmap"> = {},
): Promise<string[]> {
  const frames: string[] = [];
  for await (const { frame } of face.render(speech, options)) {
    if ("data" in frame) frames.push(hashOf(frame.data));
  }
  return frames;
}

function hashOf(data: Uint8Array | Uint8ClampedArray): string {
  return createHash("sha1").update(data).digest("hex");
}

async function* inPieces(length: number, most = Number.POSITIVE_INFINITY) {
  for (let at = 0, piece = 0; at < said.samples.length && piece < most; at += length, piece++) {
    yield { samples: said.samples.subarray(at, at + length), sampleRateHz: said.sampleRateHz };
  }
}
