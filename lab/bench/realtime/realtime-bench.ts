// `npm run bench -- realtime`: what realtime calls cost and how soon they are answered. Relay, api and worker are those
// of a whole service; servers and callers are processes of the benchmark.
import { speakTexts } from "../../../cli/conversation/person-voice.ts";
import { findServiceChild } from "../../../cli/start/processes/service-record.ts";
import type { Progress } from "../../../cli/start/progress.ts";
import { ConversationStage } from "../conversation/conversation-stage.ts";
import { QUESTIONS, shortAnswer } from "../conversation/person-script.ts";
import { type DrivenService, startOwnService } from "../service/own-service.ts";
import type { EchoServerReady } from "./echo-server.ts";
import { endHelper, firstMessage, startHelper } from "./helper-process.ts";
import { IDLE_SOCKETS, measureEvents } from "./measure-events.ts";
import { measureOwn } from "./measure-own.ts";
import { measureWebRtc } from "./measure-webrtc.ts";
import type { OwnMetrics, RealtimeMetrics, RealtimePart } from "./realtime-metrics.ts";

const SPEAKING_MODEL = "bench-speaking";
/** Of each kind of conversation. */
const OWN_TURNS = 8;
const FULL_OWN_TURNS = 24;

export interface RealtimeBenchOptions {
  environment: Readonly<Record<string, string | undefined>>;
  progress: Progress;
  parts: readonly RealtimePart[];
  /** More turns of `own`. */
  isFull: boolean;
  /** Registers a cleanup for an interrupted run. */
  onClose(close: () => Promise<void>): void;
  /** Default 500. */
  idleSockets?: number;
}

/** Measures the parts, one after the other. */
export async function benchRealtime(options: RealtimeBenchOptions): Promise<RealtimeMetrics> {
  const { parts } = options;
  const hasRelayParts = parts.includes("events") || parts.includes("webrtc");
  return {
    ...(hasRelayParts && (await measureRelay(options))),
    ...(parts.includes("own") && { own: await measureOwnParts(options) }),
  };
}

/** The service's own speech recognition, language model and voice; a server of the benchmark is their language model.
 *  */
async function measureOwnParts({ environment, progress, isFull, onClose }: RealtimeBenchOptions): Promise<OwnMetrics> {
  const report = (line: string) => progress.note(line);
  const questions = await progress.step(
    "person",
    () => speakTexts(QUESTIONS),
    () => "sentences of the person",
  );
  const stage = await progress.step(
    "service",
    () => ConversationStage.start({ environment, voice: "built-in", report, onClose }),
    () => "ready",
  );
  try {
    stage.chat.options.answer = shortAnswer;
    const turns = isFull ? FULL_OWN_TURNS : OWN_TURNS;
    return await progress.step(
      "own",
      () => measureOwn(stage, questions, turns),
      () => "done",
    );
  } finally {
    await stage.close();
  }
}

/** The relay in front of servers of the benchmark. */
async function measureRelay(options: RealtimeBenchOptions): Promise<RealtimeMetrics> {
  const { progress, parts, idleSockets = IDLE_SOCKETS } = options;
  const echo = startHelper(new URL("./echo-server.ts", import.meta.url));
  const speaking = startHelper(new URL("./speaking-server.ts", import.meta.url));
  let service: DrivenService | null = null;
  const close = async () => {
    await service?.close();
    await Promise.all([endHelper(echo), endHelper(speaking)]);
  };
  options.onClose(close);
  try {
    const [echoing, spoken] = await Promise.all([
      firstMessage<EchoServerReady>(echo),
      firstMessage<{ port: number }>(speaking),
    ]);
    const upstreams = [
      { name: "gpt-realtime-mini", base_url: `http://127.0.0.1:${echoing.port}/v1` },
      { name: SPEAKING_MODEL, base_url: `http://127.0.0.1:${spoken.port}/v1` },
    ];
    const environment = { ...options.environment, AVATAR_REALTIME_UPSTREAMS: JSON.stringify(upstreams) };
    service = await progress.step(
      "service",
      () => startOwnService({ environment, report: (line) => progress.note(line) }),
      () => "ready",
    );
    const { client, apiSecret, dataDir } = service;
    const relayPid = dataDir === null ? null : await findServiceChild(dataDir, "relay");
    if (relayPid === null) throw new Error("the service has no relay");
    const headers = { "api-secret": apiSecret };
    const metrics: RealtimeMetrics = {};
    if (parts.includes("events")) {
      const directUrl = `ws://127.0.0.1:${echoing.port}`;
      const relayUrl = `${client.baseUrl.replace(/^http/, "ws")}/v1/realtime`;
      metrics.events = await measureEvents({ directUrl, relayUrl, headers, relayPid, idleSockets, progress });
    }
    if (parts.includes("webrtc")) {
      const url = `${client.baseUrl}/v1/realtime/connect?model=${SPEAKING_MODEL}`;
      metrics.webrtc = await measureWebRtc({ url, headers, relayPid, upstream: speaking, progress });
    }
    return metrics;
  } finally {
    await close();
  }
}
