// A voice agent with an avatar file, as a program of its own: it speaks in real time and watches its event loop.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { BundleHost } from "../../../sdk/livekit-agents/bundle/bundle-host.ts";
import { SpeechSender } from "../speech-sender.ts";

export interface BundleAgentTask {
  /** Undefined for an agent without a face. */
  bundle: Uint8Array | undefined;
  livekitUrl: string;
  roomName: string;
  agentToken: string;
  avatarToken: string;
  avatarIdentity: string;
  speech: Int16Array;
}

export type BundleAgentMessage =
  /** Its face is in the room, if it has one. */
  | { type: "joined"; startMs: number; facePid: number | undefined }
  /** How late its event loop was meanwhile: 99th percentile. */
  | { type: "spoken"; whileSpeakingMs: number; whileStartingMs: number };

const NANOSECONDS_PER_MS = 1e6;
const FINISH_TIMEOUT_MS = 30_000;
const silent = { debug: () => undefined, warn: () => undefined };
const tell = (message: BundleAgentMessage) => process.send?.(message);

async function show({ bundle, livekitUrl, roomName, avatarToken: livekitToken }: BundleAgentTask): Promise<BundleHost> {
  const host = new BundleHost({ bundle: bundle!, logger: silent });
  const livekit = { url: livekitUrl, apiKey: "", apiSecret: "" };
  await host.start({ livekit, roomName, livekitToken }, new AbortController().signal);
  return host;
}

async function run(task: BundleAgentTask): Promise<void> {
  const sender = new SpeechSender(task.avatarIdentity);
  await sender.start(task.livekitUrl, task.agentToken);
  const starting = monitorEventLoopDelay({ resolution: 1 });
  starting.enable();
  const beganMs = performance.now();
  const host = task.bundle && (await show(task));
  starting.disable();
  tell({ type: "joined", startMs: performance.now() - beganMs, facePid: host?.pid });
  await new Promise((resolve) => process.once("message", resolve));
  const speaking = monitorEventLoopDelay({ resolution: 1 });
  speaking.enable();
  await sender.sendInRealTime(task.speech);
  speaking.disable();
  tell({ type: "spoken", whileSpeakingMs: p99(speaking), whileStartingMs: p99(starting) });
  if (host) await sender.waitUntilFinished(1, FINISH_TIMEOUT_MS);
  await host?.end();
  await sender.close();
}

/** Of how late the event loop was, ms. */
function p99(delays: ReturnType<typeof monitorEventLoopDelay>): number {
  return delays.percentile(99) / NANOSECONDS_PER_MS;
}

process.once("message", (task: BundleAgentTask) => {
  run(task).then(
    () => process.exit(0),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});
