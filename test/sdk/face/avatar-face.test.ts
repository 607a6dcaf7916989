// `<avatar-face>` in a real browser: any voice, and everything that can go wrong with it.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import t from "tap";
import { CHROMIUM_MISSING, findChromium } from "../../../lab/bench/with-chromium.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { writeWav } from "../../../src/signal/audio/wav.ts";
import { bakedFace } from "../../helpers/faces/baked-face.ts";
import { makeDataFolder } from "../../helpers/files/data-folder.ts";
import { axeViolations } from "../../helpers/pages/axe-violations.ts";
import { RECORD_FACE_ELEMENT } from "../../helpers/pages/face-element-sync.ts";
import { measureTabFace } from "../../helpers/pages/tab-face-sync.ts";
import { FACE_POLICY, withFacePages } from "../../helpers/pages/with-face-pages.ts";
import { speakSentences } from "../../helpers/speech/spoken.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const SCRIPT_LIMIT_BYTES = 68_000;
const FIRST_FACE_LIMIT_BYTES = 3_600_000;
/** What the budget allows for the avatar's own file. */
const BUNDLE_BYTES = 1_800_000;
const SENTENCES = [
  "Papa bought five open boxes. Oh, my mother always heard a far piano, and we saw a big brown owl go by.",
];
const FACE = `<avatar-face src="face.imx" name="Maya"></avatar-face>`;

