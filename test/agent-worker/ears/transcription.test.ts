// The ears of a host over HTTP, with the real network, and the client that sessions use for them and for other servers.
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import OpenAI, { toFile } from "openai";
import t from "tap";
import { OWNER_HEADER, TranscriptionServer } from "../../../agent-worker/ears/transcription-server.ts";
import { createLogger } from "../../../shared/log.ts";
import { readWav, writeWav } from "../../../src/audio/wav.ts";
import type { EngineError } from "../../../src/engine-error.ts";
import { Ears } from "../../../src/recognition/ears.ts";
import { TranscriptionClient } from "../../../src/recognition/transcription-client.ts";

const WEATHER = "The weather will stay warm and sunny for several days.";
const wav = readFileSync(new URL("../../fixtures/speech/weather-en.wav", import.meta.url));
const { samples } = readWav(wav);
const logger = createLogger({ level: "fatal", name: "test" });

t.setTimeout(120_000);

await t.test("an utterance is heard over HTTP; what is wrong is refused, and nothing without the key", async (t) => {
  const ears = new Ears({ niceness: 0 });
  const server = new TranscriptionServer({ ears, logger });
  const { baseUrl, apiKey } = await server.start();
  t.teardown(async () => {
    await server.close();
    await ears.close();
  });
  const headers = { [OWNER_HEADER]: "cs_1" };
  const client = new TranscriptionClient({ baseUrl, apiKey, headers, model: "whisper-base", timeoutMs: 60_000 });
  const heard = await client.transcribe(samples, { language: "en-US" });
  t.match(heard, { text: WEATHER, language: "en" });
  t.ok((heard.meanLogProbability ?? -9) > -0.5, "clear speech is sure");
  t.match(await client.transcribe(new Int16Array(16_000), { language: "en" }), { text: "" });
  const openai = new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0 });
  const file = await toFile(wav, "weather.wav");
  const told = await openai.audio.transcriptions.create({ file, model: "whisper-1", response_format: "verbose_json" });
  t.match(told, { text: WEATHER, language: "en", duration: Number });
  const half = Int16Array.from({ length: samples.length >> 1 }, (_, index) => samples[2 * index]);
  const slow = await toFile(Buffer.from(writeWav({ samples: half, sampleRateHz: 8_000 })), "slow.wav");
  const text = await openai.audio.transcriptions.create({
    file: slow,
    model: "x",
    language: "en",
    response_format: "text",
  });
  t.match(text, /weather will stay warm/);

  const post = async (body: BodyInit | undefined, more: Record<string, string> = {}) => {
    const answer = await fetch(`${baseUrl}/audio/transcriptions`, {
      ...{ method: "POST", headers: { authorization: `Bearer ${apiKey}`, ...more }, body },
    });
    return [answer.status, (await answer.text()).slice(0, 200)] as const;
  };
  const form = (fields: Record<string, string | Blob>) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.set(name, value);
    return data;
  };
  const sound = new Blob([wav]);
  t.match(await post(form({ file: sound }), { authorization: "Bearer wrong" }), [401, /key/]);
  t.match(await post(form({ model: "x" })), [400, /file is missing/]);
  t.match(await post(form({ file: sound, language: "../x" })), [400, /language/]);
  t.match(await post(form({ file: sound, response_format: "srt" })), [400, /response_format/]);
  t.match(await post(form({ file: new Blob(["no sound"]) })), [400, /WAV/]);
  t.match(await post(form({ file: new Blob([Buffer.alloc(20_000_001)]) })), [413, /20 MB/]);
  t.match(await post("nonsense", { "content-type": "multipart/form-data; boundary=x" }), [400, /form/]);
  t.match(await post("{}", { "content-type": "application/json" }), [400, /form/]);
  const leaving = new AbortController();
  const left = client.transcribe(samples, { signal: leaving.signal });
  leaving.abort(new Error("went on speaking"));
  await t.rejects(left, /went on speaking/);
  await ears.close();
  await t.rejects(client.transcribe(samples), { code: "upstream-unavailable", message: /503/ });
});

await t.test("a server that is away, slow, refuses or sends no text is told from one that hears", async (t) => {
  let answer = (_: ServerResponse): void => undefined;
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  const hear = (timeoutMs = 60_000, url = baseUrl) =>
    new TranscriptionClient({ baseUrl: url, apiKey: "k-secret", model: "m", timeoutMs }).transcribe(samples);
  const cases: [string, (response: ServerResponse) => void, string][] = [
    ["busy", (response) => response.writeHead(429).end(), "upstream-unavailable"],
    ["broken", (response) => response.writeHead(500).end(), "upstream-unavailable"],
    ["breaks off", (response) => response.destroy(), "upstream-unavailable"],
    [
      "redirects",
      (response) => response.writeHead(302, { location: "http://127.0.0.2/" }).end(),
      "upstream-unavailable",
    ],
    ["refuses", (response) => response.writeHead(401).end(), "program-failed"],
    ["garbage", (response) => response.end("<html>"), "program-failed"],
    ["null", (response) => response.end("null"), "program-failed"],
    ["endless", (response) => response.end("x".repeat(300_000)), "program-failed"],
  ];
  for (const [title, reply, code] of cases) {
    answer = reply;
    const error = await hear().catch((thrown: unknown) => thrown);
    t.match(error, { name: "EngineError", code }, title);
    t.notMatch((error as EngineError).message, /k-secret/);
  }
  answer = () => undefined;
  await t.rejects(hear(50), { code: "timeout" });
  await t.rejects(hear(60_000, "http://127.0.0.1:1/v1"), { code: "upstream-unavailable" });
  answer = (response) => response.end(JSON.stringify({ text: " Hi. ", language: "english" }));
  t.same(await hear(), { text: "Hi.", language: undefined });
});
