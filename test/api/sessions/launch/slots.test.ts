// Slots of workers and of accounts, which launches take, leave and take over.
import t from "tap";
import { countOnWorkers } from "../../../../api/sessions/record/session-queries.ts";
import { noteWorker, readCapacity, readLightCapacity } from "../../../../api/sessions/workers/worker-registry.ts";
import { createSeededRandom } from "../../../../lab/soak/seeded-random.ts";
import { findDispatch } from "../../../helpers/service/control-room-worker.ts";
import type { TestAnswer } from "../../../helpers/service/with-api.ts";
import { LAUNCH, type SessionStage, withSessions } from "../../../helpers/service/with-sessions.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const WORKER = "4c1c3c2e-9d43-4a5e-9a3e-0a5b3f1d2c10";
const SEED = Number(process.env.TEST_SEED ?? 20_261_124);
const STEPS = 90;

/** A worker that takes this many sessions in all. */
async function setCapacity({ api }: SessionStage, maxSessions: number, maxLight?: number): Promise<void> {
  const report = { worker_id: WORKER, providers: ["cpu" as const], active_sessions: 0, max_sessions: maxSessions };
  const light = maxLight === undefined ? {} : { max_light_sessions: maxLight };
  await noteWorker(api.services.database, { ...report, ...light }, new Date(api.services.now()));
}

/** A session that its worker has reported live, and the reports of that worker. */
async function goLive({ api, livekit }: SessionStage, launched: TestAnswer) {
  const id: string = launched.body.session_id;
  const { runtime_token: bearer } = await findDispatch(livekit, id);
  const path = `/v1/runtime/sessions/${id}`;
  let seq = 0;
  await api.call("POST", `${path}/events`, { bearer, body: { event: "live" } });
  return {
    id,
    /** Returns whether it must stop. */
    async beat(isVacant: boolean): Promise<boolean> {
      const body = { seq: ++seq, served_seconds: seq, is_vacant: isVacant };
      return (await api.call("POST", `${path}/beat`, { bearer, body })).body.stop !== undefined;
    },
    end: () => api.call("POST", `${path}/events`, { bearer, body: { event: "ended", reason: "last_user_left" } }),
  };
}

async function listUnended({ api }: SessionStage): Promise<string[]> {
  const { database } = api.services;
  const rows = await database.selectFrom("avatar_sessions").select("id").where("status", "<>", "ended").execute();
  return rows.map(({ id }) => id);
}

