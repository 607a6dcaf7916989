// Process of the realtime benchmark: a realtime server that speaks while it is told to, and tells when it hears a
// sound after silence. It ends with its parent.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { PcmDecoder } from "../../../src/signal/audio/pcm-decoder.ts";
import { sharedNowMs } from "../clients/shared-clock.ts";

/** What it is told: from now on it says this again and again (mono at 24 kHz), or nothing. */
export type SpeakingServerCommand = { speech: Int16Array | null };

/** What it tells: it accepts connections, or a sound began in an event that arrived at `heardAtMs` (shared clock). */
export type SpeakingServerReport = { port: number } | { heardAtMs: number };

const SAMPLES_PER_MS = 24;
const DELTA_MS = 200;
/** Models are ahead of what is heard. */
const AHEAD_MS = 600;
/** A sample above this is sound. */
const LOUD = 2_000;
/** So much silence ends a sound. */
const SILENCE_SAMPLES = 100 * SAMPLES_PER_MS;
const PART = { response_id: "resp_1", item_id: "item_1", output_index: 0, content_index: 0 };

let speech: Int16Array | null = null;
let beganMs = 0;
let sentMs = 0;

const server = createServer();
const webSockets = new WebSocketServer({ server, perMessageDeflate: false });
webSockets.on("connection", (socket) => {
  const listener = new ClientListener();
  socket.send('{"type":"session.created"}');
  socket.on("message", (data) => listener.receive(data.toString()));
  socket.on("error", () => socket.terminate());
});
server.listen(0, "127.0.0.1", () => report({ port: (server.address() as AddressInfo).port }));

process.on("message", (command: SpeakingServerCommand) => {
  speech = command.speech;
  beganMs = performance.now();
  sentMs = 0;
  if (!speech)
    for (const socket of webSockets.clients) send(socket, { type: "response.done", response: { id: "resp_1" } });
});
process.on("disconnect", () => process.exit());
setInterval(speak, DELTA_MS / 4);

function speak(): void {
  if (!speech) return;
  for (; sentMs < performance.now() - beganMs + AHEAD_MS; sentMs += DELTA_MS) {
    const samples = new Int16Array(DELTA_MS * SAMPLES_PER_MS);
    const first = sentMs * SAMPLES_PER_MS;
    for (let index = 0; index < samples.length; index++) samples[index] = speech[(first + index) % speech.length];
    const delta = Buffer.from(samples.buffer).toString("base64");
    for (const socket of webSockets.clients) send(socket, { type: "response.output_audio.delta", ...PART, delta });
  }
}

/** Listens to what one client sends. */
class ClientListener {
  readonly #decoder = new PcmDecoder(1);
  #silentSamples = SILENCE_SAMPLES;

  receive(text: string): void {
    const event = JSON.parse(text) as { type?: string; audio?: string };
    if (event.type !== "input_audio_buffer.append") return;
    const atMs = sharedNowMs();
    for (const sample of this.#decoder.push(Buffer.from(event.audio ?? "", "base64"))) {
      if (Math.abs(sample) <= LOUD) this.#silentSamples += 1;
      else {
        if (this.#silentSamples >= SILENCE_SAMPLES) report({ heardAtMs: atMs });
        this.#silentSamples = 0;
      }
    }
  }
}

function send(socket: WebSocket, event: object): void {
  socket.send(JSON.stringify(event));
}

function report(message: SpeakingServerReport): void {
  process.send?.(message);
}
