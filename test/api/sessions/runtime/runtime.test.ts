// The runtime API: who may call it for which session, and sessions that a caller runs on a machine of its own.
import t from "tap";
import { chargeCredits } from "../../../../api/accounts/credits/ledger.ts";
import { readDispatch } from "../../../helpers/service/control-room-worker.ts";
import { LAUNCH, withSessions } from "../../../helpers/service/with-sessions.ts";

t.test(
  "the token of one session is refused for other sessions, and other kinds of token are refused for it",
  async (t) => {
    await withSessions({}, async ({ api, secret, goLive }) => {
      const first = await goLive("one");
      const second = await goLive("two");
      const job = (id: string, bearer: string) => api.call("GET", `/v1/runtime/sessions/${id}/job`, { bearer });
      t.equal((await job(first.id, first.token)).status, 200);
      t.equal((await job(second.id, first.token)).status, 404);
      t.equal((await job(first.id, secret)).status, 401);
      const exchanged = await api.call("POST", LAUNCH, { secret });
      t.equal(
        (await job(first.id, exchanged.body.data.token)).status,
        404,
        "an account's runtime token is for self-hosted sessions only",
      );
      t.equal((await api.call("GET", "/v1/runtime-sessions/x", { secret: first.token })).status, 401);
    });
  },
);

t.test("a launch decides whether the avatar listens; its job says so", async (t) => {
  await withSessions({}, async ({ api, livekit, launch }) => {
    const jobOf = async (roomName: string, changes: object) => {
      const { body } = await launch(roomName, { ...changes });
      const dispatch = await readDispatch(livekit, body.session_id);
      return api.call("GET", `/v1/runtime/sessions/${body.session_id}/job`, { bearer: dispatch!.runtime_token });
    };
    t.equal((await jobOf("one", {})).body.listen, undefined, "it listens by default");
    t.equal((await jobOf("two", { listen: true })).body.listen, undefined);
    t.match(await jobOf("three", { listen: false }), { status: 200, body: { listen: false } });
    t.match(await jobOf("four", { listen: "false" }), { status: 200, body: { listen: false } }, "as forms say it");
  });
});

t.test("a self-hosted session is metered at its own rate and stopped by an error", async (t) => {
  await withSessions({ credits: 3 }, async ({ api, secret, agentCode, userId }) => {
    const { body: exchange } = await api.call("POST", LAUNCH, { secret });
    const bearer = exchange.data.token;
    const body = { agent_code: agentCode, model: "essence-2", host: "laptop", install_id: "i" };
    const { body: begun } = await api.call("POST", "/v1/runtime/sessions", { bearer, body });
    t.match(begun, { session_id: /^cs_/, beat_interval_s: 60, grace_s: 300 });
    const { database } = api.services;
    await database
      .updateTable("avatar_sessions")
      .set({ created_at: new Date(Date.now() - 600_000) })
      .execute();
    const post = (path: string, sent: object) =>
      api.call("POST", `/v1/runtime/sessions/${begun.session_id}/${path}`, { bearer, body: sent });
    for (const seq of [0, 1.5, 2 ** 31, Number.MAX_SAFE_INTEGER])
      t.match(await post("beat", { seq, served_seconds: 1 }), { status: 400 }, `seq ${seq}`);
    t.match(await post("beat", { seq: 1, served_seconds: 60 }), {
      status: 200,
      body: { ok: true, balance: 1, token: String },
    });
    t.match(await post("stop", { served_seconds: 45 }), { status: 200, body: { billed_seconds: 60, credits: 2 } });
    t.match(
      await post("stop", { served_seconds: 500 }),
      { status: 200, body: { billed_seconds: 60, credits: 2 } },
      "repeatable",
    );
    const { body: second } = await api.call("POST", "/v1/runtime/sessions", { bearer, body });
    await database.transaction().execute(async (transaction) => {
      const account = {
        userId,
        email: "",
        plan: "pro",
        status: "active",
        isRuntimeSuspended: false,
        createdAt: new Date(),
      } as const;
      const { links } = api.services;
      await chargeCredits(transaction, {
        account,
        amountCredits: 1,
        reason: "r",
        reference: "x",
        agentCode: null,
        at: new Date(),
        links,
      });
    });
    const refused = await api.call("POST", `/v1/runtime/sessions/${second.session_id}/beat`, {
      bearer,
      body: { seq: 1, served_seconds: 1 },
    });
    t.match(refused, { status: 402, body: { error: { code: "INSUFFICIENT_BALANCE", topup_url: String } } });
  });
});

