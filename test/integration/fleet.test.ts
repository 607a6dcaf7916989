import { AccessToken, RoomServiceClient } from "livekit-server-sdk";
import pg from "pg";
import t from "tap";
import { ServiceClient } from "../../cli/service/service-client.ts";
import { Fleet, readWorker } from "../../lab/bench/fleet/fleet.ts";
import { hasRedis, REDIS_MISSING } from "../../lab/bench/fleet/redis-server.ts";
import { useLiveKit } from "../helpers/livekit/use-livekit.ts";
import { TestRoom } from "../helpers/rooms/test-room.ts";
import { TestListener } from "../helpers/rooms/with-room-avatar.ts";
import { withDatabase } from "../helpers/servers/with-database.ts";
import { findS3Program } from "../helpers/servers/with-s3-server.ts";
import { withWebhookReceiver } from "../helpers/servers/with-webhook-receiver.ts";
import { waitFor } from "../helpers/wait-for.ts";

/** Ends only tests that hang. */
const SLOW_MS = 120_000;
/** On a machine that is so busy that a worker says nothing for some seconds, its session is dispatched again, rightly:
 *  at most once in this time, in ms. */
const SILENCE_MS = 15_000;

const SETTINGS = {
  // The load of other tests must not decide how many sessions a worker takes, nor how often it renders.
  AVATAR_ADMISSION: "fixed",
  AVATAR_MAX_SESSIONS: "4",
  AVATAR_MAX_FPS: "12.5",
  AVATAR_VOICE: "formant",
  // For the receiver of webhooks.
  AVATAR_ALLOW_PRIVATE_ADDRESSES: "1",
};

interface Session {
  id: string;
  roomName: string;
  viewer: TestListener;
}

