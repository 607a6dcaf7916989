// Finds the processes of a running service from its address: by who listens on its ports and who is connected to them.
import { readFile } from "node:fs/promises";
import { type ProcessCpu, readProcesses, treeOf } from "../cpu-time.ts";
import { readTcpSockets, type TcpSocket } from "./tcp-sockets.ts";

/** Process ids of the parts; each part includes its descendants. A part on another machine is null or missing. */
export interface ServiceProcesses {
  /** Parent of api, relay and workers, if they were started by one command. */
  start: number | null;
  api: number;
  /** The realtime relay, if the same command started it. */
  relay: number | null;
  /** Parents of the session processes. */
  workers: number[];
  livekit: number | null;
  postgres: number | null;
}

export type ServicePart = "service" | "start" | "api" | "relay" | "livekit" | "postgres";

export interface ServiceAddresses {
  /** `http://…` of the REST api on this machine. */
  apiUrl: string;
  /** `ws://…` of its LiveKit server. */
  livekitUrl: string;
}

interface Findings {
  addresses: ServiceAddresses;
  sockets: readonly TcpSocket[];
  processes: readonly ProcessCpu[];
  /** Processes that are connected to the LiveKit server and do not belong to the service. */
  strangers?: readonly number[];
  nameOf(pid: number): string;
}

/** Finds the processes. A worker is recognized by its connection to the LiveKit server, so `strangers` names the
 *  caller's own processes that are connected to it. Throws Error if no process of this machine listens on the api's
 *  port. */
export async function findServiceProcesses(
  addresses: ServiceAddresses,
  strangers: readonly number[] = [],
): Promise<ServiceProcesses> {
  const [sockets, processes] = await Promise.all([readTcpSockets(), readProcesses()]);
  const names = new Map<number, string>();
  for (const { pid } of processes) names.set(pid, (await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")).trim());
  return chooseServiceProcesses({ addresses, sockets, processes, strangers, nameOf: (pid) => names.get(pid) ?? "" });
}

/** The choice alone, without reading anything. Throws like `findServiceProcesses`. */
export function chooseServiceProcesses(findings: Findings): ServiceProcesses {
  const { addresses, sockets, processes, strangers = [], nameOf } = findings;
  const listener = (port: number) =>
    sockets.find(({ isListening, localPort, pids }) => isListening && localPort === port && pids.length > 0)?.pids[0];
  const peersOf = (port: number) =>
    sockets.filter(({ isListening, remotePort }) => !isListening && remotePort === port).flatMap(({ pids }) => pids);
  const listening = listener(portOf(addresses.apiUrl));
  if (listening === undefined) throw new Error(`no process of this machine listens on the port of ${addresses.apiUrl}`);
  const isOfPostgres = (port: number) => nameOf(listener(port) ?? 0).startsWith("postgres");
  const api = apiBehind(listening);
  const apiTree = treeOf(processes, [api]).map(({ pid }) => pid);
  const livekit = listener(portOf(addresses.livekitUrl)) ?? null;
  const peers = new Set(peersOf(portOf(addresses.livekitUrl)).filter((pid) => !apiTree.includes(pid)));
  for (const pid of strangers) peers.delete(pid);
  if (livekit !== null) peers.delete(livekit);
  const parent = processes.find(({ pid }) => pid === api)?.parentPid ?? 0;
  const siblings = treeOf(processes, [parent], [api]).map(({ pid }) => pid);
  const start = [...peers].some((pid) => pid !== parent && siblings.includes(pid)) ? parent : null;
  const candidates = start === null ? [...peers] : [...peers].filter((pid) => pid !== start);
  const workers = candidates.filter((pid) => !ancestorsOf(processes, pid).some((above) => candidates.includes(above)));
  const database = sockets.find(
    ({ isListening, remotePort, pids }) =>
      !isListening && pids.some((pid) => apiTree.includes(pid)) && isOfPostgres(remotePort),
  );
  const postgres = database ? (listener(database.remotePort) ?? null) : null;
  return { start, api, relay: relayBeside(workers), workers, livekit, postgres };

  /** The relay alone is connected to the api's own port, behind the front. */
  function relayBeside(others: readonly number[]): number | null {
    const own = sockets.filter(({ isListening, pids }) => isListening && pids.includes(api));
    const connected = own.flatMap(({ localPort }) => peersOf(localPort));
    const isRelay = (pid: number) => start !== null && connected.includes(pid) && pid !== api && !others.includes(pid);
    return processes.find(({ pid, parentPid }) => parentPid === start && isRelay(pid))?.pid ?? null;
  }

  /** The start command listens for the api, its child, which is the one that uses the database. */
  function apiBehind(front: number): number {
    const usesDatabase = sockets
      .filter(({ isListening, remotePort }) => !isListening && isOfPostgres(remotePort))
      .flatMap(({ pids }) => pids);
    const child = processes.find(({ pid, parentPid }) => parentPid === front && usesDatabase.includes(pid));
    return child?.pid ?? front;
  }
}

/** The processes of each part that run now. `service` is the workers with their session processes. */
export function partsOf(
  all: readonly ProcessCpu[],
  processes: ServiceProcesses,
): Record<ServicePart, readonly ProcessCpu[]> {
  const { start, api, relay, workers, livekit, postgres } = processes;
  const one = (pid: number | null) => (pid === null ? [] : treeOf(all, [pid]));
  return {
    service: treeOf(all, workers),
    start: all.filter(({ pid }) => pid === start),
    api: one(api),
    relay: one(relay),
    livekit: one(livekit),
    postgres: one(postgres),
  };
}

function ancestorsOf(processes: readonly ProcessCpu[], pid: number): number[] {
  const parent = processes.find((each) => each.pid === pid)?.parentPid;
  return parent ? [parent, ...ancestorsOf(processes, parent)] : [];
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port) || (protocol === "https:" || protocol === "wss:" ? 443 : 80);
}