t.test("a beat of an ended session is refused by what ended it, with a status that stops the runtime", async (t) => {
  await withSessions({ credits: 100 }, async ({ api, secret, agentCode, userId }) => {
    const bearer = (await api.call("POST", LAUNCH, { secret })).body.data.token;
    const body = { agent_code: agentCode, model: "essence-2", host: "laptop", install_id: "i" };
    const begin = async (): Promise<string> =>
      (await api.call("POST", "/v1/runtime/sessions", { bearer, body })).body.session_id;
    const beat = (id: string) =>
      api.call("POST", `/v1/runtime/sessions/${id}/beat`, { bearer, body: { seq: 9, served_seconds: 1 } });
    const view = async (id: string) => (await api.call("GET", `/v1/runtime-sessions/${id}`, { secret })).body;

    const ended = await begin();
    await api.call("POST", `/v1/runtime-sessions/${ended}/end`, { secret });
    const stopped = await begin();
    await api.call("POST", `/v1/runtime/sessions/${stopped}/stop`, { bearer, body: { served_seconds: 0 } });
    const terminated = await begin();
    await api.call("POST", `/v2/${userId}/runtime-sessions/${terminated}/terminate`, { secret });
    for (const id of [ended, stopped, terminated]) {
      t.match(
        await beat(id),
        { status: 403, body: { error: { code: "RUNTIME_SUSPENDED" } } },
        (await view(id)).end_reason,
      );
      t.equal((await view(id)).note, undefined);
    }
    const reasons = [
      ["balance_exhausted", 402, "INSUFFICIENT_BALANCE"],
      ["duration_limit", 403, "SESSION_DURATION_LIMIT"],
      ["worker_lost", 403, "RUNTIME_SUSPENDED"],
      ["secret_revoked", 403, "RUNTIME_SUSPENDED"],
    ] as const;
    for (const [reason, status, code] of reasons) {
      await api.services.database
        .updateTable("avatar_sessions")
        .set({ end_reason: reason })
        .where("id", "=", ended)
        .execute();
      t.match(await beat(ended), { status, body: { error: { code } } }, reason);
    }
  });
});

t.test("the end of a self-hosted session says when its runtime is gone", async (t) => {
  await withSessions({ credits: 100 }, async ({ api, secret, agentCode }) => {
    const bearer = (await api.call("POST", LAUNCH, { secret })).body.data.token;
    const body = { agent_code: agentCode, model: "essence-2", host: "laptop", install_id: "i" };
    const begin = async (): Promise<string> =>
      (await api.call("POST", "/v1/runtime/sessions", { bearer, body })).body.session_id;
    const end = async (id: string) => (await api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret })).body;
    const waiting = { ended: false, slot_released: true, note: /runtime is told at its next heartbeat/ };
    const gone = { ended: true, note: /the runtime knows/ };

    const [told, stopped, silent] = [await begin(), await begin(), await begin()];
    api.clock.hold();
    for (const id of [told, stopped, silent]) t.match(await end(id), waiting);
    await api.call("POST", `/v1/runtime/sessions/${told}/beat`, { bearer, body: { seq: 1, served_seconds: 1 } });
    t.match(await end(told), gone, "its heartbeat was answered with an error");
    await api.call("POST", `/v1/runtime/sessions/${stopped}/stop`, { bearer, body: { served_seconds: 1 } });
    t.match(await end(stopped), gone, "it has stopped itself");
    t.match(await end(silent), waiting);
    api.clock.advance(300_000);
    t.match(await end(silent), gone, "a runtime that cannot reach the service gives up after its grace period");
  });
});
