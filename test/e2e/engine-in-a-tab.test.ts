// The engine package in a tab of a real browser, under a strict policy: the frames of Node, a face that speaks, and
// words for what is wrong.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import t, { type Test } from "tap";
import { CHROMIUM_MISSING, findChromium } from "../../lab/bench/with-chromium.ts";
import { open } from "../../sdk/engine/node.ts";
import { writeImx } from "../../src/face/imx/write-imx.ts";
import { readWav, writeWav } from "../../src/signal/audio/wav.ts";
import { bakedFace } from "../helpers/faces/baked-face.ts";
import { STRICT_POLICY, withPackagePage } from "../helpers/pages/with-package-page.ts";

const skip = findChromium() ? false : CHROMIUM_MISSING;
const whole = readWav(await readFile(new URL("../fixtures/speech/weather-en.wav", import.meta.url)));
const wav = writeWav({ ...whole, samples: whole.samples.slice(whole.sampleRateHz / 2, 1.5 * whole.sampleRateHz) });
const bundle = await writeImx(await bakedFace("photograph", "essence-2-light"));

const SCRIPT = `
import { open } from "@open-avatar/engine";
let avatar;
const audio = () => fetch("said.wav").then((response) => response.arrayBuffer());
const hash = async (bytes) =>
  Array.from(new Uint8Array(await crypto.subtle.digest("SHA-1", bytes)), (byte) => byte.toString(16).padStart(2, "0")).join("");
const framesOf = async (speech, options) => {
  const frames = [];
  for await (const { frame } of avatar.render(speech, options)) frames.push(await hash(frame.data));
  return frames;
};
const problemOf = (work) => work().then(() => "none", ({ name, code, message }) => [name, code, message].join(" | "));
const longTasks = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ entryTypes: ["longtask"] });
Object.assign(globalThis, { open, audio, framesOf, problemOf, longTasks, load: async () => {
  avatar = globalThis.avatar = await open("face.imx");
  return { widthPx: avatar.widthPx, gestures: avatar.gestures.length, poster: [...avatar.poster.subarray(0, 2)] };
} });
`;
const files = {
  "face.imx": bundle,
  "said.wav": wav,
  "cut.imx": bundle.subarray(0, 5000),
  "empty.wav": new Uint8Array(0),
};
/** As after a tap of the visitor. */
const flags = ["--autoplay-policy=no-user-gesture-required"];

t.test("a tab renders what Node renders, and shows a face that speaks", { skip, timeout: 120_000 }, async (t) => {
  await withPackagePage({ script: SCRIPT, files, flags }, async ({ page, load }) => {
    const run = <T>(code: string) => page.evaluate<T>(code);
    await using inNode = await open(bundle);
    const { widthPx } = inNode;
    t.same(await run("load()"), { widthPx, gestures: inNode.gestures.length, poster: [0xff, 0xd8] });
    const expected: string[] = [];
    for await (const { frame } of inNode.render(wav))
      expected.push(createHash("sha1").update(frame.data).digest("hex"));
    await rendersAsNode(t, run, expected);
    await saysWhatIsWrong(t, run);
    await speaks(t, run);
    await saysWhatThePolicyForbids(t, run, load);
  });
});

type Run = <T>(code: string) => Promise<T>;

async function rendersAsNode(t: Test, run: Run, expected: readonly string[]): Promise<void> {
  t.same(await run('framesOf("said.wav")'), expected, "by address");
  t.same(await run("audio().then(framesOf)"), expected, "bytes");
  t.same(await run("audio().then((bytes) => framesOf(new Blob([bytes]).stream()))"), expected, "a stream");
  const decoded = "new OfflineAudioContext(1, 1, 48000).decodeAudioData(await audio())";
  t.equal(
    (await run<string[]>(`(async () => framesOf(await ${decoded}))()`)).length,
    expected.length,
    "an AudioBuffer",
  );
  t.same(await run('Promise.all([framesOf("said.wav"), framesOf("said.wav")])'), [expected, expected], "two at once");
  t.equal((await run<string[]>('framesOf("said.wav", { format: "rgba", seed: 2 })')).length, expected.length);
  const sizes = `(async () => {
    for await (const { frame, audio } of avatar.render("said.wav", { format: "bitmap", sampleRateHz: 16000 }))
      return [frame.constructor.name, frame.width, audio.samples.length, audio.sampleRateHz];
  })()`;
  t.same(await run(sizes), ["ImageBitmap", 512, 640, 16_000]);
}

