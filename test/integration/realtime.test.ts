// Realtime calls through the whole service: one address for everything, the relay, and a worker's own realtime server.
import { readFileSync } from "node:fs";
import { initializeLogger } from "@livekit/agents";
import { realtime } from "@livekit/agents-plugin-openai";
import { AudioFrame } from "@livekit/rtc-node";
import t from "tap";
import { WebSocket } from "ws";
import { Resampler } from "../../src/signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../src/signal/audio/samples.ts";
import { readWav } from "../../src/signal/audio/wav.ts";
import { WIRE_FORMS } from "../helpers/servers/chat-wire-forms.ts";
import { withChatServer } from "../helpers/servers/with-chat-server.ts";
import { withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

const RATE_HZ = 24_000;
const [{ words }] = WIRE_FORMS;
const wav = readWav(readFileSync(new URL("../fixtures/speech/weather-en.wav", import.meta.url)));
const resampler = new Resampler(wav.sampleRateHz, RATE_HZ);
const WEATHER = toInt16Samples(
  Float32Array.from([...resampler.push(toFloatSamples(wav.samples)), ...resampler.flush()]),
);

initializeLogger({ pretty: false, level: "silent" });

// biome-ignore lint/suspicious/noExplicitAny: tests look into events freely, and a wrong shape fails them anyway
type Event = Record<string, any>;

t.test("realtime calls at the service's own address", { timeout: 240_000 }, async (t) => {
  await withChatServer(
    () => ({ body: words(["It ", "works."]) }),
    (chat) =>
      withStack(
        async (stack) => {
          const readyz = async () => (await fetch(`${stack.baseUrl}/readyz`)).json();
          await waitFor(async () => (await readyz()).checks.workers === "ok", "a worker has reported");
          await t.test("LiveKit's plugin talks with the model service-realtime by base URL alone", async (t) => {
            const model = new realtime.RealtimeModel({
              baseURL: `${stack.baseUrl}/v1`,
              apiKey: stack.apiSecret,
              model: "service-realtime",
            });
            const session = model.session();
            const errors: unknown[] = [];
            session.on("error", (error) => errors.push(error));
            const answered = new Promise<{ text: string; samples: number }>((resolve) => {
              session.once("generation_created", async ({ messageStream }) => {
                const answer = { text: "", samples: 0 };
                for await (const message of messageStream) {
                  const read = async () => {
                    for await (const part of message.textStream) answer.text += String(part);
                  };
                  const listen = async () => {
                    for await (const frame of message.audioStream) answer.samples += frame.samplesPerChannel;
                  };
                  await Promise.all([read(), listen()]);
                }
                resolve(answer);
              });
            });
            for (const samples of [WEATHER, new Int16Array(RATE_HZ)]) {
              session.pushAudio(new AudioFrame(samples, RATE_HZ, 1, samples.length));
            }
            const { text, samples } = await answered;
            t.equal(text, "It works.");
            t.ok(samples > RATE_HZ / 2, `${samples} samples of audio`);
            t.match(chat.requests.at(-1)?.body.messages.at(-1).content, /weather will stay warm/);
            t.same(errors, []);
            await session.close();
          });

          await t.test("text mode answers as the agent", async (t) => {
            const url = new URL(`${stack.baseUrl.replace("http", "ws")}/v1/realtime`);
            url.search = new URLSearchParams({
              model: "service-realtime",
              mode: "text",
              agent: stack.agentCode,
            }).toString();
            const socket = new WebSocket(url, { headers: { "api-secret": stack.apiSecret } });
            const events: Event[] = [];
            socket.on("message", (data) => events.push(JSON.parse(String(data))));
            socket.on("open", () => socket.send(JSON.stringify({ type: "user.turn", turn: 1, text: "Who are you?" })));
            const done = await waitFor(() => events.find(({ type }) => type === "response.done"), "an answer");
            t.match(done, { turn: 1, status: "completed" });
            const [system] = chat.requests.at(-1)?.body.messages ?? [];
            t.match(system, { role: "system", content: /\w{20,}|Mona|avatar|assistant/i });
            socket.close();
          });
        },
        { OPENAI_BASE_URL: chat.baseUrl },
      ),
  );
});
