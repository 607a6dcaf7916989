// OpenAI's own client through the whole service, by base URL and key alone. Its realtime client speaks TLS only.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import type { RealtimeServerEvent } from "openai/resources/realtime/realtime";
import t from "tap";
import { atRate } from "../../src/signal/audio/at-rate.ts";
import { readWav } from "../../src/signal/audio/wav.ts";
import { WIRE_FORMS } from "../helpers/servers/chat-wire-forms.ts";
import { withChatServer } from "../helpers/servers/with-chat-server.ts";
import { withTlsProxy } from "../helpers/servers/with-tls-proxy.ts";
import { withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

const SENTENCE = "The weather will stay warm and sunny for several days.";
const RATE_HZ = 24_000;
const PIECE_BYTES = RATE_HZ / 5;
const [{ words }] = WIRE_FORMS;

t.test("OpenAI's client with base URL and key", { timeout: 240_000 }, async (t) => {
  const wav = await readFile(new URL("../fixtures/speech/weather-en.wav", import.meta.url));
  const answer = words(["It ", "works."]);
  await withChatServer(
    () => ({ body: answer }),
    (chat) =>
      withStack(
        async ({ baseUrl, apiSecret, dataDir }) => {
          const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: apiSecret });
          const readyz = async () => (await fetch(`${baseUrl}/readyz`)).json();
          await waitFor(async () => (await readyz()).checks.workers === "ok", "a worker has reported");

          await t.test("speaks and transcribes with the models that are listed", async (t) => {
            const ids = new Set<string>();
            for await (const { id } of client.models.list()) ids.add(id);
            t.ok(["tts-1", "whisper-1", "service-realtime"].every((id) => ids.has(id)));
            const spoken = await client.audio.speech.create({ model: "tts-1", voice: "nova", input: SENTENCE });
            t.ok(readWav(Buffer.from(await spoken.arrayBuffer())).samples.length > 44_100);
            const file = await toFile(wav, "speech.wav");
            t.equal((await client.audio.transcriptions.create({ model: "whisper-1", file })).text, SENTENCE);
          });

          await t.test("holds a realtime call behind a proxy with TLS", (t) =>
            withTlsProxy(baseUrl, async ({ baseUrl: secureUrl, ca }) => {
              const secure = new OpenAI({ baseURL: `${secureUrl}/v1`, apiKey: apiSecret });
              const call = new OpenAIRealtimeWS({ model: "service-realtime", options: { ca } }, secure);
              const events: RealtimeServerEvent[] = [];
              call.on("event", (event) => events.push(event));
              call.on("error", (error) => t.fail(error.message));
              const until = (type: RealtimeServerEvent["type"]) =>
                waitFor(() => events.some((event) => event.type === type), type);
              await until("session.created");
              const input = { transcription: { model: "whisper-1" } };
              call.send({
                type: "session.update",
                session: { type: "realtime", audio: { input, output: { voice: "marin" } } },
              });
              await until("session.updated");
              for (const audio of piecesOf(wav)) call.send({ type: "input_audio_buffer.append", audio });
              await until("response.done");
              await until("conversation.item.input_audio_transcription.completed");
              const of = <T extends RealtimeServerEvent["type"]>(type: T) =>
                events.filter((event): event is Extract<RealtimeServerEvent, { type: T }> => event.type === type);
              t.equal(of("conversation.item.input_audio_transcription.completed")[0].transcript, SENTENCE);
              t.equal(of("response.output_audio_transcript.done")[0].transcript, "It works.");
              t.ok(of("response.output_audio.delta").length > 0);
              call.close();
              await new Promise((resolve) => call.socket.once("close", resolve));
            }),
          );

          await t.test("its key is in no log", async (t) => {
            const folder = join(dataDir, "logs");
            const logs = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
            t.ok(
              logs.some((log) => log.includes("/v1/audio/transcriptions")),
              "requests are logged",
            );
            for (const log of logs) t.notOk(log.includes(apiSecret));
          });
        },
        { OPENAI_BASE_URL: chat.baseUrl, OPENAI_MODEL: "test-model", AVATAR_LOG_LEVEL: "debug" },
      ),
  );
});

/** The recording and two seconds of silence, in base64, 100 ms each. */
function piecesOf(wav: Buffer): string[] {
  const { samples, sampleRateHz } = readWav(wav);
  const pcm = Buffer.from(Int16Array.from(atRate(samples, sampleRateHz, RATE_HZ)).buffer);
  const all = Buffer.concat([pcm, Buffer.alloc(4 * RATE_HZ)]);
  return Array.from({ length: Math.ceil(all.length / PIECE_BYTES) }, (_, index) =>
    all.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES).toString("base64"),
  );
}