async function saysWhatIsWrong(t: Test, run: Run): Promise<void> {
  t.match(await run('problemOf(() => open("cut.imx"))'), /bundle-invalid/);
  t.match(await run('problemOf(() => open("missing.imx"))'), /upstream-unavailable.*404/);
  t.match(await run('problemOf(() => framesOf("empty.wav"))'), /invalid-input.*empty/);
  t.match(await run("problemOf(() => framesOf({ samples: new Int16Array(0), sampleRateHz: 16000 }))"), /empty/);
  t.match(await run("problemOf(() => framesOf(new Uint8Array(500).fill(7)))"), /cannot read this audio/);
  t.match(await run('problemOf(() => framesOf("said.wav", { expressiveness: 3 }))'), /RangeError/);
  t.match(
    await run('problemOf(() => framesOf("said.wav", { gestures: [{ name: "moonwalk", atMs: 0 }] }))'),
    /no gesture/,
  );
  t.match(
    await run('problemOf(() => open("face.imx", { signal: AbortSignal.abort(new Error("no more")) }))'),
    /no more/,
  );
  const whileOpening = `problemOf(() => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error("no more")), 5);
    return open("face.imx", { signal: abort.signal });
  })`;
  t.match(await run(whileOpening), /no more/);
  const whileWaiting = `problemOf(() => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error("no more")), 50);
    return framesOf(new ReadableStream(), { signal: abort.signal });
  })`;
  t.match(await run(whileWaiting), /no more/);
  t.match(await run('problemOf(async () => avatar.render("said.wav").toFile("x.mp4"))'), /It is for Node/);
  t.match(await run('problemOf(() => avatar.speak("said.wav"))'), /show\(canvas\) first/);
}

async function speaks(t: Test, run: Run): Promise<void> {
  const pixels = `(() => {
    const { width, height } = canvas;
    return String(canvas.getContext("2d").getImageData(width * 0.3, height * 0.4, width * 0.4, height * 0.3).data);
  })()`;
  await run("globalThis.canvas = document.querySelector('canvas'); longTasks.length = 0; avatar.show(canvas)");
  t.match(await run("problemOf(() => avatar.show(canvas))"), /already/);
  const spoken = await run<{ tookMs: number; looks: number }>(`(async () => {
    const looks = new Set();
    const timer = setInterval(() => looks.add(${pixels}), 100);
    const startedMs = performance.now();
    await avatar.speak("said.wav");
    clearInterval(timer);
    return { tookMs: performance.now() - startedMs, looks: looks.size };
  })()`);
  t.ok(spoken.tookMs > 950 && spoken.tookMs < 6000, `one second was spoken in ${spoken.tookMs} ms`);
  t.ok(spoken.looks > 4, `${spoken.looks} looks`);
  const longest = await run<number>("Math.max(0, ...longTasks)");
  t.comment(`longest task of the page's thread: ${longest} ms`);
  const stopped = `problemOf(() => {
    const speaking = avatar.speak("said.wav");
    setTimeout(() => avatar.stop(), 300);
    return speaking;
  })`;
  t.match(await run(stopped), /AbortError/);
  const aborted = `problemOf(() => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error("no more")), 300);
    return avatar.speak({ samples: new Float32Array(48000 * 600), sampleRateHz: 48000 }, { signal: abort.signal });
  })`;
  t.match(await run(aborted), /no more/, "also while it is only read");
  t.equal(await run('avatar.gesture("nod")'), true);
  t.equal(await run('avatar.gesture("moonwalk")'), false);
  const track = `(async () => {
    const context = new AudioContext({ sampleRate: 48000 });
    const target = context.createMediaStreamDestination();
    const source = new OscillatorNode(context, { frequency: 180 });
    source.connect(target);
    source.start();
    const [track] = target.stream.getAudioTracks();
    let frames = 0;
    for await (const _ of avatar.render(track)) if (++frames === 10) break;
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error("enough")), 400);
    return [frames, await problemOf(() => avatar.speak(track, { signal: abort.signal }))];
  })()`;
  t.match(await run(track), [10, /enough/], "a track is followed while it is heard");
  t.match(
    await run(
      "(async () => { const speaking = problemOf(() => avatar.speak('said.wav')); await avatar.close(); return speaking; })()",
    ),
    /closed/,
  );
  t.match(await run('problemOf(() => framesOf("said.wav"))'), /closed/);
}

async function saysWhatThePolicyForbids(t: Test, run: Run, load: (policy: string) => Promise<void>): Promise<void> {
  await load(STRICT_POLICY.replace(" 'wasm-unsafe-eval'", ""));
  t.match(await run('problemOf(() => open("face.imx"))'), /unavailable.*wasm-unsafe-eval/);
  await load(STRICT_POLICY.replace("worker-src 'self'", "worker-src 'none'"));
  t.match(await run('problemOf(() => open("face.imx"))'), /unavailable.*worker/);
}
