// A caller over a WebSocket with a microphone that is always on, as a client of OpenAI's realtime events.
import { once } from "node:events";
import { WebSocket } from "ws";
import { z } from "zod";
import { levelOf, SOUND_LEVEL } from "../../../cli/conversation/sound-level.ts";

/** Of what it says and hears. */
export const SOCKET_RATE_HZ = 24_000;
const EVENT_MS = 20;
const EVENT_SAMPLES = (SOCKET_RATE_HZ * EVENT_MS) / 1000;
const SAMPLES_PER_MS = SOCKET_RATE_HZ / 1000;
/** Audio is judged in blocks of this length, ms. */
const BLOCK_MS = 10;
/** What the room sounds like, about −66 dB. */
const NOISE_LEVEL = 16;

const eventSchema = z.object({ type: z.string(), delta: z.string().optional() });

export class SocketCaller {
  readonly #socket: WebSocket;
  readonly #timer: NodeJS.Timeout;
  #queue: Int16Array[] = [];
  #whenSaid: ((endMs: number) => void) | undefined;
  #sentMs = performance.now();
  /** When the first audio of each answer arrived, and when a client that plays at once has played its first sound. */
  readonly #audioMs: number[] = [];
  readonly #soundsMs: number[] = [];
  #isFirst = false;
  #isSilentYet = false;
  /** When a client that plays at once has played everything. */
  #playedMs = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("error", () => undefined);
    socket.on("message", (data) => this.#take(eventSchema.parse(JSON.parse(data.toString()))));
    this.#timer = setInterval(() => this.#sendDue(), EVENT_MS / 4);
  }

  /** Calls. `url`: `ws://…/v1/realtime?model=…`. Throws Error if the call is refused. */
  static async call(url: string, headers: Record<string, string>): Promise<SocketCaller> {
    const socket = new WebSocket(url, { headers, perMessageDeflate: false });
    await once(socket, "message");
    return new SocketCaller(socket);
  }

  /** Speaks in real time. `samples`: mono at 24 kHz. Resolves with the time at which the last event was sent, ms of
   *  `performance.now`. */
  say(samples: Int16Array): Promise<{ endMs: number }> {
    for (let at = 0; at < samples.length; at += EVENT_SAMPLES) {
      const block = new Int16Array(EVENT_SAMPLES);
      block.set(samples.subarray(at, at + EVENT_SAMPLES));
      this.#queue.push(block);
    }
    return new Promise((resolve) => {
      this.#whenSaid = (endMs) => resolve({ endMs });
    });
  }

  /** When the first sound of an answer was heard at `sinceMs` or later by a client that plays at once; undefined if
   *  none was. */
  firstSoundSince(sinceMs: number): number | undefined {
    return this.#soundsMs.find((atMs) => atMs >= sinceMs);
  }

  /** The same for the arrival of its first audio. */
  firstAudioSince(sinceMs: number): number | undefined {
    return this.#audioMs.find((atMs) => atMs >= sinceMs);
  }

  get lastSoundMs(): number | undefined {
    return this.#audioMs.length > 0 ? this.#playedMs : undefined;
  }

  /** Idempotent. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#socket.terminate();
  }

  #sendDue(): void {
    for (; this.#sentMs <= performance.now(); this.#sentMs += EVENT_MS) {
      const block = this.#queue.shift();
      const { buffer } = block ?? noise();
      const audio = Buffer.from(buffer).toString("base64");
      this.#socket.send(JSON.stringify({ type: "input_audio_buffer.append", audio }));
      if (block && this.#queue.length === 0) this.#whenSaid?.(performance.now());
    }
  }

  #take({ type, delta = "" }: z.infer<typeof eventSchema>): void {
    if (type === "response.created") {
      this.#isFirst = true;
      this.#isSilentYet = true;
    }
    if (type !== "response.output_audio.delta") return;
    const nowMs = performance.now();
    if (this.#isFirst) this.#audioMs.push(nowMs);
    this.#isFirst = false;
    const samples = new Int16Array(new Uint8Array(Buffer.from(delta, "base64")).buffer);
    const startMs = Math.max(this.#playedMs, nowMs);
    const silentMs = silenceBefore(samples);
    if (this.#isSilentYet && silentMs !== undefined) {
      this.#soundsMs.push(startMs + silentMs);
      this.#isSilentYet = false;
    }
    this.#playedMs = startMs + samples.length / SAMPLES_PER_MS;
  }
}

/** Silence before the first sound, ms; undefined if all is silent. */
function silenceBefore(samples: Int16Array): number | undefined {
  const size = BLOCK_MS * SAMPLES_PER_MS;
  for (let at = 0; at < samples.length; at += size) {
    if (levelOf(samples.subarray(at, at + size)) > SOUND_LEVEL) return at / SAMPLES_PER_MS;
  }
  return undefined;
}

function noise(): Int16Array {
  return Int16Array.from({ length: EVENT_SAMPLES }, () => Math.round((Math.random() * 2 - 1) * NOISE_LEVEL));
}
