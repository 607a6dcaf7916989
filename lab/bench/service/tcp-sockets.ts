// TCP sockets of this machine and the processes that hold them, from /proc of Linux.
import { readdir, readFile, readlink } from "node:fs/promises";

export interface TcpSocket {
  localPort: number;
  /** 0 for a listening socket. */
  remotePort: number;
  isListening: boolean;
  /** Processes that hold it: several if it was inherited. */
  pids: readonly number[];
}

/** Socket states as /proc/net/tcp writes them. */
const ESTABLISHED = "01";
const LISTENING = "0A";

/** All listening and connected TCP sockets. Those of other users have no pids, unless this process may see them. Empty
 *  where there is no /proc. */
export async function readTcpSockets(): Promise<TcpSocket[]> {
  const owners = await readSocketOwners();
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8").catch(() => "")),
  );
  return tables.flatMap((table) => parseTcpTable(table, owners));
}

/** Sockets of the text of /proc/net/tcp or tcp6; `owners`: process ids by inode. */
export function parseTcpTable(table: string, owners: ReadonlyMap<string, readonly number[]>): TcpSocket[] {
  const sockets: TcpSocket[] = [];
  for (const line of table.split("\n").slice(1)) {
    const [, local, remote, state, , , , , , inode] = line.trim().split(/\s+/);
    if (state !== ESTABLISHED && state !== LISTENING) continue;
    sockets.push({
      localPort: portOf(local),
      remotePort: portOf(remote),
      isListening: state === LISTENING,
      pids: owners.get(inode) ?? [],
    });
  }
  return sockets;
}

/** `0100007F:1F90` is 127.0.0.1:8080. */
function portOf(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(":") + 1), 16);
}

async function readSocketOwners(): Promise<Map<string, number[]>> {
  const owners = new Map<string, number[]>();
  const entries = await readdir("/proc").catch(() => []);
  for (const pid of entries.filter((name) => /^\d+$/.test(name)).map(Number)) {
    const handles = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const links = await Promise.all(handles.map((handle) => readlink(`/proc/${pid}/fd/${handle}`).catch(() => "")));
    for (const link of links) {
      const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1];
      if (inode) owners.set(inode, [...(owners.get(inode) ?? []), pid]);
    }
  }
  return owners;
}
