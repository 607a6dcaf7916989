// The realtime page in a real browser in front of the whole service: a voice goes in over WebRTC, is answered by speech
// recognition, language model and voice of the service itself, and a face that the tab renders says the answer.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { speakTexts } from "../../cli/conversation/person-voice.ts";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { axeViolations } from "../../lab/page-sheet/axe-violations.ts";
import { joinSamples } from "../../src/signal/audio/join-samples.ts";
import { writeWav } from "../../src/signal/audio/wav.ts";
import { withChatServer } from "../helpers/servers/with-chat-server.ts";
import { withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

const ARTIFACTS = join(import.meta.dirname, "..", "..", "test", ".artifacts");
const RATE_HZ = 16_000;
/** The recording begins when the microphone opens; the call needs a moment. */
const LEAD_S = 4;
const ANSWER = "Paris is the capital of France.";

/** In the page: keeps the loudest sample that goes to the loudspeaker, 0 to 1, in `window.loudest`. */
const HEAR = `{
  const connect = AudioNode.prototype.connect;
  const ears = new WeakMap();
  window.loudest = 0;
  AudioNode.prototype.connect = function (target, ...rest) {
    const { context } = this;
    if (target === context.destination) {
      if (!ears.has(context)) {
        const ear = new AnalyserNode(context);
        const samples = new Float32Array(ear.fftSize);
        ears.set(context, ear);
        setInterval(() => {
          ear.getFloatTimeDomainData(samples);
          for (const sample of samples) window.loudest = Math.max(window.loudest, Math.abs(sample));
        }, 30);
      }
      connect.call(this, ears.get(context));
    }
    return connect.call(this, target, ...rest);
  };
}`;

/** In the page: whether the lower middle of the face, where its mouth is, has changed since the last call. */
const MOUTH = `(() => {
  const face = document.querySelector("canvas.stage-face");
  const sketch = new OffscreenCanvas(32, 32).getContext("2d");
  sketch.drawImage(face, face.width * 0.35, face.height * 0.4, face.width * 0.3, face.height * 0.25, 0, 0, 32, 32);
  const { data } = sketch.getImageData(0, 0, 32, 32);
  const before = window.mouth ?? data;
  window.mouth = data;
  return data.reduce((sum, value, index) => sum + Math.abs(value - before[index]), 0) / data.length;
})()`;

/** In the page: the person answers the browser's question when `allowMicrophone` is called. It resolves once the page
 *  has the microphone. */
const LATE_MICROPHONE = `{
  const devices = navigator.mediaDevices;
  const open = devices.getUserMedia.bind(devices);
  globalThis.microphones = [];
  devices.getUserMedia = (wanted) =>
    new Promise((resolve) => {
      globalThis.allowMicrophone = async () => {
        const stream = await open(wanted);
        microphones.push(...stream.getTracks());
        resolve(stream);
      };
    });
}`;

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("a visitor talks with the service's own realtime model on its page", { skip, timeout: 240_000 }, async (t) => {
  await mkdir(ARTIFACTS, { recursive: true });
  const recording = join(ARTIFACTS, "realtime-question.wav");
  const [question] = await speakTexts(["What is the capital of France?"]);
  const silence = (seconds: number) => new Int16Array(seconds * RATE_HZ);
  const samples = joinSamples([silence(LEAD_S), question, silence(60)]);
  await writeFile(recording, writeWav({ samples, sampleRateHz: RATE_HZ }));
  const chunks = (ANSWER.match(/\S+\s*/g) ?? []).map((content) => ({ choices: [{ index: 0, delta: { content } }] }));
  const body = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((line) => `data: ${line}\n\n`).join("");
  const reply = () => ({ headers: { "content-type": "text/event-stream" }, body });
  const flags = [
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    `--use-file-for-fake-audio-capture=${recording}%noloop`,
  ];
  await withChatServer(reply, (model) =>
    withStack(
      (stack) =>
        withChromium(async (browser) => {
          const page = await browser.newPage({ viewport: { width: 1000, height: 900 } });
          const problems: string[] = [];
          page.on("pageerror", (error) => problems.push(error.message));
          page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
          await page.addInitScript(HEAR);
          await page.goto(`${stack.baseUrl.replace("127.0.0.1", "localhost")}/realtime`);

          await t.test(
            "no secret is needed on the machine of the service, and a face moves before a call",
            async (t) => {
              await page.locator("#talk").waitFor();
              t.notOk(await page.locator("#access").isVisible());
              await page.locator(".stage[data-face=alive]").waitFor({ timeout: 90_000 });
              t.not(await page.locator(".stage-name").textContent(), "");
              t.ok((await page.locator("#face option").count()) >= 6, "of six faces one can be chosen");
              t.match(await page.locator("#model").textContent(), /service-realtime.*Other/s);
              t.match(await page.locator("#code").textContent(), /v1\/realtime\?model=service-realtime/);
              t.same(await axeViolations(page), []);
            },
          );

          await t.test("what is said is written and answered, and the answer is heard", async (t) => {
            await page.locator("#talk").click();
            await page.locator("#hang-up").waitFor();
            const lines = () => page.locator("#lines .line").allTextContents();
            await waitFor(async () => (await lines()).includes(ANSWER), "the answer is written", 60_000);
            const [said, answer] = await lines();
            t.match(said, /capital of France/i);
            t.equal(answer, ANSWER);
            t.ok(await page.locator("#model").isDisabled(), "what cannot be changed now looks so");
            t.same(await axeViolations(page), []);
            await page.evaluate(`window.loudest = 0; ${MOUTH}`);
            await page.locator("#text").fill("And again, please?");
            await page.locator("#send").click();
            await waitFor(
              async () => (await lines()).filter((line) => line === ANSWER).length === 2,
              "a second answer",
            );
            await waitFor(async () => ((await page.evaluate("window.loudest")) as number) > 0.02, "it is heard");
            await waitFor(async () => ((await page.evaluate(MOUTH)) as number) > 1, "its mouth moves");
            t.equal(model.requests.at(-1)?.body.messages.at(-1).content, "And again, please?");
          });

          await t.test("each turn is a bar, and its parts are named", async (t) => {
            const turns = () => page.locator("#turns li p").allTextContents();
            const [spoken, typed] = await waitFor(async () => {
              const texts = await turns();
              return texts.length === 2 && texts.every((text) => text.includes("spoke")) && texts;
            }, "two turns");
            t.match(spoken, /^heard [\d.]+ m?s · thought [\d.]+ m?s · spoke [\d.]+ m?s/);
            t.match(typed, /^thought [\d.]+ m?s · spoke/, "what is typed is not heard");
          });

          await t.test("its events are listed, and the call ends with a hangup, billed to the second", async (t) => {
            const types = await page
              .locator("#list [data-type]")
              .evaluateAll((rows) => rows.map((row) => (row as unknown as { dataset: { type: string } }).dataset.type));
            for (const type of ["session.created", "input_audio_buffer.speech_started", "response.done"]) {
              t.ok(types.includes(type), type);
            }
            t.notOk(
              types.some((type) => type.endsWith("audio.delta")),
              "audio is no event",
            );
            t.equal(types[0], "session.created", "the oldest comes first");
            const eventRow = (type: string) => page.locator(`#list [data-type="${type}"]`).first();
            t.notOk(await eventRow("session.created").isVisible(), "bookkeeping is not shown");
            t.ok(await eventRow("response.done").isVisible());
            await page.getByRole("button", { name: /Bookkeeping \d+/ }).click();
            t.ok(await eventRow("session.created").isVisible(), "until it is switched on");
            await page.getByRole("button", { name: "Python" }).click();
            t.match(
              await page.locator("#code").textContent(),
              /And again, please\?/,
              "the code sends what the page sent",
            );
            t.same(await axeViolations(page), []);
            for (const width of [320, 1000]) {
              await page.setViewportSize({ width, height: 900 });
              const [needed, given] = (await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")) as [
                number,
                number,
              ];
              t.ok(needed <= given, `${needed} px in ${given}`);
            }
            await page.screenshot({ path: join(ARTIFACTS, "realtime-page.png") });
            const hasCost = async () => /0:0[7-9]|[1-9]\d$/.test((await page.locator("#status").textContent()) ?? "");
            await waitFor(hasCost, "seven seconds to pass, which cost a credit");
            await page.locator("#hang-up").click();
            await page.locator("#talk").waitFor();
            t.match(await page.locator("#status").textContent(), /over/);
            t.ok(await page.locator(".stage[data-face=alive]").isVisible(), "the face stays");
            const usage = async () => {
              const response = await fetch(`${stack.baseUrl}/v1/usage`, { headers: { "api-secret": stack.apiSecret } });
              const { data } = (await response.json()) as { data: { pricing_code: string; credits_change: number }[] };
              return data.find((row) => row.pricing_code === "usage_realtime_call");
            };
            const row = await waitFor(usage, "the call is billed");
            t.ok(row.credits_change >= 1 && row.credits_change <= 12, `${row.credits_change} credits`);
            t.same(problems, []);
          });

          await t.test("a microphone that is allowed after the call was hung up is not opened", async (t) => {
            await page.evaluate(LATE_MICROPHONE);
            await page.locator("#talk").click();
            await page.locator("#hang-up").click();
            await page.locator("#talk").waitFor();
            await page.evaluate("allowMicrophone()");
            await waitFor(() => page.evaluate("microphones.every((track) => track.readyState === 'ended')"), "its end");
            t.equal(await page.locator("#wrong").textContent(), "");
            t.same(problems, []);
          });

          await t.test("without a microphone the call goes on with what is typed", async (t) => {
            await page.evaluate(
              "navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotAllowedError'))",
            );
            await page.locator("#talk").click();
            await page.locator("#wrong", { hasText: "not allowed" }).waitFor();
            await page.locator("#text").fill("Hello?");
            await page.locator("#send").click();
            await page.locator(".line[data-speaker=model]", { hasText: ANSWER }).waitFor();
            t.same(await axeViolations(page), []);
            await page.locator("#hang-up").click();
            await page.locator("#talk").waitFor();
          });

          await t.test("without a connection it says so, and can be tried again", async (t) => {
            await page.context().setOffline(true);
            await page.locator("#talk").click();
            await page.locator("#wrong", { hasText: "cannot be reached" }).waitFor();
            t.ok(await page.locator("#talk").isVisible());
            t.same(await axeViolations(page), []);
            await page.context().setOffline(false);
            await page.locator("#talk").click();
            await page.locator("#hang-up").waitFor();
            await page.locator("#hang-up").click();
          });
        }, flags),
      { OPENAI_BASE_URL: model.baseUrl, OPENAI_MODEL: "test" },
    ),
  );
});
