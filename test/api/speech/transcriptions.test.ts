// POST /v1/audio/transcriptions with OpenAI's own client and the real recogniser.
import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import t, { type Test } from "tap";
import { atRate } from "../../../src/signal/audio/at-rate.ts";
import { readWav, writeWav } from "../../../src/signal/audio/wav.ts";
import { MEDIA_FORMATS, writeMediaFile } from "../../helpers/files/media-files.ts";
import { type TestApi, withIdleApi } from "../../helpers/service/with-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const WEATHER = "The weather will stay warm and sunny for several days.";
const PATH = "/v1/audio/transcriptions";
const RATE_HZ = 16_000;
const wav = readFileSync(new URL("../../fixtures/speech/weather-en.wav", import.meta.url));
const { samples } = readWav(wav);

t.setTimeout(240_000);

/** The sentence, `times` times, with a pause after each. */
function repeated(times: number): Buffer {
  const step = samples.length + RATE_HZ / 2;
  const all = new Int16Array(times * step);
  for (let index = 0; index < times; index++) all.set(samples, index * step);
  return Buffer.from(writeWav({ samples: all, sampleRateHz: RATE_HZ }));
}

function clientOf(api: TestApi, secret: string): OpenAI {
  return new OpenAI({ baseURL: `${api.baseUrl}/v1`, apiKey: secret, maxRetries: 0 });
}

function formOf(fields: Record<string, string | Blob>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

const metricOf = async (api: TestApi, name: string): Promise<number> => {
  const { body } = await api.call("GET", "/metrics");
  const line = String(body)
    .split("\n")
    .find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.split(" ")[1] ?? 0);
};

const isFree = (api: TestApi) =>
  waitFor(async () => (await metricOf(api, "avatar_transcriptions")) === 0, "a free slot");

await t.test("what OpenAI's client sends is transcribed", (t) =>
  withIdleApi(async (api) => {
    const { secret } = await api.addAccount();
    const client = clientOf(api, secret);
    const create = async (options: object, file: Buffer = wav, name = "speech.wav") =>
      client.audio.transcriptions.create({ file: await toFile(file, name), model: "gpt-transcribe", ...options });

    await t.test("as json, text, verbose_json, srt and vtt", async (t) => {
      t.match(await create({}), {
        text: WEATHER,
        languages: [{ code: "en" }],
        usage: { type: "duration", seconds: 3.014 },
      });
      t.equal(await create({ response_format: "text", language: "en" }), `${WEATHER}\n`);
      const verbose = await create({ response_format: "verbose_json", model: "whisper-1", temperature: 0.2 });
      t.match(verbose, { text: WEATHER, language: "en", duration: 3.014, task: "transcribe" });
      const { segments } = verbose as unknown as OpenAI.Audio.TranscriptionVerbose;
      t.match(segments, [{ id: 0, start: 0, end: 3.014, text: WEATHER, avg_logprob: Number, no_speech_prob: Number }]);
      t.equal(await create({ response_format: "srt" }), `1\n00:00:00,000 --> 00:00:03,014\n${WEATHER}\n`);
      t.equal(await create({ response_format: "vtt" }), `WEBVTT\n\n00:00:00.000 --> 00:00:03.014\n${WEATHER}\n`);
    });

    await t.test("a recording without speech has no words", async (t) => {
      const silent = Buffer.from(writeWav({ samples: new Int16Array(RATE_HZ), sampleRateHz: RATE_HZ }));
      t.match(await create({}, silent), { text: "" });
      t.match(await create({ response_format: "verbose_json" }, silent), { text: "", segments: [], duration: 1 });
      t.equal(await create({ response_format: "vtt" }, silent), "WEBVTT\n");
    });

    await t.test("in every format of recorders and browsers, at any rate", async (t) => {
      const audio = atRate(samples, RATE_HZ, 48_000).map((value) => value / 32_768);
      for (const name of ["mp3", "webm", "ogg", "opus.ogg", "m4a", "mp4", "flac", "adpcm.wav"]) {
        const path = join(t.testdir(), `speech.${name}`);
        await writeMediaFile(path, MEDIA_FORMATS[name], audio);
        t.match(
          await create({}, readFileSync(path), `speech.${name}`),
          { text: /weather will stay warm and sunny/ },
          name,
        );
      }
      const half = Int16Array.from({ length: samples.length >> 1 }, (_, index) => samples[2 * index]);
      const slow = Buffer.from(writeWav({ samples: half, sampleRateHz: 8_000 }));
      t.match(await create({}, slow), { text: /weather will stay warm/ }, "8 kHz");
    });

    await t.test("a long one part by part: a delta for each, and the whole text at the end", async (t) => {
      const stream = await client.audio.transcriptions.create({
        file: await toFile(repeated(10), "long.wav"),
        model: "gpt-4o-transcribe",
        stream: true,
        language: "en",
      });
      const deltas: string[] = [];
      let whole = "";
      for await (const event of stream) {
        if (event.type === "transcript.text.delta") deltas.push(event.delta);
        if (event.type === "transcript.text.done") whole = event.text;
      }
      t.ok(deltas.length >= 2, `${deltas.length} deltas`);
      t.equal(deltas.join(""), whole);
      const verbose = await create({ response_format: "verbose_json" }, repeated(10));
      const { segments = [], duration } = verbose as unknown as OpenAI.Audio.TranscriptionVerbose;
      t.equal(segments.length, deltas.length);
      t.ok(segments.every(({ start, end }, index) => start < end && end <= (segments[index + 1]?.start ?? duration)));
      t.ok(await isFree(api));
    });

    await t.test("a wrong form is refused with what is wrong", async (t) => {
      const file = new Blob([wav]);
      const cases: [Record<string, string | Blob>, number, string, RegExp][] = [
        [{ model: "whisper-1" }, 400, "VALIDATION_ERROR", /file/],
        [{ file: "words" }, 400, "VALIDATION_ERROR", /file/],
        [{ file: new Blob(["no audio"]) }, 400, "VALIDATION_ERROR", /no readable audio/],
        [{ file, response_format: "diarized_json" }, 400, "VALIDATION_ERROR", /response_format/],
        [{ file, language: "../x" }, 400, "VALIDATION_ERROR", /language/],
        [{ file, stream: "perhaps" }, 400, "VALIDATION_ERROR", /stream/],
        [{ file, "timestamp_granularities[]": "word" }, 400, "VALIDATION_ERROR", /timestamp_granularities/],
        [{ file: new Blob([Buffer.alloc(26_300_000)]) }, 413, "FILE_TOO_LARGE", /26214400/],
        [{ file, prompt: "x".repeat(1_048_577) }, 413, "FILE_TOO_LARGE", /1048576/],
      ];
      for (const [fields, status, code, message] of cases) {
        const answer = await api.call("POST", PATH, { bearer: secret, body: formOf(fields) });
        t.match(answer, { status, body: { error: { code, message } } });
        t.notMatch(JSON.stringify(answer.body), /avatar-upload/, "no path of ours");
      }
      const long = new Int16Array(601 * 8_000);
      const file8 = new Blob([Buffer.from(writeWav({ samples: long, sampleRateHz: 8_000 }))]);
      const refused = await api.call("POST", PATH, { bearer: secret, body: formOf({ file: file8 }) });
      t.match(refused, { status: 413, body: { error: { code: "FILE_TOO_LARGE", message: /600 seconds/ } } });
      t.match(await api.call("POST", PATH, { bearer: secret, body: {} }), { status: 415 });
      t.match(await api.call("POST", "/v1/audio/translations", { bearer: secret }), { status: 404 });
      t.ok(await isFree(api), "refusals give their slots back");
    });
  }),
);

