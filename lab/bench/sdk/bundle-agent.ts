// A voice agent with an avatar file, as a program of its own: it speaks in real time and watches its event loop.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { BundleHost } from "../../../sdk/livekit-agents/bundle/bundle-host.ts";
import { BundleParticipant } from "../../../sdk/livekit-agents/bundle/bundle-participant.ts";
import { SpeechSender } from "../speech-sender.ts";

/** Where the face is rendered: nowhere, in the agent's own thread, or in a process beside it. */
export type BundlePlace = "nowhere" | "inside" | "beside";

export interface BundleAgentTask {
  place: BundlePlace;
  bundle: string;
  livekitUrl: string;
  roomName: string;
  agentToken: string;
  avatarToken: string;
  avatarIdentity: string;
  speech: Int16Array;
}

export type BundleAgentMessage =
  /** The face is in the room. */
  { type: "joined"; startMs: number } | { type: "spoken"; delayMs: LoopDelay; startDelayMs: LoopDelay };

/** How late the event loop was, ms. */
export interface LoopDelay {
  p50: number;
  p99: number;
  max: number;
}

const NANOSECONDS_PER_MS = 1e6;
const FINISH_TIMEOUT_MS = 30_000;
const silent = { debug: () => undefined, warn: () => undefined };
const tell = (message: BundleAgentMessage) => process.send?.(message);

async function show(task: BundleAgentTask): Promise<() => Promise<void>> {
  const { place, bundle, livekitUrl, roomName, avatarToken: livekitToken } = task;
  if (place === "nowhere") return async () => undefined;
  if (place === "inside") {
    const onEnd = () => process.exit(1);
    const participant = await BundleParticipant.join({ bundle, livekitUrl, livekitToken }, { logger: silent, onEnd });
    return () => participant.close();
  }
  const host = new BundleHost({ bundle, logger: silent });
  const livekit = { url: livekitUrl, apiKey: "", apiSecret: "" };
  await host.start({ livekit, roomName, livekitToken }, new AbortController().signal);
  return () => host.end();
}

async function run(task: BundleAgentTask): Promise<void> {
  const sender = new SpeechSender(task.avatarIdentity);
  await sender.start(task.livekitUrl, task.agentToken);
  const starting = monitorEventLoopDelay({ resolution: 1 });
  starting.enable();
  const beganMs = performance.now();
  const close = await show(task);
  starting.disable();
  tell({ type: "joined", startMs: performance.now() - beganMs });
  await new Promise((resolve) => process.once("message", resolve));
  const speaking = monitorEventLoopDelay({ resolution: 1 });
  speaking.enable();
  await sender.sendInRealTime(task.speech);
  speaking.disable();
  tell({ type: "spoken", delayMs: summary(speaking), startDelayMs: summary(starting) });
  if (task.place !== "nowhere") await sender.waitUntilFinished(1, FINISH_TIMEOUT_MS);
  await close();
  await sender.close();
}

function summary(delays: ReturnType<typeof monitorEventLoopDelay>): LoopDelay {
  const ms = (nanoseconds: number) => Math.round((nanoseconds / NANOSECONDS_PER_MS) * 10) / 10;
  return { p50: ms(delays.percentile(50)), p99: ms(delays.percentile(99)), max: ms(delays.max) };
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
