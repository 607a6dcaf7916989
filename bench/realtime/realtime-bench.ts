// `npm run bench -- realtime`: what realtime calls cost and how soon they are answered. Relay, api and worker are those
// of a whole service; servers and callers are processes of the benchmark.
import type { Progress } from "../../cli/start/progress.ts";
import { findServiceChild } from "../../cli/start/service-record.ts";
import { type DrivenService, startOwnService } from "../service/own-service.ts";
import type { EchoServerReady } from "./echo-server.ts";
import { endHelper, firstMessage, startHelper } from "./helper-process.ts";
import { IDLE_SOCKETS, measureEvents } from "./measure-events.ts";
import { measureWebRtc } from "./measure-webrtc.ts";
import type { RealtimeFigures, RealtimePart } from "./realtime-figures.ts";

const SPEAKING_MODEL = "bench-speaking";

export interface RealtimeBenchOptions {
  environment: Readonly<Record<string, string | undefined>>;
  progress: Progress;
  parts: readonly RealtimePart[];
  /** Registers a cleanup for an interrupted run. */
  onClose(close: () => Promise<void>): void;
  /** Default 500. */
  idleSockets?: number;
}

/** Measures the parts, one after the other. */
export async function benchRealtime(options: RealtimeBenchOptions): Promise<RealtimeFigures> {
  const { parts } = options;
  if (parts.includes("events") || parts.includes("webrtc")) return measureRelay(options);
  return {};
}

/** The relay in front of servers of the benchmark. */
async function measureRelay(options: RealtimeBenchOptions): Promise<RealtimeFigures> {
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
    const figures: RealtimeFigures = {};
    if (parts.includes("events")) {
      const directUrl = `ws://127.0.0.1:${echoing.port}`;
      const relayUrl = `${client.baseUrl.replace(/^http/, "ws")}/v1/realtime`;
      figures.events = await measureEvents({ directUrl, relayUrl, headers, relayPid, idleSockets, progress });
    }
    if (parts.includes("webrtc")) {
      const url = `${client.baseUrl}/v1/realtime/connect?model=${SPEAKING_MODEL}`;
      figures.webrtc = await measureWebRtc({ url, headers, relayPid, upstream: speaking, progress });
    }
    return figures;
  } finally {
    await close();
  }
}
