// Metering of a self-hosted session, against a service that answers as told.
import t from "tap";
import { ServiceAwayError } from "../../../agent-worker/self-hosted/account-service.ts";
import { MeteredSession } from "../../../agent-worker/self-hosted/metered-session.ts";
import { type Task, TaskList } from "../../../agent-worker/self-hosted/task-list.ts";
import { createLogger } from "../../../program/log.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });

interface Report {
  token: string;
  seq: number;
  seconds: number;
}

function meter(options: { graceMs?: number; renew?: () => Promise<string> } = {}) {
  const state = {
    seconds: 0,
    failure: null as Error | null,
    beats: [] as Report[],
    stops: [] as Report[],
    ends: [] as string[][],
    failures: 0,
  };
  const fail = () => {
    if (!state.failure) return;
    state.failures += 1;
    throw state.failure;
  };
  const session = new MeteredSession({
    service: {
      sendHeartbeat: async (token, _, seq, seconds) => {
        fail();
        state.beats.push({ token, seq, seconds });
        return { ok: true, balance: 1, token: `after ${seq}` };
      },
      stop: async (token, _, seconds) => {
        fail();
        state.stops.push({ token, seq: 0, seconds });
        return { billed_seconds: seconds, credits: 0 };
      },
    },
    begun: { id: "cs_1", model: "essence-2", heartbeatIntervalMs: 20, graceMs: options.graceMs ?? 60_000 },
    token: "first",
    renew: options.renew ?? null,
    servedSeconds: () => state.seconds,
    onStop: (...end) => state.ends.push(end),
    logger,
    retryMs: 10,
  });
  return { session, state };
}

t.test("heartbeats carry all seconds so far, with the token of the answer before, also after an outage", async (t) => {
  const { session, state } = meter();
  session.start();
  state.seconds = 1;
  await waitFor(() => state.beats.length === 2, "two heartbeats");
  t.match(state.beats, [
    { token: "first", seq: 1, seconds: 1 },
    { token: "after 1", seq: 2, seconds: 1 },
  ]);
  state.failure = new ServiceAwayError(new Error("no route"));
  state.seconds = 7;
  await waitFor(() => state.failures >= 3, "failed heartbeats");
  t.same(state.ends, [], "an outage ends nothing");
  state.failure = null;
  await waitFor(() => state.beats.length > 2, "the next heartbeat");
  t.equal(state.beats[2].seconds, 7, "nothing is lost");
  t.ok(state.beats[2].seq > 3);

  state.failure = new ServiceAwayError(new Error("no route"));
  const stopping = session.stop(9.5);
  const failuresBefore = state.failures;
  await waitFor(() => state.failures > failuresBefore + 1, "failed reports of the end");
  state.failure = null;
  await stopping;
  t.match(state.stops, [{ seconds: 9.5 }], "the end is delivered once the service is back");
});

t.test("a service that stays away ends the session after its grace, and its stop gives up then", async (t) => {
  const { session, state } = meter({ graceMs: 80 });
  session.start();
  state.failure = new ServiceAwayError(new Error("no route"));
  await waitFor(() => state.ends.length === 1, "the end");
  t.match(state.ends[0], ["worker_lost", /could not be reached/]);
  await session.stop(3);
  t.same(state.stops, []);
});

t.test("a refusal ends the session with its reason; an expired token is renewed where that is possible", async (t) => {
  for (const [code, reason] of [
    ["INSUFFICIENT_BALANCE", "balance_exhausted"],
    ["RUNTIME_SUSPENDED", "secret_revoked"],
    ["SESSION_DURATION_LIMIT", "duration_limit"],
    ["NOT_FOUND", "ended_by_api"],
    ["UNAUTHORIZED", "secret_revoked"],
  ] as const) {
    const { session, state } = meter();
    state.failure = new ServiceError(code, "no");
    session.start();
    await waitFor(() => state.ends.length === 1, code);
    t.same(state.ends, [[reason, `${code}: no`]]);
    await session.stop(1);
    t.same(state.stops, [], "the service has ended it already");
  }
  let renewals = 0;
  const renewed = meter({
    renew: async () => {
      renewals += 1;
      renewed.state.failure = null;
      return "renewed";
    },
  });
  renewed.state.failure = new ServiceError("UNAUTHORIZED", "The token has expired");
  renewed.session.start();
  await waitFor(() => renewed.state.beats.length > 0, "a heartbeat");
  t.match(renewed.state.beats[0], { token: "renewed" });
  t.equal(renewals, 1);
  t.same(renewed.state.ends, []);
  await renewed.session.stop(1);
});

t.test("ended tasks are listed for a time and up to a number; running ones always", async (t) => {
  let nowMs = 1_000_000;
  const list = new TaskList({ retentionMs: 1_000, maxEnded: 2, now: () => nowMs });
  const add = (id: string, endedAtMs: number | null) => {
    const completedAt = endedAtMs === null ? null : new Date(endedAtMs);
    const task: Task = {
      id,
      roomName: "r",
      prompt: "",
      createdAt: new Date(nowMs),
      owner: null,
      sessionId: null,
      model: null,
      status: completedAt ? "completed" : "running",
      completedAt,
      error: null,
    };
    list.add(task);
  };
  const ids = () => list.list().map(({ id }) => id);
  add("runs", null);
  for (const id of ["one", "two", "three"]) add(id, nowMs);
  t.same(ids(), ["runs", "two", "three"]);
  nowMs += 1_001;
  t.same(ids(), ["runs"]);
  t.equal(list.find("three"), null);
});
