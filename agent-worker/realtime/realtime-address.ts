// Where the realtime server listens, and how relays reach it.
import { networkInterfaces } from "node:os";
import { isLoopbackHost } from "../../program/outgoing/loopback.ts";

const LOOPBACK = "127.0.0.1";
const ANY = ["0.0.0.0", "::"];

/** Address to listen on. `host`: the setting HOST. */
export function realtimeHost(host: string): string {
  return isLoopbackHost(host) ? LOOPBACK : host;
}

/** URL of the server for relays. A server that listens on all addresses is reached at this machine's first one. */
export function realtimeUrl(host: string, port: number, path: string): string {
  const address = ANY.includes(host) ? (firstAddress() ?? LOOPBACK) : realtimeHost(host);
  return `ws://${address.includes(":") ? `[${address}]` : address}:${port}${path}`;
}

function firstAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ internal, family }) => !internal && family === "IPv4")?.address;
}
