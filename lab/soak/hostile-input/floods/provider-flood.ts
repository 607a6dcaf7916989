// An account's own realtime server leads a conversation, and sends as many transcripts and deltas as it can.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import type { Flood, FloodContext } from "../flood.ts";
import { request } from "../flood.ts";
import { visit } from "./visit.ts";

const TRANSCRIPT = "words and words ".repeat(1_250);
const DELTA = "delta ".repeat(3_000);
/** Messages between two looks at the clock: 12,800 in 3 s are 4,267 a second. */
const BURST = 64;
const MOST_UNSENT_BYTES = 32 * 1024 * 1024;
const REFUSED_WAIT_MS = 1_000;
/** Until the conversation connects to the server. */
const CONNECT_TIMEOUT_MS = 10_000;

export const floodProvider: Flood = async (context) => {
  const { over, target } = context;
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  let count = 0;
  server.on("connection", (socket) => {
    count += 1;
    void floodSocket(socket, context);
  });
  try {
    const entry = {
      id: "flood",
      platform: "openai",
      credentials: { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: "sk-flood" },
      options: { realtime: { model: "flood", voice: "marin" } },
    };
    await request(context, "PUT", `/v2/${target.userId}/providers`, { entries: [entry] });
    const realtime = { mode: "custom", provider_id: "flood" };
    await request(context, "POST", `/v1/agent/${target.agentCode}`, { providers: { realtime } });
    while (!over.aborted) {
      const before = count;
      const visited = await visit(context);
      const untilMs = performance.now() + CONNECT_TIMEOUT_MS;
      const isWaiting = () => !over.aborted && count === before && performance.now() < untilMs;
      if (visited) while (isWaiting()) await delay(100);
      // The conversation goes on as long as the service keeps the connection.
      const isLed = () => [...server.clients].some(({ readyState }) => readyState === 1);
      while (visited && !over.aborted && isLed()) await delay(100);
      await visited?.leave();
      await delay(REFUSED_WAIT_MS, undefined, { signal: over }).catch(() => undefined);
    }
  } finally {
    for (const socket of server.clients) socket.terminate();
    server.close();
    await reset(context);
  }
};

/** The agent speaks with the service's own parts again. */
async function reset(context: FloodContext): Promise<void> {
  const { target } = context;
  const still = { ...context, over: AbortSignal.timeout(10_000) };
  await request(still, "POST", `/v1/agent/${target.agentCode}`, { providers: { realtime: "default" } });
}

async function floodSocket(socket: WebSocket, { over, sent, answered }: FloodContext): Promise<void> {
  let isSetUp = false;
  socket.on("error", () => undefined);
  socket.on("close", (code) => {
    if (!over.aborted) answered(`provider close ${code}`);
  });
  socket.on("message", (data) => {
    const { type, session } = JSON.parse(data.toString()) as { type: string; session?: object };
    if (type !== "session.update") return;
    socket.send(JSON.stringify({ type: "session.updated", event_id: "e1", session }));
    isSetUp = true;
  });
  socket.send(JSON.stringify({ type: "session.created", event_id: "e0", session: { type: "realtime" } }));
  let number = 0;
  const isOpen = () => socket.readyState === 1 && !over.aborted;
  while (isOpen()) {
    if (!isSetUp || socket.bufferedAmount > MOST_UNSENT_BYTES) {
      await delay(5);
      continue;
    }
    for (let one = 0; one < BURST && isOpen(); one++) {
      number += 1;
      const id = `item_${number}`;
      const event =
        number % 8 === 0
          ? { type: "conversation.item.input_audio_transcription.delta", item_id: id, delta: DELTA }
          : { type: "conversation.item.input_audio_transcription.completed", item_id: id, transcript: TRANSCRIPT };
      if (number % 8 !== 0) {
        socket.send(JSON.stringify({ type: "input_audio_buffer.committed", event_id: "e", item_id: id }));
      }
      const text = JSON.stringify({ event_id: `e${number}`, ...event });
      socket.send(text);
      sent("messages", text.length);
    }
    await delay(1);
  }
}
