// The embedded LiveKit server: random keys, loopback only, adopted if an earlier start left it running.
import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { RoomServiceClient } from "livekit-server-sdk";
import { readEnvFile, writeEnvFile } from "../env-file.ts";
import { type DaemonRecord, findDaemon, startDaemon, stopDaemon } from "../processes/daemon.ts";
import { withFileLock } from "../processes/file-lock.ts";
import { findFreePort, findFreeUdpPort } from "../processes/free-port.ts";
import { isSameProcess } from "../processes/process-identity.ts";
import { StartError, toFolderError } from "../start-error.ts";
import { findLiveKitProgram } from "./livekit-program.ts";

export interface LiveKitServerOptions {
  /** Keys and address go to `livekit.env` in it, the configuration to `livekit.yaml`, the log to `logs/livekit.log`. */
  dataDir: string;
  /** Address to listen on. Default 127.0.0.1. */
  host?: string;
  /** Receives media at the machine's own address too where `host` is loopback, to which Firefox sends nothing. Default
   *  false. */
  hasOwnAddress?: boolean;
  /** URL for webhooks about rooms, signed with the server's key. Default: none. */
  webhookUrl?: string;
  /** Folder for the downloaded or compiled program (`XDG_CACHE_HOME`). Default ~/.cache. */
  cacheDir?: string;
  /** Receives notes for the operator: downloading, compiling, changed ports. */
  report?: (line: string) => void;
  /** Aborts downloading and compiling. */
  signal?: AbortSignal;
}

export interface LiveKitServer {
  /** `ws://…` as participants on this machine reach it. */
  readonly url: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** True if the server was already running. */
  readonly isAdopted: boolean;
  /** False once the process is gone. */
  isRunning(): Promise<boolean>;
  /** Stops the server; participants are disconnected. Idempotent. */
  stop(): Promise<void>;
}

/** LiveKit's default ports, preferred so that tools with default settings work. */
const CUSTOMARY_PORTS: Ports = { http: 7880, tcp: 7881, udp: 7882 };
const READY_TIMEOUT_MS = 20_000;
const STOP_REPEAT_MS = 300;
const START_ATTEMPTS = 5;

/** Starts or adopts the server and writes `livekit.env` (mode 0600). Throws StartError with a remedy.
 *  */
export async function startLiveKitServer(options: LiveKitServerOptions): Promise<LiveKitServer> {
  const dataDir = resolve(options.dataDir);
  try {
    await mkdir(join(dataDir, "logs"), { recursive: true });
    const program = await findLiveKitProgram({ ...options, dataDir });
    return await withFileLock(join(dataDir, "livekit.lock"), { timeoutMs: 60_000 }, () =>
      startLocked(program, { ...options, dataDir }),
    );
  } catch (error) {
    throw toFolderError(error, dataDir) ?? error;
  }
}

async function startLocked(program: string, options: LiveKitServerOptions): Promise<LiveKitServer> {
  const { dataDir, host = "127.0.0.1", report = () => {} } = options;
  const address = reachableAddress(host);
  const ownAddress = options.hasOwnAddress && isLoopback(address) ? outwardAddress() : undefined;
  const envFile = join(dataDir, "livekit.env");
  const recordFile = join(dataDir, "livekit.process.json");
  const remembered = await readRemembered(envFile, report);
  const apiKey = remembered.LIVEKIT_API_KEY ?? `API${randomBytes(6).toString("hex")}`;
  const apiSecret = remembered.LIVEKIT_API_SECRET ?? randomBytes(32).toString("base64url");
  const fingerprint = createHash("sha256")
    .update([program, host, options.webhookUrl ?? "", apiKey, apiSecret, String(ownAddress)].join("\n"))
    .digest("hex");
  const describe = (url: string, record: DaemonRecord, isAdopted: boolean): LiveKitServer => ({
    url,
    apiKey,
    apiSecret,
    isAdopted,
    isRunning: () => isSameProcess(record),
    stop: () => stopDaemon(recordFile, STOP_REPEAT_MS),
  });

  const running = await findDaemon(recordFile);
  if (running && remembered.LIVEKIT_URL && running.fingerprint === fingerprint) {
    if (await answers(remembered.LIVEKIT_URL, apiKey, apiSecret))
      return describe(remembered.LIVEKIT_URL, running, true);
  }
  if (running) await stopDaemon(recordFile, STOP_REPEAT_MS);

  const rememberedPort = Number(new URL(remembered.LIVEKIT_URL ?? "ws://0").port);
  const configFile = join(dataDir, "livekit.yaml");
  const logFile = join(dataDir, "logs", "livekit.log");
  for (let attempt = 1; ; attempt++) {
    const ports = await choosePorts(host, attempt === 1 ? rememberedPort : undefined);
    const url = `ws://${address}:${ports.http}`;
    const { webhookUrl } = options;
    await writeFile(configFile, writeConfig({ host, address, ownAddress, ports, apiKey, apiSecret, webhookUrl }), {
      mode: 0o600,
    });
    await writeEnvFile(envFile, "The embedded LiveKit server. Written by `npm start`; the keys were made once.", {
      LIVEKIT_URL: url,
      LIVEKIT_API_KEY: apiKey,
      LIVEKIT_API_SECRET: apiSecret,
    });
    const logStart = (await stat(logFile).catch(() => null))?.size ?? 0;
    const record = await startDaemon({
      file: program,
      args: ["--config", configFile],
      recordFile,
      logFile,
      fingerprint,
    });
    if (await becomesReady(record, () => answers(url, apiKey, apiSecret))) {
      if (rememberedPort && ports.http !== rememberedPort) {
        report(`another program listens on ${rememberedPort}: the LiveKit server moves to port ${ports.http}`);
      }
      return describe(url, record, false);
    }
    await stopDaemon(recordFile, STOP_REPEAT_MS);
    const log = (await readFile(logFile).catch(() => Buffer.alloc(0))).subarray(logStart).toString();
    // Between choosing a port and listening on it another program may have taken it.
    if (attempt === START_ATTEMPTS || !/address already in use/.test(log)) throw toServerError(log, logFile);
  }
}