t.test(
  "a fleet goes on with what its processes began, and without those that are killed",
  { skip: (await hasRedis()) ? false : REDIS_MISSING },
  async (t) => {
    // Its teardown disposes of the native part of rtc-node.
    await useLiveKit();
    const s3Program = await findS3Program();
    await withDatabase(({ url: databaseUrl }) =>
      withWebhookReceiver(async (receiver) => {
        const parts = { nodes: 2, workers: 2, apis: 2, databaseUrl, s3Program, settings: SETTINGS };
        const fleet = await Fleet.start({ environment: process.env, ...parts });
        t.teardown(() => fleet.close());
        const [a, b] = fleet.apis.map(({ baseUrl }) => new ServiceClient({ baseUrl, apiSecret: fleet.apiSecret }));
        const ask = async (path: string, baseUrl = fleet.client.baseUrl, body?: object) => {
          const answer = await fetch(baseUrl + path, {
            method: body ? "POST" : "GET",
            // A connection of its own: one that was kept may close while the request is on its way to a killed process.
            headers: { "api-secret": fleet.apiSecret, "content-type": "application/json", connection: "close" },
            body: body && JSON.stringify(body),
          });
          return { status: answer.status, body: await answer.json() };
        };
        const viewOf = async ({ id }: Session, baseUrl?: string) =>
          (await ask(`/v1/runtime-sessions/${id}`, baseUrl)).body as { status: string };
        const isLive = async (session: Session) => (await viewOf(session)).status === "live";
        const showsAgain = ({ viewer }: Session, sinceMs = performance.now()) =>
          waitFor(() => viewer.frames.some(({ atMs }) => atMs > sinceMs), "the face is shown", SLOW_MS);

        await t.test("one process makes an agent and tells of it, and all know it", async (t) => {
          await ask("/v1/webhooks", a.baseUrl, { url: receiver.url });
          await fleet.addAgent();
          t.equal((await b.getAgentStatus(fleet.agentCode)).status, (await a.getAgentStatus(fleet.agentCode)).status);
          await receiver.untilReceived(1, SLOW_MS);
          t.match(receiver.received[0].body, { event: "agent.ready" });
        });

        const sessions: Session[] = [];
        await t.test("a session launched through one api process is used through the other", async (t) => {
          for (const [index, client] of [a, b].entries()) {
            const session = await launch(fleet, client, index);
            sessions.push(session);
            await showsAgain(session, 0);
          }
          const [first] = sessions;
          const held = await Promise.all(fleet.workers.map(readWorker));
          const counts = held.map(({ activeSessions }) => activeSessions);
          t.same(counts, [1, 1], "each worker has one");
          // The frame of a face is seen before its first heartbeat is.
          await waitFor(async () => (await viewOf(first, b.baseUrl)).status === "live", "the session is live", SLOW_MS);
          const sinceMs = performance.now();
          await b.speak(fleet.agentCode, "Good morning.", first.roomName);
          await waitFor(() => first.viewer.loudMs(sinceMs) > 300, "the message is heard", SLOW_MS);
          const repeated = await Promise.all([a, b].map((client) => launch(fleet, client, 0, first.roomName)));
          const ids = repeated.map(({ id }) => id);
          t.same(ids, [first.id, first.id], "a repeat at any process is the same session");
          for (const { viewer } of repeated) await viewer.room.disconnect();
        });

        await t.test("a worker is killed: the other one takes its session over, once", async (t) => {
          const [first] = fleet.workers;
          await first.process.kill();
          const killedMs = performance.now();
          await waitFor(async () => (await readWorker(fleet.workers[1])).activeSessions === 2, "it has both", SLOW_MS);
          for (const session of sessions) {
            await waitFor(() => isLive(session), "the session is live", SLOW_MS);
            await showsAgain(session);
          }
          const elapsedMs = performance.now() - killedMs;
          t.comment(`${Math.round(elapsedMs / 100) / 10} s`);
          const more = (await countDispatches(databaseUrl)) - sessions.length;
          t.ok(more >= 1, "it was dispatched again");
          t.ok(more <= Math.max(1, elapsedMs / SILENCE_MS), `by one of two watchdogs, the other not at all: ${more}`);
        });

        await t.test("an api process is killed: no one behind the balancer notices", async (t) => {
          await fleet.apis[0].process.kill();
          const statuses: number[] = [];
          const path = `/v1/runtime-sessions/${sessions[0].id}`;
          for (let count = 0; count < 20; count++) statuses.push((await ask(path)).status);
          t.same(new Set(statuses), new Set([200]));
          await fleet.client.speak(fleet.agentCode, "Still here.", sessions[1].roomName);
          for (const session of sessions) await showsAgain(session);
          await fleet.startApi(0);
        });

        await t.test("Redis is killed and started again: sessions live on, and new ones start", async (t) => {
          const before = await countDispatches(databaseUrl);
          const sinceMs = performance.now();
          await fleet.redis.restart();
          for (const session of sessions) await showsAgain(session);
          const speaksMs = performance.now();
          await a.speak(fleet.agentCode, "Good evening.", sessions[1].roomName);
          await waitFor(() => sessions[1].viewer.loudMs(speaksMs) > 300, "the message is heard", SLOW_MS);
          const next = await launch(fleet, a, 1);
          await showsAgain(next, 0);
          sessions.push(next);
          const more = (await countDispatches(databaseUrl)) - before - 1;
          t.ok(more < 1 + Math.floor((performance.now() - sinceMs) / SILENCE_MS), `dispatched again: ${more}`);
        });

        for (const { viewer } of sessions) await viewer.room.disconnect();
        t.equal(receiver.received.length, 1, "the event was delivered once");
      }),
    );
  },
);

/** Launches a session in a room of a node, with a viewer. */
async function launch(fleet: Fleet, client: ServiceClient, node: number, roomName?: string): Promise<Session> {
  const { url, apiKey, apiSecret } = fleet.livekit;
  const name = roomName ?? `room-${crypto.randomUUID()}`;
  if (roomName === undefined) {
    const rooms = new RoomServiceClient(url.replace("ws", "http"), apiKey, apiSecret);
    await rooms.createRoom({ name, nodeId: await fleet.nodes[node].readId() });
  }
  const mint = (identity: string, kind: "standard" | "agent") => {
    const token = new AccessToken(apiKey, apiSecret, { identity });
    token.addGrant({ room: name, roomJoin: true });
    token.kind = kind;
    return token.toJwt();
  };
  const viewer = new TestListener(new TestRoom());
  await viewer.room.connect(url, await mint(`viewer-${crypto.randomUUID()}`, "standard"), {
    autoSubscribe: true,
    dynacast: false,
  });
  const livekitToken = await mint("avatar", "agent");
  const id = await client.launch({ agentCode: fleet.agentCode, livekitUrl: url, livekitToken, roomName: name });
  return { id, roomName: name, viewer };
}

/** Dispatches of all sessions. */
async function countDispatches(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>("select dispatch_number as count from avatar_sessions");
    return rows.reduce((sum, { count }) => sum + count, 0);
  } finally {
    await client.end();
  }
}
