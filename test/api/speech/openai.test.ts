// POST /v1/audio/speech with OpenAI's own client, and the formant voice, which costs little.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import OpenAI from "openai";
import t from "tap";
import { readWav } from "../../../src/signal/audio/wav.ts";
import { decodeAudio } from "../../../src/signal/media/decode-audio.ts";
import { designedVoiceCode } from "../../../src/speech/voice/shaping/designed-voice.ts";
import { NEUTRAL_AXES } from "../../../src/speech/voice/shaping/voice-axes.ts";
import { withIdleApi } from "../../helpers/service/with-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const INPUT = "Shall we begin with the whales?";
const MODEL = "tts-1";
/** Frames of encoders are padded, and the voice says the same a little differently each time. */
const MOST_SECONDS_OFF = 0.25;
const TYPES = { mp3: "audio/mpeg", opus: "audio/ogg; codecs=opus", aac: "audio/aac", flac: "audio/flac" } as const;

await t.test("speech for OpenAI's clients", { timeout: 90_000 }, (t) =>
  withIdleApi(
    async (api) => {
      const { secret } = await api.addAccount();
      const client = new OpenAI({ baseURL: `${api.baseUrl}/v1`, apiKey: secret, maxRetries: 0 });
      const create = (options: object) =>
        client.audio.speech.create({ model: MODEL, voice: "F1", input: INPUT, ...options });
      const post = (body: object) => api.call("POST", "/v1/audio/speech", { secret, body });
      const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());
      const plain = await create({});
      const { samples, sampleRateHz } = readWav(await bytesOf(plain));
      const seconds = samples.length / sampleRateHz;

      await t.test("WAV is the default; each format holds the speech", async (t) => {
        t.equal(plain.headers.get("content-type"), "audio/wav");
        t.equal(sampleRateHz, 44_100);
        t.ok(seconds > 1);
        const pcm = await create({ response_format: "pcm" });
        t.ok(Math.abs((await bytesOf(pcm)).length / 2 / 24_000 - seconds) < MOST_SECONDS_OFF, "24 kHz");
        for (const [format, type] of Object.entries(TYPES)) {
          const answer = await create({ response_format: format });
          t.equal(answer.headers.get("content-type"), type);
          const path = join(t.testdir(), `speech.${format}`);
          await writeFile(path, await bytesOf(answer));
          const decoded = await decodeAudio(path);
          t.ok(Math.abs(decoded.samples.length / decoded.sampleRateHz - seconds) < MOST_SECONDS_OFF, format);
          t.ok(decoded.samples.some((sample) => Math.abs(sample) > 3_000));
        }
      });

      await t.test("voices by object and code, and tempo", async (t) => {
        const slow = readWav(
          await bytesOf(await create({ voice: { id: "F1" }, speed: 0.7, instructions: "Be kind." })),
        );
        t.ok(slow.samples.length / sampleRateHz > 1.3 * seconds);
        const voice = designedVoiceCode({ baseVoiceId: "F1", axes: { ...NEUTRAL_AXES, rate: 0.5 } });
        const fast = readWav(await bytesOf(await create({ voice })));
        t.ok(fast.samples.length / sampleRateHz < 0.8 * seconds);
      });

      await t.test("events carry the bytes and end with the usage", async (t) => {
        for (const format of ["wav", "mp3"]) {
          const tagged = `[happy] ${INPUT}`;
          const answer = await create({ input: tagged, response_format: format, stream_format: "sse" });
          t.equal(answer.headers.get("content-type"), "text/event-stream");
          const events = (await answer.text())
            .trimEnd()
            .split("\n\n")
            .map((line) => JSON.parse(line.replace(/^data: /, "")));
          const done = events.pop();
          t.match(done, { type: "speech.audio.done", usage: { input_tokens: 6 } });
          const { input_tokens: input, output_tokens: output, total_tokens: total } = done.usage;
          t.ok(Math.abs(output / 20 - seconds) < MOST_SECONDS_OFF && total === input + output);
          t.ok(events.every(({ type }) => type === "speech.audio.delta"));
          const path = join(t.testdir(), `speech.${format}`);
          await writeFile(path, Buffer.concat(events.map(({ audio }) => Buffer.from(audio, "base64"))));
          const decoded = await decodeAudio(path);
          t.ok(Math.abs(decoded.samples.length / decoded.sampleRateHz - seconds) < MOST_SECONDS_OFF, format);
        }
      });

      await t.test("a client that leaves stops voice and encoder", async (t) => {
        const controller = new AbortController();
        const answer = await client.audio.speech.create(
          { model: MODEL, voice: "M1", input: "And so it goes on and on. ".repeat(180), response_format: "flac" },
          { signal: controller.signal },
        );
        await answer.body?.getReader().read();
        controller.abort();
        const isQuiet = async () => (await api.call("GET", "/metrics")).body.includes("\navatar_speeches 0\n");
        await waitFor(isQuiet, "the voice to stop");
        t.match((await api.call("GET", "/metrics")).body, /avatar_speeches_total\{result="abandoned"\} 1/);
      });

      await t.test("what cannot be made is refused, as the client expects", async (t) => {
        const refused = await create({ response_format: "ogg" }).catch((error: unknown) => error);
        t.match(refused, { status: 400, code: "VALIDATION_ERROR", message: /response_format/ });
        t.ok(refused instanceof OpenAI.BadRequestError);
        const cases: [object, number, string, RegExp][] = [
          [{}, 400, "MISSING_PARAM", /input/],
          [{ input: "" }, 400, "VALIDATION_ERROR", /input has no words/],
          [{ input: "a".repeat(5_001) }, 400, "VALIDATION_ERROR", /5000/],
          [{ input: INPUT, voice: "Alloy" }, 400, "VALIDATION_ERROR", /Alloy.*M1/],
          [{ input: INPUT, voice: { id: "bv1_none" } }, 404, "VOICE_NOT_FOUND", /bv1_none/],
          [{ input: INPUT, speed: "fast" }, 400, "VALIDATION_ERROR", /speed/],
          [{ input: INPUT, stream_format: "chunks" }, 400, "VALIDATION_ERROR", /stream_format/],
        ];
        for (const [body, status, code, message] of cases) {
          t.match(await post({ model: MODEL, ...body }), { status, body: { error: { code, message } } });
        }
      });

      await t.test("OpenAI's voices are ours, and its tempo is kept within ours; /v1/tts refuses both", async (t) => {
        for (const voice of ["alloy", "fable", "nova", "onyx", { id: "coral" }]) {
          const { length } = await bytesOf(await create({ voice, input: "Yes." }));
          t.ok(length > 10_000, JSON.stringify(voice));
        }
        const secondsAt = async (speed: number) =>
          readWav(await bytesOf(await create({ speed }))).samples.length / sampleRateHz;
        const isNear = (one: number, other: number) => Math.abs(one - other) < MOST_SECONDS_OFF;
        t.ok(isNear(await secondsAt(4), await secondsAt(2)), "OpenAI's fastest is our fastest");
        t.ok(isNear(await secondsAt(0.25), await secondsAt(0.7)), "OpenAI's slowest is our slowest");
        for (const wrong of [{ voice: "alloy" }, { speed: 4 }, { speed: 0.25 }]) {
          const { status } = await api.call("POST", "/v1/tts", { secret, body: { text: INPUT, ...wrong } });
          t.equal(status, 400, `/v1/tts: ${JSON.stringify(wrong)}`);
        }
      });
    },
    { environment: { AVATAR_VOICE: "formant" } },
  ),
);

t.test("without a media program WAV is still spoken", (t) =>
  withIdleApi(
    async (api) => {
      const { secret } = await api.addAccount();
      const body = { input: INPUT, response_format: "mp3" };
      const broken = fetch(`${api.baseUrl}/v1/audio/speech`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "api-secret": secret, "content-type": "application/json" },
      }).then((answer) => answer.arrayBuffer());
      await t.rejects(broken, "an encoder that fails breaks the answer off");
      const { status } = await api.call("POST", "/v1/audio/speech", { secret, body: { input: INPUT } });
      t.equal(status, 200);
    },
    { environment: { AVATAR_VOICE: "formant", FFMPEG_PATH: "/no/such/ffmpeg" } },
  ),
);