interface Ports {
  /** Signalling and the server's API. */
  http: number;
  tcp: number;
  udp: number;
}

/** The ports of the last start, LiveKit's default ports, or any free ones. */
async function choosePorts(host: string, rememberedHttp: number | undefined): Promise<Ports> {
  return {
    http: await findFreePort([rememberedHttp || CUSTOMARY_PORTS.http], host),
    tcp: await findFreePort([CUSTOMARY_PORTS.tcp], host),
    udp: await findFreeUdpPort([CUSTOMARY_PORTS.udp], host),
  };
}

/** False if the process ended, or did not answer within `READY_TIMEOUT_MS`. */
async function becomesReady(record: DaemonRecord, answers: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!(await answers())) {
    if (!(await isSameProcess(record)) || Date.now() > deadline) return false;
    await delay(50);
  }
  return true;
}

/** Address and keys of the last start. If the file is damaged, reports that and returns an empty object: new keys are
 *  generated. */
async function readRemembered(envFile: string, report: (line: string) => void): Promise<Record<string, string>> {
  const remembered = await readEnvFile(envFile);
  if (Object.keys(remembered).length === 0) return {};
  const { LIVEKIT_URL: url = "", LIVEKIT_API_KEY: key = "", LIVEKIT_API_SECRET: secret = "" } = remembered;
  const isWhole = URL.canParse(url) && /^\w+$/.test(key) && /^[\w-]{32,}$/.test(secret);
  if (isWhole) return remembered;
  report(`${envFile} is damaged: the LiveKit server gets new keys`);
  return {};
}

/** True if a LiveKit server answers there and accepts our keys. */
async function answers(url: string, apiKey: string, apiSecret: string): Promise<boolean> {
  try {
    await new RoomServiceClient(url.replace(/^ws/, "http"), apiKey, apiSecret, { requestTimeout: 2 }).listRooms([]);
    return true;
  } catch {
    return false; // Not ready yet, or another server.
  }
}

/** The address that participants use: the listening one, or this machine's first external one if it listens on all. */
function reachableAddress(host: string): string {
  if (host === "localhost") return "127.0.0.1";
  if (host !== "0.0.0.0" && host !== "::") return host.includes(":") ? `[${host}]` : host;
  return outwardAddress() ?? "127.0.0.1";
}

/** This machine's first external IPv4 address. */
function outwardAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flat()
    .find((candidate) => candidate && !candidate.internal && candidate.family === "IPv4")?.address;
}

function isLoopback(address: string): boolean {
  return address.startsWith("127.");
}

interface ConfigValues {
  host: string;
  address: string;
  /** Receives media besides loopback. */
  ownAddress: string | undefined;
  ports: Ports;
  apiKey: string;
  apiSecret: string;
  webhookUrl: string | undefined;
}

function writeConfig(values: ConfigValues): string {
  const isLocal = isLoopback(values.address);
  const mediaRanges = ["127.0.0.0/8", ...(values.ownAddress === undefined ? [] : [`${values.ownAddress}/32`])];
  const webhook = values.webhookUrl
    ? `webhook:\n  api_key: ${values.apiKey}\n  urls:\n    - ${JSON.stringify(values.webhookUrl)}\n`
    : "";
  return `# Written by \`npm start\`: changes are lost. livekit.yaml in the repository explains the settings.
port: ${values.ports.http}
bind_addresses:
  - ${JSON.stringify(values.host === "localhost" ? "127.0.0.1" : values.host)}
keys:
  ${values.apiKey}: ${values.apiSecret}
rtc:
${values.ownAddress === undefined ? `  node_ip: ${values.address}` : "  # No node_ip, which would take the place of every address."}
  use_external_ip: false
  # ICE over TCP ignores bind_addresses, so that it would listen on every interface: off on loopback, where UDP always works.
  tcp_port: ${isLocal ? 0 : values.ports.tcp}
  udp_port: ${values.ports.udp}
  enable_loopback_candidate: ${isLocal}
${isLocal ? `  ips:\n    includes: [${mediaRanges.join(", ")}]\n` : ""}  # Without an entry here clients are told to ask public STUN servers. The port is STUN's: Firefox joins no room if browsers block it. The
  # address is of IPv6, so that the server, which listens on IPv4, does not wait for its answer.
  stun_servers: ["[::1]:3478"]
room:
  auto_create: true
  empty_timeout: 300
  departure_timeout: 20
${webhook}logging:
  level: info
  json: true
`;
}

function toServerError(log: string, logFile: string): StartError {
  const last = log.trim().split("\n").slice(-1)[0] ?? "";
  return new StartError(
    `The LiveKit server did not start: ${last || "it wrote no log"}`,
    `Its log is ${logFile}. To use a server of your own set LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET.`,
  );
}
