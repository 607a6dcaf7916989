// POST /v1/tts with the real voices, in processes of the api.
import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import t from "tap";
import { readWav } from "../../../src/signal/audio/wav.ts";
import { LANGUAGE_CODES } from "../../../src/speech/languages/languages.ts";
import { hasNeuralFiles } from "../../../src/speech/voice/neural/network-graphs.ts";
import { type TestApi, withIdleApi } from "../../helpers/service/with-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const TTS = "/v1/tts";
const RATE_HZ = 44_100;
const SAILS = "It sails at three.";
const BOTH = `My big boat is blue. ${SAILS}`;
const skip = hasNeuralFiles() ? false : "the files of the neural voice are not installed";

interface Spoken {
  status: number;
  type: string | null;
  bytes: Buffer;
}

/** One account of an api, and its requests for speech. */
async function speaker({ addAccount, baseUrl, call }: TestApi) {
  const { secret } = await addAccount();
  const headers = { "api-secret": secret, "content-type": "application/json" };
  const open = (body: object, signal?: AbortSignal) =>
    fetch(baseUrl + TTS, { method: "POST", headers, body: JSON.stringify(body), signal });
  return {
    open,
    post: (body: unknown) => call("POST", TTS, { secret, headers, body }),
    async speak(body: object): Promise<Spoken> {
      const answer = await open(body);
      const bytes = Buffer.from(await answer.arrayBuffer());
      return { status: answer.status, type: answer.headers.get("content-type"), bytes };
    },
    /** A figure of `/metrics`. */
    async metric(name: string): Promise<number> {
      const { body } = await call("GET", "/metrics");
      const line = body.split("\n").find((line: string) => line.startsWith(`${name} `));
      return Number(line?.split(" ").at(-1));
    },
  };
}

/** Length of one beside the other, at least 1. The formant voice says the same text a little differently each time. */
const ratio = ({ bytes: { length } }: Spoken, { bytes: other }: Spoken) =>
  Math.max(length, other.length) / Math.min(length, other.length);
const secondsOf = ({ bytes }: Spoken) => readWav(bytes).samples.length / RATE_HZ;

t.test("English is spoken by the neural voice, whole or sentence by sentence", { skip, timeout: 120_000 }, (t) =>
  withIdleApi(async (api) => {
    const { speak, open, metric } = await speaker(api);
    const wav = await speak({ text: SAILS, voice: "F1", total_steps: 5 });
    t.match(wav, { status: 200, type: "audio/wav" });
    const { sampleRateHz, samples } = readWav(wav.bytes);
    t.equal(sampleRateHz, RATE_HZ);
    t.equal(wav.bytes.readUInt32LE(40), wav.bytes.length - 44, "the header tells the length");
    t.ok(samples.some((sample) => Math.abs(sample) > 3_000));

    const framed = await speak({ text: BOTH, voice: "F1", stream: true });
    t.match(framed, { status: 200, type: "audio/pcm; rate=44100; framing=len32be" });
    const frames = framesOf(framed.bytes);
    t.equal(frames.length, 3, "two sentences and the end");
    t.equal(frames[2].length, 0);
    t.ok(frames[1].equals(wav.bytes.subarray(44)), "a sentence has the same samples in both");

    const tagged = await speak({ text: `[sad:0.4] ${SAILS}`, voice: "F1" });
    t.ok(tagged.bytes.equals(wav.bytes), "the tag of an expression is not spoken");

    const short = framesOf((await speak({ text: "Hello. World. Yes!", voice: "F1", stream: true })).bytes);
    t.equal(short.length, 4, "short sentences are not joined");
    const long = `We went along the river, ${"past the mill and the old bridge, ".repeat(6)}and came home.`;
    const whole = framesOf((await speak({ text: `${long} ${SAILS}`, voice: "F1", stream: true })).bytes);
    t.equal(whole.length, 3, "nor is a long one cut");

    const [child] = processesOf("neural-process");
    t.equal(getPriority(child), 10, "behind live sessions and their voice");
    t.equal(processesOf("neural-process").length, 1, "one process for all requests");

    const controller = new AbortController();
    const leaving = await open(
      { text: `${BOTH} ${"And so it goes on and on. ".repeat(60)}`, stream: true },
      controller.signal,
    );
    await leaving.body?.getReader().read();
    t.equal(await metric("avatar_speeches"), 1);
    controller.abort();
    await waitFor(async () => (await metric("avatar_speeches")) === 0, "the voice to stop");
    t.equal(await metric('avatar_speeches_total{result="abandoned"}'), 1);

    const broken = await open({ text: BOTH.repeat(9), format: "pcm_s16le" });
    t.match([broken.status, broken.headers.get("content-type")], [200, "audio/pcm; rate=44100"]);
    process.kill(child, "SIGKILL");
    await t.rejects(broken.arrayBuffer(), "an answer breaks off when its voice has died");
    t.equal(await metric('avatar_speeches_total{result="failed"}'), 1);
    t.equal((await speak({ text: "It sails away.", voice: "M2" })).status, 200, "the next one has a fresh process");
    t.equal(await metric('avatar_speeches_total{result="completed"}'), 6);
  }),
);

