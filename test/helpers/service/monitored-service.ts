// What monitoring sees of a running service: sessions and calls, and the ports of its metrics.
import { AccessToken } from "livekit-server-sdk";
import { WebSocket } from "ws";
import { findFreePort, isPortFree } from "../../../cli/start/processes/free-port.ts";
import { waitFor } from "../wait-for.ts";
import type { TestStack } from "./with-stack.ts";

export type MonitoredService = Pick<TestStack, "baseUrl" | "apiSecret" | "client" | "livekit" | "agentCode">;

/** Jobs of Prometheus, in the order of their ports. */
export const JOBS = ["api", "relay", "worker"];

/** Three free ports in a row: of the api, the relay and the worker. */
export async function findMetricsPorts(): Promise<number> {
  for (;;) {
    const port = await findFreePort();
    const following = [port + 1, port + 2].map((next) => isPortFree(next));
    if (port < 65_000 && (await Promise.all(following)).every((isFree) => isFree)) return port;
  }
}

/** Serves a session for some seconds. With a `traceparent`, its launch belongs to that trace. Returns what no span may
 *  hold. */
export async function serveSession(service: MonitoredService, traceparent?: string): Promise<string[]> {
  const { client, agentCode, baseUrl, apiSecret, livekit } = service;
  const roomName = `monitored-${crypto.randomUUID()}`;
  const token = new AccessToken(livekit.apiKey, livekit.apiSecret, { identity: "avatar", ttl: 600 });
  token.addGrant({ roomJoin: true, room: roomName });
  token.kind = "agent";
  const livekitToken = await token.toJwt();
  const launched = await fetch(`${baseUrl}/launch`, {
    method: "POST",
    headers: { "api-secret": apiSecret, "content-type": "application/json", ...(traceparent && { traceparent }) },
    body: JSON.stringify({
      mode: "gpu",
      agent_id: agentCode,
      livekit_url: livekit.url,
      livekit_token: livekitToken,
      room_name: roomName,
    }),
  });
  const { session_id: id } = await launched.json();
  await client.waitUntilLive(id, 20_000);
  await client.speak(agentCode, "Hello.", roomName);
  // Scrapes see the first request of a route as its beginning, and the second one as an increase.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await client.speak(agentCode, "Goodbye.", roomName);
  await client.endAvatarSession(id);
  return [livekitToken, roomName, apiSecret, "Goodbye"];
}

/** A realtime call in text mode; whatever answers, events pass in both directions. */
export async function callRelay({ baseUrl, apiSecret, agentCode }: MonitoredService): Promise<void> {
  const hasRelay = async () => (await (await fetch(`${baseUrl}/readyz`)).json()).checks.relays === "ok";
  await waitFor(hasRelay, "a relay reports");
  const url = `${baseUrl.replace("http", "ws")}/v1/realtime?model=service-realtime&mode=text&agent=${agentCode}`;
  const socket = new WebSocket(url, { headers: { "api-secret": apiSecret } });
  const events: string[] = [];
  socket.on("message", (data) => events.push(JSON.parse(String(data)).type));
  socket.on("open", () => socket.send(JSON.stringify({ type: "user.turn", turn: 1, text: "Hello" })));
  await waitFor(() => events.includes("response.done"), "an answer");
  socket.close();
}