t.test("a launch takes the slot of a session that its last user has left, of the one that waits longest", async (t) => {
  await withSessions({ policies: { waiting: { timeoutMs: 0, perAccount: 8 } } }, async (stage) => {
    const { api, launch } = stage;
    await setCapacity(stage, 2);
    const first = await goLive(stage, await launch("first"));
    const second = await goLive(stage, await launch("second"));
    const refused = await launch("third");
    t.match(refused, { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE" } } });
    t.match(refused.headers.get("retry-after"), /^\d+$/);
    await second.beat(true);
    await first.beat(true);
    await second.beat(true);
    t.same((await listUnended(stage)).length, 2, "both stay while no launch needs their slots");
    t.equal((await launch("third")).status, 200);
    t.same([await second.beat(false), await first.beat(false)], [true, false], "the second had waited longest");
    t.equal((await launch("fourth")).status, 503, "a session with a user keeps its slot");
    const ended = await api.call("GET", `/v1/runtime-sessions/${second.id}`, { secret: stage.secret });
    t.match(ended.body, { status: "ended", end_reason: "last_user_left" });
    t.match((await launch("first")).body, { session_id: first.id }, "a user who is back finds the same session");
  });
});

t.test("sessions that viewers render have slots of their own", async (t) => {
  await withSessions({ policies: { waiting: { timeoutMs: 0, perAccount: 8 } } }, async (stage) => {
    const { api, launch } = stage;
    const { database } = stage.api.services;
    const begin = async (id: string) => {
      const { status, body } = await launch(id);
      if (status === 200) {
        await database
          .updateTable("avatar_sessions")
          .set({ viewers_render: true })
          .where("id", "=", body.session_id)
          .execute();
      }
      return status;
    };
    await setCapacity(stage, 2, 1);
    t.equal(await begin("light"), 200);
    t.equal((await launch("first")).status, 200);
    t.equal((await launch("second")).status, 200, "the light one takes none of the two");
    t.equal((await launch("third")).status, 503);
    const now = new Date(api.services.now());
    t.same([await readCapacity(database, now), await readLightCapacity(database, now)], [2, 1]);
    t.same([await countOnWorkers(database, true), await countOnWorkers(database, false)], [1, 2]);
    await setCapacity(stage, 3);
    t.equal((await launch("third")).status, 503, "a worker of the version before counts them together");
  });
});

t.test("a session on the caller's own machine takes no slot and gives none", async (t) => {
  await withSessions({ policies: { waiting: { timeoutMs: 0, perAccount: 8 } } }, async (stage) => {
    const { api, secret, agentCode } = stage;
    await setCapacity(stage, 1);
    const exchanged = await api.call("POST", LAUNCH, { secret, body: { agent_code: agentCode } });
    const bearer = exchanged.body.data.token;
    const begun = await api.call("POST", "/v1/runtime/sessions", { bearer, body: { agent_code: agentCode } });
    const path = `/v1/runtime/sessions/${begun.body.session_id}/beat`;
    const beat = () => api.call("POST", path, { bearer, body: { seq: 1, served_seconds: 1, is_vacant: true } });
    t.equal((await beat()).status, 200);
    t.equal((await stage.launch("first")).status, 200);
    t.equal((await stage.launch("second")).status, 503);
    t.equal((await beat()).status, 200, "it goes on");
  });
});

t.test("a visitor who loads the page ten times again is never limited, and finds the same session", async (t) => {
  await withSessions({}, async (stage) => {
    const { api } = stage;
    await setCapacity(stage, 1);
    const { id, embedToken } = await stage.converse();
    const load = async () => (await api.call("POST", "/embed/session", { bearer: embedToken, body: {} })).status;
    for (let count = 1; count <= 10; count++) t.equal(await load(), 200, `load ${count}`);
    t.same(await listUnended(stage), [id]);
  });
});

t.test("a vacant session does not count for its account's limit, and makes way within it", async (t) => {
  await withSessions({ plan: "creator", credits: 1_000 }, async (stage) => {
    const { launch } = stage;
    const sessions = [await goLive(stage, await launch("r1"))];
    let answer = await launch("r2");
    while (answer.status === 200) {
      sessions.push(await goLive(stage, answer));
      answer = await launch(`r${sessions.length + 1}`);
    }
    t.match(answer, { status: 403, body: { error: { code: "CONCURRENCY_LIMIT_REACHED" } } });
    await sessions[0].beat(true);
    t.equal((await launch("another")).status, 200);
    t.equal((await listUnended(stage)).length, sessions.length, "the limit holds");
    t.equal(await sessions[0].beat(false), true, "its user comes too late");
  });
});

t.test("a launch waits for a slot, up to a limit, and only some of an account's do", async (t) => {
  const timeoutMs = 5_000;
  await withSessions({ policies: { waiting: { timeoutMs, perAccount: 2 } } }, async (stage) => {
    const { launch, api, launchBody } = stage;
    await setCapacity(stage, 1);
    const first = await goLive(stage, await launch("first"));
    const startedMs = performance.now();
    const waiting = launch("waiting");
    const answers = [launch("second"), launch("third"), launch("fourth")];
    await Promise.race(answers);
    t.ok(performance.now() - startedMs < timeoutMs - 1_000, "those beyond the bound are refused at once");
    await setCapacity(stage, 1);
    await first.end();
    const all = await Promise.all([waiting, ...answers]);
    const statuses = all.map(({ status }) => status).sort();
    t.same(statuses, [200, 503, 503, 503], "the first free slot goes to one that waits");
    const lateMs = performance.now() - startedMs;
    t.ok(lateMs > timeoutMs - 500 && lateMs < 3 * timeoutMs, `the other is refused after ${Math.round(lateMs)} ms`);
    const stranger = await api.addAccount({ credits: 100 });
    const body = await launchBody("stranger", { agent_id: null, image: "%%%", model: "expression-1" });
    const early = await api.call("POST", LAUNCH, { secret: stranger.secret, body });
    t.equal(early.status, 503, "an image is not read before there is a slot");
  });
});

t.test("in any order, no more sessions than slots, and no refusal while a slot is free", async (t) => {
  await withSessions({ policies: { waiting: { timeoutMs: 0, perAccount: 8 } } }, async (stage) => {
    t.comment(`TEST_SEED=${SEED}`);
    const random = createSeededRandom(SEED);
    const slots = 3;
    type LiveSession = Awaited<ReturnType<typeof goLive>>;
    const used = new Set<LiveSession>();
    /** Longest vacant first. */
    const vacant: LiveSession[] = [];
    for (let step = 0; step < STEPS; step++) {
      await setCapacity(stage, slots);
      const action = random.weighted({ launch: 5, leave: 3, return: 2, end: 2 });
      if (action === "launch") {
        const mustEnd = used.size + vacant.length === slots ? vacant[0] : undefined;
        const answer = await stage.launch(`room-${step}`);
        if (!t.equal(answer.status, used.size < slots ? 200 : 503, `step ${step}: ${used.size} of ${slots} in use`)) {
          return;
        }
        if (answer.status !== 200) continue;
        if (mustEnd) {
          vacant.shift();
          t.equal(await mustEnd.beat(random.next() < 0.5), true, `step ${step}: the longest vacant one had to end`);
        }
        used.add(await goLive(stage, answer));
      } else if (action === "leave" && used.size > 0) {
        const session = random.pick([...used]);
        used.delete(session);
        vacant.push(session);
        t.equal(await session.beat(true), false);
      } else if (action === "return" && vacant.length > 0) {
        const [session] = vacant.splice(random.integer(vacant.length), 1);
        used.add(session);
        t.equal(await session.beat(false), false, `step ${step}: it goes on`);
      } else if (action === "end" && used.size > 0) {
        const session = random.pick([...used]);
        used.delete(session);
        await session.end();
      }
      const unended = await listUnended(stage);
      t.same(unended.sort(), [...used, ...vacant].map(({ id }) => id).sort(), `step ${step}: ${action}`);
    }
    await waitFor(async () => (await listUnended(stage)).length <= slots, "the end");
  });
});
