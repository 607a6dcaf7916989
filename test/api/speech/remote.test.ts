// Texts that a voice server of the operator speaks, as requests find it: well, away, slow, broken.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import t from "tap";
import { readWav } from "../../../src/signal/audio/wav.ts";
import { RemoteVoice } from "../../../src/speech/voice/remote/remote-voice.ts";
import { designedVoiceCode } from "../../../src/speech/voice/shaping/designed-voice.ts";
import { NEUTRAL_AXES } from "../../../src/speech/voice/shaping/voice-axes.ts";
import { withIdleApi } from "../../helpers/service/with-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const KEY = "sk-remote-voice-key";
const RATE_HZ = 24_000;
const TEXT = "First comes this one. **Then** comes that one.";

const json = { "content-type": "application/json" };

interface Asked {
  headers: IncomingMessage["headers"];
  body: { model: string; input: string; voice: string; speed: number; response_format: string };
}
type Reply = (response: ServerResponse, asked: Asked) => void;

/** A voice server of the OpenAI protocol. `use` sets how it replies. */
async function withVoiceServer<T>(
  work: (server: { url: string; asked: Asked[]; use(reply: Reply): void; closed(): number }) => Promise<T>,
): Promise<T> {
  const asked: Asked[] = [];
  let reply: Reply = tone(1);
  let closed = 0;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    response.once("close", () => (closed += 1));
    asked.push({ headers: request.headers, body: JSON.parse(Buffer.concat(parts).toString()) });
    t.equal(`${request.method} ${request.url}`, "POST /v1/audio/speech");
    reply(response, asked[asked.length - 1]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
    return await work({ url, asked, use: (next) => (reply = next), closed: () => closed });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function toneBytes(seconds: number): Buffer {
  const samples = Int16Array.from({ length: seconds * RATE_HZ }, (_, i) => 8_000 * Math.sin(i / 20));
  return Buffer.from(samples.buffer);
}

/** Sends audio in parts that end within samples. */
function tone(seconds: number): Reply {
  return (response) => {
    response.writeHead(200, { "content-type": "audio/pcm" });
    const bytes = toneBytes(seconds);
    for (let at = 0; at < bytes.length; at += 1_001) response.write(bytes.subarray(at, at + 1_001));
    response.end();
  };
}

await t.test("a remote voice over REST", { timeout: 60_000 }, (t) =>
  withVoiceServer((server) =>
    withIdleApi(
      async (api) => {
        const { secret } = await api.addAccount();
        const headers = { "api-secret": secret, "content-type": "application/json" };
        const open = (body: object, signal?: AbortSignal) =>
          fetch(`${api.baseUrl}/v1/tts`, { method: "POST", headers, body: JSON.stringify(body), signal });
        const post = (body: object) => api.call("POST", "/v1/tts", { secret, body });

        await t.test("it gets a request for each sentence, without markup, and its audio is passed on", async (t) => {
          const answer = await open({ text: TEXT, voice: "F2", language: "de", speed: 1.2 });
          const { samples, sampleRateHz } = readWav(Buffer.from(await answer.arrayBuffer()));
          t.ok(Math.abs(samples.length / sampleRateHz - 2) < 0.01, "both seconds");
          t.ok(samples.subarray(4_000, 40_000).some((sample) => sample > 7_000));
          t.same(
            server.asked.map(({ body }) => body),
            ["First comes this one.", "Then comes that one."].map((input) => {
              return { model: "tiny", input, voice: "anna", speed: 1.2, response_format: "pcm" };
            }),
          );
          t.equal(server.asked[0].headers.authorization, `Bearer ${KEY}`);
          t.equal((await open({ text: "Hi there.", voice: "M4" })).status, 200);
          t.equal(server.asked[2].body.voice, "M4", "a voice without a name there is sent by its id");
          const code = designedVoiceCode({ baseVoiceId: "F2", axes: { ...NEUTRAL_AXES, rate: 0.1, pitch: 0.1 } });
          t.equal((await open({ text: "Hi there.", voice_code: code, speed: 1 })).status, 200);
          t.match(server.asked[3].body, { voice: "anna", speed: 2 ** 0.1 });
        });

        await t.test("a server that refuses, fails, or sends something else is an error", async (t) => {
          const cases: [string, Reply, number, string, RegExp][] = [
            ["busy", (response) => response.writeHead(429).end(), 502, "UPSTREAM_UNAVAILABLE", /429/],
            ["broken", (response) => response.writeHead(503).end(), 502, "UPSTREAM_UNAVAILABLE", /503/],
            ["without a right", (response) => response.writeHead(401).end(KEY), 500, "UPSTREAM_ERROR", /401/],
            ["elsewhere", redirect, 500, "UPSTREAM_ERROR", /302/],
            ["JSON", (response) => response.writeHead(200, json).end("{}"), 500, "UPSTREAM_ERROR", /audio/],
            ["empty", (response) => response.writeHead(200).end(), 500, "UPSTREAM_ERROR", /no audio/],
            ["hung up", (response) => response.destroy(), 502, "UPSTREAM_UNAVAILABLE", /broke off/],
            ["silent", () => undefined, 504, "UPSTREAM_TIMEOUT", /1 s/],
          ];
          for (const [title, reply, status, code, message] of cases) {
            server.use(reply);
            const answer = await post({ text: TEXT });
            t.match(answer, { status, body: { error: { code, message } } }, title);
            t.notOk(JSON.stringify(answer.body).includes(KEY));
          }
        });

        await t.test("a server that dies in a sentence breaks the answer off; the next one is spoken", async (t) => {
          for (const [title, die] of [
            ["hangs up", (response: ServerResponse) => response.destroy()],
            ["sends no more", () => undefined],
          ] as const) {
            server.use((response) => {
              response.writeHead(200, { "content-type": "audio/pcm" });
              response.write(toneBytes(2), () => die(response));
            });
            const answer = await open({ text: TEXT, format: "pcm_s16le" });
            t.equal(answer.status, 200);
            await t.rejects(answer.arrayBuffer(), title);
          }
          server.use(tone(1));
          t.equal((await open({ text: TEXT })).status, 200);
        });

        await t.test("a client that leaves ends the request to the server", async (t) => {
          server.use((response) => {
            response.writeHead(200, { "content-type": "audio/pcm" });
            const timer = setInterval(() => response.write(toneBytes(0.5)), 20);
            response.once("close", () => clearInterval(timer));
          });
          const before = server.closed();
          const controller = new AbortController();
          const answer = await open({ text: TEXT, format: "pcm_s16le" }, controller.signal);
          await answer.body?.getReader().read();
          controller.abort();
          await waitFor(() => server.closed() > before, "the end of the request");
          t.equal(server.closed(), before + 1);
        });
      },
      {
        environment: {
          AVATAR_VOICE: "remote",
          AVATAR_VOICE_URL: server.url,
          AVATAR_VOICE_KEY: KEY,
          AVATAR_VOICE_MODEL: "tiny",
          AVATAR_VOICE_NAMES: "F2=anna, M1=ben",
          AVATAR_VOICE_TIMEOUT_SECONDS: "1",
        },
      },
    ),
  ),
);

t.test("workers reach it without the api: pieces, times, and errors without the key", (t) =>
  withVoiceServer(async ({ url, use }) => {
    const settings = { baseUrl: url, apiKey: KEY, model: "tiny", names: {}, timeoutMs: 1_000 };
    const voice = new RemoteVoice(settings);
    const pieces = [];
    for await (const piece of voice.synthesize(TEXT)) pieces.push(piece);
    t.same(
      pieces.flatMap(({ sentence }) => sentence ?? []),
      ["First comes this one.", "Then comes that one."].map((text) => ({ text, phonemes: [], words: [], visemes: [] })),
    );
    t.equal(pieces.filter(({ endsSentence }) => endsSentence).length, 2);
    t.ok(pieces.length > 4, "audio is passed on as it comes");
    t.equal(
      pieces.reduce((sum, { samples }) => sum + samples.length, 0),
      2 * RATE_HZ,
    );
    use(redirect);
    const errors = [
      await failureOf(voice),
      await failureOf(new RemoteVoice({ ...settings, baseUrl: "http://127.0.0.1:9/v1" })),
    ];
    t.match(errors, [{ code: "upstream-unavailable" }, { code: "upstream-unavailable" }], "no redirect is followed");
    use(() => undefined);
    errors.push(await failureOf(voice));
    t.match(errors[2], { code: "timeout" });
    const closing = failureOf(voice);
    await voice.close();
    t.match(await closing, { code: "unavailable" });
    t.notOk(errors.some((error) => inspect(error, { depth: 10, showHidden: true }).includes(KEY)));
  }),
);

function redirect(response: ServerResponse): void {
  response.writeHead(302, { location: "http://127.0.0.1:9/elsewhere" }).end();
}

async function failureOf(voice: RemoteVoice): Promise<unknown> {
  try {
    for await (const _ of voice.synthesize("One."));
  } catch (error) {
    return error;
  }
  return undefined;
}
