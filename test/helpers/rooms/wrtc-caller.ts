// A caller of /v1/realtime/connect, as a browser would be: a microphone, a loudspeaker and the channel of events.
import { setTimeout as delay } from "node:timers/promises";
import { loadWrtc } from "../../../relay/webrtc/load-wrtc.ts";
import { waitFor } from "../wait-for.ts";

const RATE_HZ = 48_000;
const FRAME_SAMPLES = RATE_HZ / 100;
const TONE_HZ = 300;
const LOUD = 2_000;

export interface WrtcCallerOptions {
  url: string;
  headers: Record<string, string>;
  /** Sent as `session` of a form, with the offer. */
  form?: object;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into events freely, and a wrong shape fails them anyway
type Event = any;

export class WrtcCaller {
  readonly events: Event[] = [];
  /** How much of what was heard was loud. */
  loudMs = 0;
  callId = "";
  readonly closed: Promise<void>;
  readonly #options: WrtcCallerOptions;
  readonly #peer: RTCPeerConnection;
  readonly #channel: RTCDataChannel;
  readonly #track: MediaStreamTrack;
  readonly #timer: NodeJS.Timeout;
  readonly #sinks: { stop(): void }[] = [];
  #isSpeaking = false;
  #phase = 0;

  constructor(options: WrtcCallerOptions) {
    this.#options = options;
    const { RTCPeerConnection, nonstandard } = loadWrtc();
    this.#peer = new RTCPeerConnection({});
    const microphone = new nonstandard.RTCAudioSource();
    this.#track = microphone.createTrack();
    this.#peer.addTrack(this.#track);
    this.#channel = this.#peer.createDataChannel("oai-events");
    this.#channel.onmessage = ({ data }) => this.events.push(JSON.parse(data));
    this.closed = new Promise((resolve) => {
      this.#channel.onclose = () => resolve();
    });
    this.#peer.ontrack = ({ track }) => {
      const sink = new nonstandard.RTCAudioSink(track);
      this.#sinks.push(sink);
      sink.ondata = ({ samples, sampleRate }) => {
        if (samples.some((sample) => Math.abs(sample) > LOUD)) this.loudMs += (samples.length * 1000) / sampleRate;
      };
    };
    let dueMs = performance.now();
    this.#timer = setInterval(() => {
      for (; dueMs < performance.now(); dueMs += 10) {
        const samples = this.#frame();
        const data = { samples, sampleRate: RATE_HZ, channelCount: 1, numberOfFrames: FRAME_SAMPLES };
        microphone.onData({ ...data, bitsPerSample: 16 });
      }
    }, 10);
  }

  /** Opens another channel. */
  openChannel(label: string): RTCDataChannel {
    return this.#peer.createDataChannel(label);
  }

  /** The offer that `connect` sends. */
  async offer(): Promise<string> {
    await this.#peer.setLocalDescription(await this.#peer.createOffer());
    return this.#peer.localDescription?.sdp ?? "";
  }

  /** Sends the offer and resolves with the answer; connects if it is 201. */
  async connect(): Promise<Response> {
    const { url, headers, form: session } = this.#options;
    const offer = await this.offer();
    const form = new FormData();
    form.set("sdp", offer);
    form.set("session", JSON.stringify(session));
    const answer = await (session
      ? fetch(url, { method: "POST", headers, body: form })
      : fetch(url, { method: "POST", headers: { ...headers, "content-type": "application/sdp" }, body: offer }));
    if (answer.status !== 201) return answer;
    this.callId = answer.headers.get("x-service-call") ?? "";
    await this.#peer.setRemoteDescription({ type: "answer", sdp: await answer.text() });
    return answer;
  }

  send(event: object): void {
    this.#channel.send(JSON.stringify(event));
  }

  /** The first event of a type, once it arrives. */
  async event(type: string): Promise<Event> {
    await waitFor(() => this.count(type) > 0, type);
    return this.events.find((event) => event.type === type);
  }

  count(type: string): number {
    return this.events.filter((event) => event.type === type).length;
  }

  /** Sends a tone from now on. Returns the time, ms of `performance.now`. */
  speak(): number {
    this.#isSpeaking = true;
    return performance.now();
  }

  hush(): void {
    this.#isSpeaking = false;
  }

  /** Idempotent. */
  close(): void {
    clearInterval(this.#timer);
    for (const sink of this.#sinks.splice(0)) sink.stop();
    // A track that is not stopped keeps the process alive.
    this.#track.stop();
    this.#peer.close();
  }

  #frame(): Int16Array {
    const frame = new Int16Array(FRAME_SAMPLES);
    if (!this.#isSpeaking) return frame;
    return frame.map(() => 8_000 * Math.sin((this.#phase++ * 2 * Math.PI * TONE_HZ) / RATE_HZ));
  }
}

/** A caller in a process of its own connects, and says so; it ends when it is killed. */
export async function connectAndStay(options: WrtcCallerOptions): Promise<never> {
  const caller = new WrtcCaller(options);
  await caller.connect();
  await caller.event("session.created");
  process.send?.("connected");
  for (;;) await delay(1_000);
}
