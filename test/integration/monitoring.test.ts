// Monitoring of the whole service by a real Prometheus: after some use every panel of the dashboard has data, no alert
// fires, and the documented metrics are those that the processes have.
import { readFile } from "node:fs/promises";
import { AccessToken } from "livekit-server-sdk";
import t from "tap";
import { WebSocket } from "ws";
import { findFreePort, isPortFree } from "../../cli/start/free-port.ts";
import { waitFor } from "../helpers/wait-for.ts";
import { hasPrometheus, untilPanelsHaveData, withPrometheus } from "../helpers/with-prometheus.ts";
import { type TestStack, withStack } from "../helpers/with-stack.ts";

/** Panels whose values need a conversation or the neural voice. */
const WITHOUT_VALUE = ["Turns", "Pieces of the neural voice"];
const skip = (await hasPrometheus()) ? false : "prometheus is not installed (Debian: apt-get install prometheus)";
const DOCUMENT = new URL("../../docs/operating/monitoring.md", import.meta.url);
const JOBS = ["api", "relay", "worker"];

/** Three free ports in a row: of the api, the relay and the worker. */
async function findMetricsPorts(): Promise<number> {
  for (;;) {
    const port = await findFreePort();
    const following = [port + 1, port + 2].map((next) => isPortFree(next));
    if (port < 65_000 && (await Promise.all(following)).every((isFree) => isFree)) return port;
  }
}

async function serveSession(stack: TestStack): Promise<void> {
  const roomName = `monitored-${crypto.randomUUID()}`;
  const { apiKey, apiSecret, url } = stack.livekit;
  const token = new AccessToken(apiKey, apiSecret, { identity: "avatar", ttl: 600 });
  token.addGrant({ roomJoin: true, room: roomName });
  token.kind = "agent";
  const { client, agentCode } = stack;
  const id = await client.launch({ agentCode, livekitUrl: url, livekitToken: await token.toJwt(), roomName });
  await client.waitUntilLive(id, 20_000);
  await client.speak(agentCode, "Hello.", roomName);
  // Scrapes see the first request of a route as its beginning, and the second one as an increase.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await client.speak(agentCode, "Goodbye.", roomName);
  await client.endAvatarSession(id);
}

/** A realtime call in text mode; whatever answers, events pass in both directions. */
async function callRelay({ baseUrl, apiSecret, agentCode }: TestStack): Promise<void> {
  await waitFor(
    async () => (await (await fetch(`${baseUrl}/readyz`)).json()).checks.relays === "ok",
    "a relay reports",
  );
  const url = `${baseUrl.replace("http", "ws")}/v1/realtime?model=service-realtime&mode=text&agent=${agentCode}`;
  const socket = new WebSocket(url, { headers: { "api-secret": apiSecret } });
  const events: string[] = [];
  socket.on("message", (data) => events.push(JSON.parse(String(data)).type));
  socket.on("open", () => socket.send(JSON.stringify({ type: "user.turn", turn: 1, text: "Hello" })));
  await waitFor(() => events.includes("response.done"), "an answer");
  socket.close();
}

/** The names of metrics that a text of any kind has after this. */
function namesIn(text: string, before: string): Set<string> {
  return new Set([...text.matchAll(new RegExp(`${before}(avatar_\\w+)`, "gm"))].map(([, name]) => name));
}

t.test(
  "a real Prometheus finds data for every panel, and no reason for an alert",
  { skip, timeout: 240_000 },
  async (t) => {
    const port = await findMetricsPorts();
    const targets = Object.fromEntries(JOBS.map((job, index) => [job, `127.0.0.1:${port + index}`]));
    // It runs before the service, so that it sees the job which makes the first agent.
    await withPrometheus(targets, (prometheus) =>
      withStack(
        async (stack) => {
          await Promise.all([serveSession(stack), serveSession(stack), callRelay(stack)]);
          const lacking = await untilPanelsHaveData(prometheus, { except: WITHOUT_VALUE });
          t.same(lacking, [], "panels without data");

          const rules = await prometheus.rules();
          t.ok(rules.length > 20);
          for (const { name, health, state, lastError } of rules) {
            t.match({ health, state }, { health: "ok", state: /inactive|pending/ }, `${name} ${lastError ?? ""}`);
          }

          const documented = namesIn(await readFile(DOCUMENT, "utf8"), "^\\| `");
          const exported = new Set<string>();
          for (const target of Object.values(targets)) {
            const text = await (await fetch(`http://${target}/metrics`)).text();
            for (const name of namesIn(text, "^# TYPE ")) exported.add(name);
          }
          t.same(
            [...exported].filter((name) => !documented.has(name)),
            [],
            "metrics without documentation",
          );
          t.same(
            [...documented].filter((name) => !exported.has(name)),
            [],
            "documented metrics that no process has",
          );
        },
        { AVATAR_METRICS_PORT: String(port) },
      ),
    );
  },
);
