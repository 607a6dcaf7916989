// Other people's clients against the worker's realtime server, unchanged: OpenAI's and LiveKit's.
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { initializeLogger } from "@livekit/agents";
import { realtime } from "@livekit/agents-plugin-openai";
import { AudioFrame } from "@livekit/rtc-node";
import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import t from "tap";
import { Resampler } from "../../../src/signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../../src/signal/audio/samples.ts";
import { readWav } from "../../../src/signal/audio/wav.ts";
import { type RealtimeServerTest, withRealtimeServer } from "../../helpers/servers/with-realtime-server.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const RATE_HZ = 24_000;
const wav = readWav(readFileSync(new URL("../../fixtures/speech/weather-en.wav", import.meta.url)));
const resampler = new Resampler(wav.sampleRateHz, RATE_HZ);
const WEATHER = toInt16Samples(
  Float32Array.from([...resampler.push(toFloatSamples(wav.samples)), ...resampler.flush()]),
);
const SILENCE = new Int16Array(RATE_HZ);

t.setTimeout(120_000);
initializeLogger({ pretty: false, level: "silent" });

// biome-ignore lint/suspicious/noExplicitAny: tests look into events freely, and a wrong shape fails them anyway
type Event = { type: string } & Record<string, any>;

/** OpenAI's client, which knows TLS only: the test's server has none. */
function openClient({ baseUrl, token }: RealtimeServerTest, headers = {}) {
  const client = new OpenAI({ baseURL: baseUrl, apiKey: token });
  const createConnection = (options: object) => {
    const { port } = options as { port: number };
    return connect({ host: "127.0.0.1", port });
  };
  const options = { createConnection, headers } as object;
  const socket = new OpenAIRealtimeWS({ model: "service-realtime", options }, client);
  const events: Event[] = [];
  socket.on("event", (event) => events.push(event as Event));
  socket.on("error", () => undefined);
  const until = (type: string, after = 0) =>
    waitFor(() => events.slice(after).find((event) => event.type === type), type, 60_000);
  return { socket, events, until };
}

function send(client: ReturnType<typeof openClient>, samples: Int16Array): void {
  const size = RATE_HZ / 10;
  for (let at = 0; at < samples.length; at += size) {
    const part = samples.slice(at, at + size);
    client.socket.send({ type: "input_audio_buffer.append", audio: Buffer.from(part.buffer).toString("base64") });
  }
}

function loudest(events: readonly Event[]): number {
  const parts = events
    .filter(({ type }) => /audio\.delta$/.test(type))
    .map(({ delta }) => Buffer.from(delta, "base64"));
  const bytes = Buffer.concat(parts);
  let most = 0;
  for (let at = 0; at + 1 < bytes.length; at += 2) most = Math.max(most, Math.abs(bytes.readInt16LE(at)));
  return most;
}

t.test("a spoken sentence is understood and answered aloud, with OpenAI's client and the neural voice", async (t) => {
  await withRealtimeServer({ voice: "neural" }, async (test) => {
    const client = openClient(test);
    await client.until("session.created");
    client.socket.send({
      type: "session.update",
      session: {
        type: "realtime",
        instructions: "Be kind.",
        audio: {
          input: { transcription: { model: "whisper-1" }, turn_detection: { type: "semantic_vad" } },
          output: { voice: "marin" },
        },
      },
    });
    await client.until("session.updated");
    send(client, WEATHER);
    send(client, SILENCE);
    const told = await client.until("conversation.item.input_audio_transcription.completed");
    t.equal(told.transcript, "The weather will stay warm and sunny for several days.");
    const done = await client.until("response.done");
    t.match(done.response, { status: "completed", output: [{ content: [{ transcript: "It works." }] }] });
    t.ok(loudest(client.events) > 2_000, `the answer is no silence: ${loudest(client.events)}`);
    t.match(test.chat.requests[0].body.messages.at(-1), { role: "user", content: /weather will stay warm/ });
    t.equal(test.turns.length, 1);
    t.notOk(client.events.some(({ type }) => type === "error"));
    client.socket.close();
    await waitFor(() => test.server.sessionCount === 0, "the end of the session");
  });
});

t.test("OpenAI's client of the beta works with the beta's events", async (t) => {
  await withRealtimeServer({}, async (test) => {
    const client = openClient(test, { "OpenAI-Beta": "realtime=v1" });
    await client.until("conversation.created");
    client.socket.send({ type: "session.update", session: { turn_detection: null } } as never);
    client.socket.send({
      type: "conversation.item.create",
      item: { type: "message", role: "user", content: [{ type: "input_text", text: "Hello." }] },
    });
    client.socket.send({ type: "response.create" });
    await client.until("response.done");
    for (const type of ["conversation.item.created", "response.audio.delta", "response.audio_transcript.done"]) {
      t.ok(
        client.events.some((event) => event.type === type),
        type,
      );
    }
    client.socket.close();
  });
});

t.test("LiveKit's plugin gets transcripts, speaks first, and writes into the conversation", async (t) => {
  await withRealtimeServer({}, async (test) => {
    const model = new realtime.RealtimeModel({ baseURL: test.baseUrl, apiKey: test.token, model: "service-realtime" });
    const session = model.session();
    const errors: unknown[] = [];
    session.on("error", (error) => errors.push(error));
    const heard: string[] = [];
    session.on("input_audio_transcription_completed", ({ transcript, isFinal }) => {
      if (isFinal) heard.push(transcript);
    });
    const generations: Promise<{ text: string; samples: number }>[] = [];
    session.on("generation_created", ({ messageStream }) => {
      generations.push(
        (async () => {
          let text = "";
          let samples = 0;
          for await (const message of messageStream) {
            await Promise.all([
              (async () => {
                for await (const part of message.textStream) text += String(part);
              })(),
              (async () => {
                for await (const frame of message.audioStream) samples += frame.samplesPerChannel;
              })(),
            ]);
          }
          return { text, samples };
        })(),
      );
    });
    await session.updateInstructions("Be kind.");
    for (const samples of [WEATHER, SILENCE]) {
      session.pushAudio(new AudioFrame(samples, RATE_HZ, 1, samples.length));
    }
    await waitFor(() => generations.length === 1, "an answer", 60_000);
    const { text, samples } = await generations[0];
    t.equal(text, "It works.");
    t.ok(samples > RATE_HZ / 2);
    t.same(heard, ["The weather will stay warm and sunny for several days."]);
    await session.generateReply("Greet the user.");
    await generations[1];
    const context = session.chatCtx.copy();
    context.addMessage({ role: "user", content: "One more thing." });
    await session.updateChatCtx(context);
    t.equal(session.chatCtx.items.at(-1)?.type, "message");
    t.same(errors, []);
    await session.close();
  });
});
