// Reads the version of a LiveKit server and checks that it is new enough. The server reports its version to agent
// workers when they register. Registering under a name that is never dispatched has no other effect.
import { JobType, ServerInfo_Edition, ServerMessage, WorkerMessage } from "@livekit/protocol";
import { AccessToken } from "livekit-server-sdk";
import { WebSocket } from "undici";

/** First version with PerformRpc; with older ones, browsers rejoin every 15 s. Source: the contract. */
export const LEAST_LIVEKIT_VERSION = "1.9.12";

/** No agent is ever dispatched under this name. */
const PROBE_NAME = "open-avatar-service-version-probe";
/** Default of `timeoutMs`. */
const PROBE_TIMEOUT_MS = 3_000;
/** `/readyz` is public: the server is probed at most once in this time, however often it is called. */
const CACHE_MS = 10_000;

export interface LiveKitServerState {
  /** `unreachable`: no answer in time, or our keys were refused. `outdated`: older than `LEAST_LIVEKIT_VERSION`. */
  status: "ok" | "unreachable" | "outdated";
  /** Null if unreachable. */
  version: string | null;
}

export interface LiveKitProbeOptions {
  /** ws://, wss://, http:// or https:// URL. */
  url: string;
  apiKey: string;
  apiSecret: string;
  /** Limit for the whole probe, in ms. Default 3000. */
  timeoutMs?: number;
}

/** Reads the version of a server. Never rejects. */
export async function probeLiveKit(options: LiveKitProbeOptions): Promise<LiveKitServerState> {
  const info = await readServerInfo(options).catch(() => null);
  if (info === null) return { status: "unreachable", version: null };
  // LiveKit Cloud has its own version numbers and is always current.
  const isCurrent = info.edition === ServerInfo_Edition.Cloud || isAtLeast(info.version, LEAST_LIVEKIT_VERSION);
  return { status: isCurrent ? "ok" : "outdated", version: info.version };
}

/** A probe of one server that runs at most once in ten seconds; calls in between share the last result. */
export function createLiveKitProbe(options: LiveKitProbeOptions): () => Promise<LiveKitServerState> {
  let latest: Promise<LiveKitServerState> | null = null;
  let validUntilMs = 0;
  return () => {
    if (latest === null || performance.now() >= validUntilMs) {
      latest = probeLiveKit(options);
      validUntilMs = performance.now() + CACHE_MS;
    }
    return latest;
  };
}

/** Whether a version (`1.11.0`, suffixes ignored) is `least` or newer. A version that cannot be parsed counts as new
 *  enough. */
export function isAtLeast(version: string, least: string): boolean {
  const given = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (given === undefined) return true;
  for (const [index, part] of least.split(".").map(Number).entries()) {
    if (given[index] !== part) return given[index] > part;
  }
  return true;
}

async function readServerInfo(options: LiveKitProbeOptions): Promise<{ version: string; edition: ServerInfo_Edition }> {
  const { url, apiKey, apiSecret, timeoutMs = PROBE_TIMEOUT_MS } = options;
  const token = new AccessToken(apiKey, apiSecret, { ttl: 60 });
  token.addGrant({ agent: true });
  const address = `${url.replace(/^http/, "ws").replace(/\/+$/, "")}/agent?protocol=1`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${await token.toJwt()}` } });
  socket.binaryType = "arraybuffer";
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
      const register = { type: JobType.JT_ROOM, agentName: PROBE_NAME, version: "1" };
      const request = new WorkerMessage({ message: { case: "register", value: register } });
      socket.addEventListener("open", () => socket.send(Uint8Array.from(request.toBinary())));
      socket.addEventListener("error", () => reject(new Error("the connection failed")));
      socket.addEventListener("close", () => reject(new Error("the server closed the connection")));
      socket.addEventListener("message", ({ data }) => {
        try {
          const { message } = ServerMessage.fromBinary(new Uint8Array(data as ArrayBuffer));
          if (message.case !== "register") return;
          const { version = "", edition = ServerInfo_Edition.Standard } = message.value.serverInfo ?? {};
          resolve({ version, edition });
        } catch (error) {
          reject(error);
        }
      });
    });
  } finally {
    clearTimeout(timer);
    socket.close();
  }
}