t.test("other languages, tempo and markup; too many texts at a time are refused", { timeout: 60_000 }, (t) =>
  withIdleApi(
    async (api) => {
      const { speak, open, post, metric } = await speaker(api);
      for (const [language, text] of Object.entries({ de: "Ja. Nein. Gut!", pl: "Tak. Nie. No!" })) {
        const { bytes } = await speak({ text, language, stream: true });
        t.equal(framesOf(bytes).length, 4, `a frame for each sentence: ${language}`);
      }
      for (const language of ["de", "pt-BR", "ZH"]) {
        const { status, bytes } = await speak({ text: "Hallo. 12 – 你好", language, voice: "F2" });
        t.equal(status, 200, language);
        t.ok(bytes.length > 0.3 * RATE_HZ * 2);
      }
      const text = "We shall see what the morning brings us.";
      const plain = await speak({ text });
      const same = await speak({ text, speed: 1.05, voice: "M1", language: "en", format: "wav" });
      t.ok(ratio(same, plain) < 1.03, "the defaults");
      t.ok(secondsOf(await speak({ text, speed: 2 })) < 0.65 * secondsOf(plain));
      t.ok(secondsOf(await speak({ text, speed: 0.7 })) > 1.3 * secondsOf(plain));
      t.not((await speak({ text, voice: "F4" })).bytes.length, plain.bytes.length, "another voice");
      const marked = `<speak>**We** shall see what <break time="9s"/>the\u0007 morning\u200b brings us.</speak>`;
      t.ok(ratio(await speak({ text: marked }), plain) < 1.25, "only the words are spoken");
      const raw = await speak({ text, format: "pcm_s16le" });
      t.match(raw, { status: 200, type: "audio/pcm; rate=44100" });
      t.not(raw.bytes.toString("latin1", 0, 4), "RIFF");
      t.ok(ratio(raw, plain) < 1.03);

      // These are not read, so they wait.
      const long = "A long story has no end, as you all know. ".repeat(110);
      const waiting = new AbortController();
      const answers = await Promise.all([1, 2, 3, 4].map(() => open({ text: long, stream: true }, waiting.signal)));
      t.same(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      const refused = await post({ text });
      t.match(refused, { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE" } } });
      t.match(refused.headers.get("retry-after"), /^[1-9]/);
      t.equal(await metric('avatar_speeches_total{result="busy"}'), 1);
      const other = await speaker(api);
      t.equal((await other.speak({ text })).status, 200, "another account is served");
      waiting.abort();
      await waitFor(async () => (await metric("avatar_speeches")) === 0, "the voice to stop");
      t.equal((await speak({ text })).status, 200);
    },
    { environment: { AVATAR_VOICE: "formant" } },
  ),
);

t.test("a text that cannot be spoken is refused with the reason", (t) =>
  withIdleApi(
    async (api) => {
      const { post, speak } = await speaker(api);
      const text = "Hello.";
      const refusals: [string, unknown, number, string, RegExp?][] = [
        ["no text", {}, 400, "MISSING_PARAM", /text/],
        ["an empty text", { text: "" }, 400, "VALIDATION_ERROR", /no words/],
        ["white space", { text: " \n\t\u3000" }, 400, "VALIDATION_ERROR", /no words/],
        ["markup alone", { text: "<speak><break/></speak> *** ```" }, 400, "VALIDATION_ERROR", /no words/],
        ["control characters alone", { text: "\u0007\u001b\u202e" }, 400, "VALIDATION_ERROR", /no words/],
        ["a NUL character", { text: "a\u0000b" }, 400, "VALIDATION_ERROR", /NUL/],
        ["a number", { text: 7 }, 400, "VALIDATION_ERROR", /text/],
        ["5,001 characters", { text: "🐋".repeat(5_001) }, 400, "VALIDATION_ERROR", /5000/],
        ["5,000 digits", { text: "7".repeat(5_000) }, 400, "VALIDATION_ERROR", /quarter of an hour/],
        ["1 MB of one word", { text: "a".repeat(1_000_000) }, 400, "VALIDATION_ERROR", /5000/],
        ["10 MB of one word", { text: "a".repeat(10_000_000) }, 413, "FILE_TOO_LARGE"],
        ["an unknown voice", { text, voice: "X9" }, 400, "VALIDATION_ERROR", /X9.*M1.*F5/],
        ["an unknown language", { text, language: "tlh" }, 400, "VALIDATION_ERROR", /tlh.*en, es.*zh/],
        ["another format", { text, format: "mp3" }, 400, "VALIDATION_ERROR", /format/],
        ["a slow speed", { text, speed: 0.69 }, 400, "VALIDATION_ERROR", /speed/],
        ["a fast speed", { text, speed: 2.01 }, 400, "VALIDATION_ERROR", /speed/],
        ["no steps", { text, total_steps: 0 }, 400, "VALIDATION_ERROR", /total_steps/],
        ["too many steps", { text, total_steps: 101 }, 400, "VALIDATION_ERROR", /total_steps/],
        ["a stream in words", { text, stream: "yes" }, 400, "VALIDATION_ERROR", /stream/],
      ];
      for (const [title, body, status, code, message = /\S/] of refusals) {
        t.match(await post(body), { status, body: { error: { code, message } } }, title);
      }
      t.match(await api.call("POST", TTS, { body: { text } }), { status: 401 });
      const word = await speak({ text: "supercalifragilistic".repeat(40), stream: true, speed: 2 });
      t.equal(word.status, 200, "one word of 800 letters");
      t.equal(framesOf(word.bytes).at(-1)?.length, 0);
      t.equal(LANGUAGE_CODES.length, 31);
    },
    { environment: { AVATAR_VOICE: "formant" } },
  ),
);

/** Splits a length-prefixed stream. */
function framesOf(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    frames.push(bytes.subarray(at + 4, at + 4 + size));
    at += 4 + size;
  }
  return frames;
}

/** Process ids of the children of this process that run a program. */
function processesOf(name: string): number[] {
  const children = readdirSync("/proc/self/task").flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(name));
}
