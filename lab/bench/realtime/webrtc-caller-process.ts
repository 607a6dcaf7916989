// Process of the realtime benchmark: a caller of /v1/realtime/connect with its microphone on. Arguments: URL and
// headers, as JSON. It ends with its parent.
import { levelOf, SOUND_LEVEL } from "../../../cli/conversation/sound-level.ts";
import { loadWrtc } from "../../../relay/webrtc/load-wrtc.ts";
import { toSharedMs } from "../clients/shared-clock.ts";

/** What it is told to say, mono at 48 kHz. */
export type CallerCommand = { say: Int16Array };

/** What it tells, in ms of the shared clock: the channel of events is open; the first and the last block of what it
 *  was to say have left the microphone; 10 ms of sound were heard; it could not call. */
export type CallerReport =
  | "connected"
  | { startMs: number; endMs: number }
  | { soundAtMs: number }
  | { failure: string };

const RATE_HZ = 48_000;
const BLOCK_MS = 10;
const BLOCK_SAMPLES = (RATE_HZ * BLOCK_MS) / 1000;
/** What the room sounds like, about −66 dB. */
const NOISE_LEVEL = 16;

const { RTCPeerConnection, nonstandard } = loadWrtc();
const peer = new RTCPeerConnection({});
const microphone = new nonstandard.RTCAudioSource();
peer.addTrack(microphone.createTrack());
const channel = peer.createDataChannel("oai-events");
channel.onopen = () => report("connected");
// Kept for the length of the process: a sink that is collected hears nothing.
const sinks: object[] = [];
peer.ontrack = ({ track }) => {
  const sink = new nonstandard.RTCAudioSink(track);
  sinks.push(sink);
  sink.ondata = ({ samples }) => {
    if (levelOf(samples) > SOUND_LEVEL) report({ soundAtMs: toSharedMs(performance.now()) });
  };
};

const queue: Int16Array[] = [];
let startMs: number | undefined;
let dueMs = performance.now();
process.on("message", ({ say }: CallerCommand) => {
  for (let at = 0; at < say.length; at += BLOCK_SAMPLES) {
    const block = new Int16Array(BLOCK_SAMPLES);
    block.set(say.subarray(at, at + BLOCK_SAMPLES));
    queue.push(block);
  }
});
process.on("disconnect", () => process.exit());
setInterval(sendDue, BLOCK_MS / 2);
await connect().catch((error: unknown) => report({ failure: String(error) }));

function sendDue(): void {
  for (; dueMs <= performance.now(); dueMs += BLOCK_MS) {
    const block = queue.shift();
    const samples = block ?? noise();
    const atMs = toSharedMs(performance.now());
    const data = { samples, sampleRate: RATE_HZ, channelCount: 1, numberOfFrames: BLOCK_SAMPLES };
    microphone.onData({ ...data, bitsPerSample: 16 });
    if (!block) continue;
    startMs ??= atMs;
    if (queue.length > 0) continue;
    report({ startMs, endMs: atMs });
    startMs = undefined;
  }
}

async function connect(): Promise<void> {
  const [url, headers] = process.argv.slice(2);
  await peer.setLocalDescription(await peer.createOffer());
  const answer = await fetch(url, {
    method: "POST",
    headers: { ...JSON.parse(headers), "content-type": "application/sdp" },
    body: peer.localDescription?.sdp ?? "",
  });
  const sdp = await answer.text();
  if (answer.status !== 201) throw new Error(`the call was refused with ${answer.status}: ${sdp.slice(0, 200)}`);
  await peer.setRemoteDescription({ type: "answer", sdp });
}

function noise(): Int16Array {
  return Int16Array.from({ length: BLOCK_SAMPLES }, () => Math.round((Math.random() * 2 - 1) * NOISE_LEVEL));
}

function report(message: CallerReport): void {
  process.send?.(message);
}