await t.test("slots are bounded, and given back", (t) =>
  withIdleApi(
    async (api) => {
      const { secret } = await api.addAccount();
      const { secret: other } = await api.addAccount();
      const client = clientOf(api, secret);
      const long = repeated(60);
      const begin = async (leaving: AbortController, stream: boolean) =>
        client.audio.transcriptions.create(
          { file: await toFile(long, "long.wav"), model: "whisper-1", ...(stream && { stream }) } as never,
          { signal: leaving.signal },
        );
      const short = (as: string) => api.call("POST", PATH, { bearer: as, body: formOf({ file: new Blob([wav]) }) });

      await t.test(
        "of an account; a client that leaves frees its own, whether it reads a stream or waits",
        async (t) => {
          for (const stream of [true, false]) {
            const leaving = new AbortController();
            const begun = begin(leaving, stream).catch(() => undefined);
            await waitFor(async () => (await metricOf(api, "avatar_transcriptions")) === 1, "a transcription");
            await assertBusy(t, short(secret));
            t.match(await short(other), { status: 200 }, "another account's is transcribed in between");
            leaving.abort();
            await begun;
            await isFree(api);
            t.match(await short(secret), { status: 200 }, "the slot is free");
          }
          t.equal(await metricOf(api, 'avatar_transcriptions_total{result="abandoned"}'), 2);
          t.equal(await metricOf(api, 'avatar_transcriptions_total{result="busy"}'), 2);
        },
      );

      await t.test("an upload that stays silent takes none, and few of them are open", async (t) => {
        const silent = [0, 1].map(() => openUpload(api, secret));
        await Promise.all(silent.map(({ continued }) => continued));
        await assertBusy(t, short(secret));
        t.match(await short(other), { status: 200 });
        for (const { close } of silent) close();
        await waitFor(async () => (await short(secret)).status === 200, "the uploads to end");
      });
    },
    { policies: { transcriptions: { most: 2, mostPerAccount: 1, mostUploadsPerAccount: 2 } } },
  ),
);

await t.test("a transcription that takes too long is refused, and its slot is free", (t) =>
  withIdleApi(
    async (api) => {
      const { secret } = await api.addAccount();
      const file = new Blob([Uint8Array.from(repeated(60))]);
      const late = await api.call("POST", PATH, { bearer: secret, body: formOf({ file }) });
      t.match(late, { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE", message: /0.2 s/ } } });
      t.ok(late.headers.get("retry-after"));
      await isFree(api);
    },
    { policies: { transcriptions: { deadlineMs: 200 } } },
  ),
);

async function assertBusy(t: Test, answer: ReturnType<TestApi["call"]>): Promise<void> {
  const { status, body, headers } = await answer;
  t.match({ status, body }, { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE" } } });
  t.ok(Number(headers.get("retry-after")) > 0);
}

/** A form of a sender that stops after the headers. */
function openUpload({ baseUrl }: TestApi, secret: string): { continued: Promise<void>; close(): void } {
  const request = httpRequest(`${baseUrl}${PATH}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "multipart/form-data; boundary=b",
      "content-length": "1000000",
      expect: "100-continue",
    },
  });
  request.on("error", () => undefined);
  const continued = new Promise<void>((resolve) => request.once("continue", () => resolve()));
  request.flushHeaders();
  return { continued, close: () => request.destroy() };
}