/** Runs in each page: what a test asks of it. */
const INIT = `
  globalThis.events = [];
  globalThis.players = [];
  const { Audio } = globalThis;
  globalThis.Audio = class extends Audio { constructor() { super(); players.push(this); } };
  for (const type of ["ready", "error", "statechange"])
    document.addEventListener(type, ({ target, error }) => events.push({ type, state: target.state, code: error?.code, message: error?.message }), true);
  globalThis.face = () => document.querySelector("avatar-face");
  globalThis.part = (name) => face().shadowRoot.querySelector("." + name);
  globalThis.when = async (isTrue) => {
    for (let i = 0; !isTrue(); i++) {
      if (i > 1000) throw new Error("waited too long: " + isTrue + " " + JSON.stringify(events));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  globalThis.microphone = () => navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false } });
  /** The microphone as a call's answer: through a pair of peer connections. */
  globalThis.call = async () => {
    const [near, far] = [new RTCPeerConnection(), new RTCPeerConnection()];
    near.onicecandidate = ({ candidate }) => far.addIceCandidate(candidate);
    far.onicecandidate = ({ candidate }) => near.addIceCandidate(candidate);
    const arrived = new Promise((resolve) => { far.ontrack = ({ streams }) => resolve(streams[0]); });
    const stream = await microphone();
    near.addTrack(stream.getAudioTracks()[0], stream);
    await near.setLocalDescription(await near.createOffer());
    await far.setRemoteDescription(near.localDescription);
    await far.setLocalDescription(await far.createAnswer());
    await near.setRemoteDescription(far.localDescription);
    return { stream: await arrived, near, far };
  };
  /** The picture as it is now, small. */
  globalThis.picture = () => {
    const small = new OffscreenCanvas(64, 64).getContext("2d", { willReadFrequently: true });
    small.drawImage(part("moving"), 0, 0, 64, 64);
    return small.getImageData(0, 0, 64, 64).data.join();
  };
  /** Mean change of the picture between looks, over a time. */
  globalThis.motion = async (ms) => {
    const small = new OffscreenCanvas(32, 32).getContext("2d", { willReadFrequently: true });
    const untilMs = performance.now() + ms;
    let before, changes = 0;
    while (performance.now() < untilMs) {
      small.drawImage(part("moving"), 0, 0, 32, 32);
      const now = small.getImageData(0, 0, 32, 32).data.join();
      if (before !== undefined && now !== before) changes += 1;
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return changes;
  };
`;

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("a face for any audio in a page", { skip, timeout: 240_000 }, async (t) => {
  const folder = await makeDataFolder(t);
  const [spoken] = await speakSentences([SENTENCES.join(" ")], ["F1"]);
  const wav = writeWav(spoken);
  await writeFile(join(folder, "voice.wav"), wav);
  const imx = await writeImx(await bakedFace("drawing"));
  const files = {
    "face.imx": imx,
    "half.imx": imx.subarray(0, imx.length / 2),
    "voice.wav": wav,
    "text.imx": Buffer.from("no avatar"),
  };
  const flags = [
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    `--use-file-for-fake-audio-capture=${join(folder, "voice.wav")}`,
  ];
  await withFacePages({ files, flags }, async ({ open, folder: script, origin }) => {
    const openFace = async (options: Partial<Parameters<typeof open>[0]> = {}) => {
      const opened = await open({ body: FACE, initScript: INIT, ...options });
      return {
        ...opened,
        run: (code: string) => opened.page.evaluate(code),
        close: () => opened.page.context().close(),
      };
    };

    await t.test("its files are small", async (t) => {
      const sizes = await Promise.all(
        [
          "avatar-face.js",
          "face-worker.js",
          "voice-tap-worklet.js",
          "rig.wasm",
          "lip-sync.wasm",
          "resample.wasm",
          "lip-sync.8bit.bin",
        ].map(async (name) => brotliCompressSync(await readFile(join(script, name))).length),
      );
      const scripts = sizes[0] + sizes[1] + sizes[2];
      t.ok(scripts <= SCRIPT_LIMIT_BYTES, `script: ${scripts} bytes`);
      const all = sizes.reduce((sum, size) => sum + size, 0) + BUNDLE_BYTES;
      t.ok(all <= FIRST_FACE_LIMIT_BYTES, `first face: ${all} bytes`);
    });

    await t.test("without a tap it moves, offers audio, and says that it is generated", async (t) => {
      // A page that listens to a microphone may play audio, so this voice comes from elsewhere.
      const body = `${FACE}<audio src="voice.wav" muted loop></audio>`;
      const { page, problems, run, close } = await openFace({ body });
      // What Playwright evaluates counts as a tap.
      const devtools = await page.context().newCDPSession(page);
      const runUntapped = async (expression: string) => {
        const options = { expression, awaitPromise: true, returnByValue: true };
        return (await devtools.send("Runtime.evaluate", options)).result.value;
      };
      await runUntapped(`when(() => globalThis.face?.()?.state === "idle")`);
      await waitFor(async () => Number(await runUntapped("motion(1000)")) > 3, "idle motion");
      await runUntapped(`globalThis.audio = document.querySelector("audio"); face().srcObject = audio.captureStream()`);
      await runUntapped(`when(() => !part("sound").hidden)`);
      t.equal(await runUntapped("navigator.userActivation.hasBeenActive"), false);
      await page.getByRole("button", { name: "Tap to hear" }).waitFor();
      t.ok(await page.getByText("AI-generated face").isVisible());
      t.ok(await page.getByRole("img", { name: "Talking face of Maya" }).isVisible());
      t.same(await axeViolations(page), []);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await run("audio.play()");
      await run(`when(() => face().state === "speaking")`);
      t.notOk(await page.getByRole("button", { name: "Tap to hear" }).isVisible());
      t.equal(await run("players[0].muted"), true, "it is heard through the audio context, with its frames");
      t.same(await axeViolations(page), []);
      t.same(problems, [], "nothing inline, nothing from elsewhere");
      await close();
    });

    await t.test("frames and audio come together", async (t) => {
      const { page, run, close } = await openFace({ initScript: INIT + RECORD_FACE_ELEMENT });
      await run(`when(() => face().state === "idle")`);
      await page.mouse.click(5, 5);
      await run(`call().then(({ stream }) => { face().srcObject = stream; startRecordingFace(part("moving")); })`);
      await page.waitForTimeout(9000);
      const { fps, offsetsMs } = await measureTabFace(page);
      t.comment(`${fps.toFixed(1)} fps, offsets ${offsetsMs.join(" ")} ms`);
      t.ok(fps > 5, "frames come, on a busy machine fewer than 25 a second");
      t.ok(
        offsetsMs.every((offset) => offset >= -125 && offset <= 60),
        "the mouth moves with the voice",
      );
      await close();
    });

    await t.test("out of sight nothing is rendered and the voice is not delayed", async () => {
      const { page, run, close } = await openFace({ body: `${FACE}<p style="">.</p>`.replace(' style=""', "") });
      await run(`when(() => face().state === "idle")`);
      await page.mouse.click(5, 5);
      await run(`call().then(({ stream }) => { face().srcObject = stream; })`);
      await run(`when(() => face().state === "speaking")`);
      await page.setViewportSize({ width: 390, height: 40 });
      await run(`face().setAttribute("hidden", "")`);
      await run(`when(() => !players[0].muted)`);
      // A frame that was on its way may still be shown.
      await waitFor(async () => (await run("motion(600)")) === 0, "it stands still");
      await run(`face().removeAttribute("hidden")`);
      await page.setViewportSize({ width: 390, height: 700 });
      await run(`when(() => players[0].muted && face().state === "speaking")`);
      await close();
    });

    await t.test("removed in mid-sentence, the voice plays on, and the worker ends", async (t) => {
      const { page, run, close } = await openFace();
      await run(`when(() => face().state === "idle")`);
      await page.mouse.click(5, 5);
      await run(`call().then(({ stream }) => { face().srcObject = stream; })`);
      await run(`when(() => face().state === "speaking")`);
      t.equal(page.workers().length, 1);
      await run(`globalThis.removed = face(); removed.remove(); when(() => !players[0].muted && !players[0].paused)`);
      await page.waitForTimeout(100);
      t.equal(page.workers().length, 0);
      await run(
        `document.querySelector("main").append(removed); when(() => face().state === "speaking" && players[0].muted)`,
      );
      await run(`face().srcObject = null; when(() => face().state === "idle")`);
      t.equal(await run("players[0].srcObject"), null, "nothing of the voice is left");
      await close();
    });

    await t.test("a track that is muted, ends, or gives way to another", async (t) => {
      const { page, run, close } = await openFace();
      await run(`when(() => face().state === "idle")`);
      await page.mouse.click(5, 5);
      await run(`call().then((made) => { globalThis.made = made; face().srcObject = made.stream; })`);
      await run(`when(() => face().state === "speaking")`);
      await run(`made.near.getSenders()[0].track.enabled = false; when(() => face().state === "idle")`);
      await run(`made.near.getSenders()[0].track.enabled = true; when(() => face().state === "speaking")`);
      await run(`microphone().then((other) => made.near.getSenders()[0].replaceTrack(other.getAudioTracks()[0]))`);
      await run(`when(() => face().state === "speaking")`);
      await run(`made.stream.getAudioTracks()[0].stop(); when(() => face().state === "idle")`);
      await run(`microphone().then((stream) => { face().muted = true; face().srcObject = stream; })`);
      await run(`when(() => face().state === "speaking")`);
      t.same(
        await run("players.map(({ muted, paused }) => muted || paused)"),
        [true, true],
        "a muted face is not heard",
      );
      t.same(await run(`events.filter(({ type }) => type === "error")`), []);
      await close();
    });

    await t.test("a microphone goes to the face that listens while it shows, until its track ends", async (t) => {
      const { page, run, close } = await openFace();
      await run(`{
        globalThis.orders = [];
        const { postMessage } = Worker.prototype;
        Worker.prototype.postMessage = function (order, ...rest) {
          if (/^hear/.test(order?.type)) orders.push(order.type);
          return postMessage.call(this, order, ...rest);
        };
      }`);
      await run(`when(() => face().state === "idle")`);
      await page.mouse.click(5, 5);
      await run("microphone().then((stream) => { globalThis.heard = stream; face().microphone = stream; })");
      await run("when(() => orders.length === 1)");
      await waitFor(async () => Number(await run("motion(800)")) > 3, "it moves on");
      t.equal(await run("face().state"), "idle", "it does not say what it hears");
      t.equal(await run("players.length"), 0, "and it plays nothing");
      await run(`face().style.display = "none"; when(() => orders.length === 2)`);
      await run(`face().style.display = ""; when(() => orders.length === 3)`);
      // A page that ends a track by itself gets no event.
      await run(`heard.getAudioTracks()[0].stop(); heard.getAudioTracks()[0].dispatchEvent(new Event("ended"))`);
      await run("when(() => orders.length === 4)");
      t.same(await run("orders"), ["hear", "hear-nothing", "hear", "hear-nothing"]);
      await run("microphone().then((stream) => { face().microphone = stream; })");
      await run("when(() => orders.length === 5)");
      await run("face().microphone = null; when(() => orders.length === 6)");
      t.same(await run("orders.slice(4)"), ["hear", "hear-nothing"]);
      t.equal(await run(`try { face().microphone = "mine" } catch (error) { error.name }`), "TypeError");
      t.same(await run(`events.filter(({ type }) => type === "error")`), []);
      await close();
    });

    await t.test("a tap on the controls of an audio element is enough", async () => {
      const { page, run, close } = await openFace({ body: `${FACE}<audio src="voice.wav" controls></audio>` });
      await run(`globalThis.audio = document.querySelector("audio"); face().source = audio; audio.loop = true;`);
      await run(`when(() => face().state === "idle")`);
      await page.locator("audio").click({ position: { x: 20, y: 27 } });
      await run(`when(() => face().state === "speaking")`);
      await close();
    });

    await t.test("an audio element stays in charge of what plays", async (t) => {
      const body = `${FACE}<audio src="voice.wav" controls></audio>`;
      const { page, run, close } = await openFace({ body });
      await run(`when(() => face().state === "idle")`);
      await run(`globalThis.audio = document.querySelector("audio"); face().source = audio;`);
      await page.mouse.click(5, 5);
      await run(`audio.play().then(() => when(() => face().state === "speaking"))`);
      await run(`audio.pause(); when(() => face().state === "idle")`);
      await run(`audio.play(); when(() => face().state === "speaking")`);
      await run(`face().remove(); audio.currentTime = 0; when(() => audio.currentTime > 0.3)`);
      await close();
      const elsewhere = await openFace({
        body: `${FACE}<audio src="${origin.replace("127.0.0.1", "localhost")}/voice.wav"></audio>`,
        policy: `${FACE_POLICY} http://localhost:*`,
      });
      await elsewhere.page.mouse.click(5, 5);
      await elsewhere.run(`globalThis.audio = document.querySelector("audio"); face().source = audio; audio.play()`);
      await elsewhere.run(`when(() => events.some(({ type }) => type === "error"))`);
      t.match(await elsewhere.run("face().error.message"), /crossorigin/);
      await elsewhere.run("when(() => audio.currentTime > 0.3)");
      await elsewhere.close();
    });

    await t.test("what goes wrong is said once, in words", async (t) => {
      const noSimd = { file: "face-worker.js", script: "WebAssembly.validate = () => false;" };
      const wrong: [string, Partial<Parameters<typeof open>[0]>, string, RegExp][] = [
        [
          "WebAssembly is forbidden",
          { policy: FACE_POLICY.replace(" 'wasm-unsafe-eval'", "") },
          "blocked",
          /wasm-unsafe-eval/,
        ],
        [
          "workers are forbidden",
          { policy: FACE_POLICY.replace("worker-src 'self'", "worker-src 'none'") },
          "blocked",
          /worker-src/,
        ],
        ["no SIMD", { before: noSimd }, "unsupported", /SIMD/],
        ["half a file", { body: FACE.replace("face.imx", "half.imx") }, "bundle-invalid", /./],
        ["no avatar", { body: FACE.replace("face.imx", "text.imx") }, "bundle-invalid", /./],
        ["no file", { body: FACE.replace("face.imx", "none.imx") }, "not-loaded", /none\.imx.*404/],
      ];
      for (const [name, options, code, message] of wrong) {
        const { page, run, close } = await openFace(options);
        await run(`when(() => face().state === "failed")`);
        await page.waitForTimeout(100);
        const errors = (await run(`events.filter(({ type }) => type === "error")`)) as {
          code: string;
          message: string;
        }[];
        t.equal(errors.length, 1, `${name}: one error`);
        t.equal(errors[0]?.code, code);
        t.match(errors[0]?.message, message);
        t.ok(await page.getByRole("status").getByText(errors[0].message).isVisible());
        t.equal(page.workers().length, 0);
        await run(`face().src = "face.imx"`);
        await close();
      }
    });

    await t.test("another src while one loads, and two faces on a page", async (t) => {
      const { page, run, close } = await openFace({
        delays: { "half.imx": 300 },
        body: FACE.replace("face.imx", "half.imx"),
      });
      await run(`face().src = "face.imx"; when(() => face().state === "idle")`);
      await page.waitForTimeout(400);
      t.same(await run(`events.filter(({ type }) => type !== "statechange").map(({ type }) => type)`), ["ready"]);
      t.equal(page.workers().length, 1);
      await run(
        `globalThis.second = document.createElement("avatar-face"); second.src = "face.imx"; face().after(second)`,
      );
      await run(`when(() => second.state === "idle")`);
      await page.mouse.click(5, 5);
      await run(`call().then(({ stream }) => { second.srcObject = stream; second.scrollIntoView(); })`);
      await run(`when(() => second.state === "speaking")`);
      t.equal(await run("face().state"), "idle", "the other one does not speak");
      await close();
    });

    await t.test("with reduced motion it moves only while it speaks", async (t) => {
      const { page, run, close } = await openFace({ reducedMotion: "reduce" });
      await run(`when(() => face().state === "idle")`);
      t.ok(((await run("motion(800)")) as number) <= 1, "it rests");
      const picture = () => run("picture()");
      const neutral = await picture();
      await run(`face().setAttribute("emotion", "joyful")`);
      t.equal(await picture(), neutral, "an expression that there is not");
      await run(`face().emotion = "happy"`);
      await waitFor(async () => (await picture()) !== neutral, "a smile");
      await run(`face().emotion = ""`);
      await waitFor(async () => (await picture()) === neutral, "the face as it was");
      t.match(
        await run(`(() => { try { face().emotion = "joyful"; } catch (error) { return error.message; } })()`),
        /happy, sad/,
      );
      await page.mouse.click(5, 5);
      await run(`call().then(({ stream }) => { face().srcObject = stream; })`);
      await run(`when(() => face().state === "speaking")`);
      await waitFor(async () => Number(await run("motion(800)")) > 3, "moving lips");
      await run(`face().srcObject = null; face().manner = "natural"`);
      await run(`when(() => face().state === "idle")`);
      await waitFor(async () => Number(await run("motion(800)")) > 3, "a face that the page wants to move");
      await page.emulateMedia({ reducedMotion: "no-preference" });
      await run(`face().removeAttribute("manner")`);
      await page.emulateMedia({ reducedMotion: "reduce" });
      await run(`when(() => face().state === "idle")`);
      await waitFor(async () => Number(await run("motion(800)")) <= 1, "a face that rests when the preference changes");
      await close();
    });
  });
});
