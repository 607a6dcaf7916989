// The life of an avatar session over REST: live, spoken to, metered, handed over, stopped, ended.

import { RoomServiceClient } from "livekit-server-sdk";
import t, { type Test } from "tap";
import { balanceOf } from "../../../../api/accounts/credits/ledger.ts";
import { addSecret, revokeSecret } from "../../../../api/accounts/secrets/secret-store.ts";
import { findDispatch, joinControlRoom, WORKER_STILL } from "../../../helpers/service/control-room-worker.ts";
import { type SessionStage, withSessions } from "../../../helpers/service/with-sessions.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

t.test("a session is launched, speaks, is metered and ends", async (t) => {
  await withSessions({ credits: 10 }, async ({ api, livekit, secret, agentCode, userId, launch, goLive }) => {
    const speak = (body: object) => api.call("POST", `/v1/agent/${agentCode}/speak`, { secret, body });
    t.match(await speak({ message: "Hello" }), {
      status: 404,
      body: { error: { message: /^No active rooms found for agent/ } },
    });

    const started = await launch("room-1");
    t.match(started, {
      status: 200,
      body: {
        avatar_session_started: true,
        session_id: /^cs_[0-9a-f]{24}$/,
        model: "essence-2",
        mode: "gpu",
        agent_id: agentCode,
        user_id: userId,
        status: "starting",
      },
    });
    const id: string = started.body.session_id;
    t.match(
      await speak({ message: "Hello" }),
      { status: 404, body: { error: { message: /still starting/ } } },
      "a room without a live avatar is not deliverable yet",
    );
    const showStill = (of = secret) => api.call("GET", `/v1/runtime-sessions/${id}/still`, { secret: of });
    t.match(await showStill(), { status: 409, body: { error: { code: "VALIDATION_ERROR", message: /starting/ } } });
    const { worker, token, id: sameId } = await goLive("room-1");
    t.equal(sameId, id, "the same launch again is the same session");
    t.equal((await speak({ message: "Hello", emotion: "happy:0.6" })).status, 200);
    t.match(worker.calls.pop(), { method: "service.speak", payload: { message: "Hello", emotion: "happy:0.6" } });
    for (const emotion of ["joy", "", "happy:2", "Happy", 3]) {
      const refused = await speak({ message: "Hello", emotion });
      t.match(refused, { status: 400, body: { error: { code: "VALIDATION_ERROR", message: /emotion/ } } });
      if (emotion !== 3) t.match(refused.body.error.message, /neutral, happy, sad, .*content/);
    }

    const runtime = (path: string) => `/v1/runtime/sessions/${id}/${path}`;
    const { database } = api.services;
    const rowOf = () => database.selectFrom("avatar_sessions").selectAll().where("id", "=", id).executeTakeFirst();
    const before = await rowOf();
    const job = await api.call("GET", runtime("job"), { bearer: token });
    t.same(await rowOf(), before, "GET changes nothing");
    t.match(job.body, {
      avatar_session_id: id,
      agent_code: agentCode,
      voice_id: "F2",
      model: "essence-2",
      imx_url: `${api.baseUrl}${runtime("model")}`,
      imx_sha256: /^[0-9a-f]{64}$/,
      portrait_url: null,
      livekit_url: livekit.url,
      room_name: "room-1",
      livekit_token: /^eyJ/,
      conversation: false,
      is_hosted: false,
      dynamics_enabled: null,
    });
    t.equal((await api.call("GET", runtime("model"), { bearer: token })).body, `essence-2 of ${agentCode}`);
    t.equal((await api.call("GET", runtime("portrait"), { bearer: token })).body, `portrait of ${agentCode}`);

    const receipt = await speak({ message: "Hello there" });
    t.match(receipt, {
      status: 200,
      body: {
        agent_code: agentCode,
        context_type: "speak",
        delivered_to_rooms: 1,
        rooms: ["room-1"],
        rooms_failed: [],
      },
    });
    const context = { context: "It is raining", room_id: "room-1" };
    t.match(
      await api.call("POST", `/v1/agent/${agentCode}/add-context`, { secret, body: context }),
      { status: 404, body: { error: { message: /^No active rooms found for agent .*: no conversation is attached/ } } },
      "an avatar in a caller's room has no conversation",
    );
    t.match(worker.calls, [{ method: "service.speak", payload: { message: "Hello there", request_id: String } }]);
    t.equal(worker.calls.length, 1);
    const still = await fetch(`${api.baseUrl}/v1/runtime-sessions/${id}/still`, { headers: { "api-secret": secret } });
    t.equal(still.status, 200);
    t.equal(still.headers.get("content-type"), "image/jpeg");
    t.equal(still.headers.get("cache-control"), "no-store");
    t.same(new Uint8Array(await still.arrayBuffer()), WORKER_STILL);
    const other = await api.addAccount({ credits: 10 });
    t.equal((await showStill(other.secret)).status, 404, "not for another account");
    worker.declined.add("service.still");
    t.match(await showStill(), { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE" } } });
    const askTurns = (of = { account: { userId }, secret }, query = "?after=2") =>
      api.call("GET", `/v2/${of.account.userId}/runtime-sessions/${id}/turns${query}`, { secret: of.secret });
    t.match(await askTurns(), { status: 200, body: { data: { turns: [] } } });
    t.match(worker.calls.pop(), { method: "service.turns", payload: { after: 2 } });
    t.match(await askTurns(other), { status: 404 }, "what the model is told is not for another account");
    t.match(await askTurns(undefined, "?after=-1"), { status: 400 });
    worker.declined.add("service.turns");
    t.match(await askTurns(), { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE" } } });
    await worker.leave();
    const late = speak({ message: "Are you there?" });
    const successor = await joinControlRoom(livekit, id);
    t.match(await late, { status: 200 }, "a worker that is still on its way is waited for");
    t.match(successor.calls, [{ method: "service.speak", payload: { message: "Are you there?" } }]);
    successor.declined.add("service.speak");
    t.match(await speak({ message: "Hello" }), { status: 404, body: { error: { message: /did not answer/ } } });
    const bad = (path: string, body: object) => api.call("POST", `/v1/agent/${agentCode}/${path}`, { secret, body });
    t.match(await bad("speak", { message: "x", room_id: "elsewhere" }), { status: 404 });
    t.match(await bad("speak", {}), { status: 400, body: { error: { code: "MISSING_PARAM" } } });
    t.match(await bad("speak", { message: "x".repeat(5001) }), {
      status: 400,
      body: { error: { code: "VALIDATION_ERROR" } },
    });
    for (const type of ["shout", 5, true, ["speak"], {}]) {
      const answer = await bad("add-context", { context: "x", type });
      t.match(answer, { status: 422, body: { error: { code: "VALIDATION_ERROR" } } }, JSON.stringify(type));
    }

    const listed = await api.call("GET", `/v1/agent/${agentCode}/sessions`, { secret });
    t.match(listed.body, {
      agent_code: agentCode,
      sessions: [{ room_id: "room-1", deliverable: true, num_participants: 0 }],
    });

    const heartbeat = (seq: number, served: number) =>
      api.call("POST", runtime("beat"), { bearer: token, body: { seq, served_seconds: served } });
    // Half an hour passes for this session, so that its worker can have served that long.
    await database
      .updateTable("avatar_sessions")
      .set({ created_at: new Date(Date.now() - 1_800_000) })
      .execute();
    t.match((await heartbeat(1, 30)).body, { ok: true, token: /^eyJ/, balance: 8 });
    t.match((await heartbeat(1, 90)).body, { ok: true, balance: 8 }, "a repeated heartbeat changes nothing");
    t.match((await heartbeat(2, 20)).body, { ok: true, balance: 8 }, "served time never goes back");
    t.match((await heartbeat(3, 52.5)).body, { ok: true, balance: 7 });

    const ended = await api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret });
    t.match(ended, {
      status: 200,
      body: { session_id: id, status: "ended", room_name: "room-1", credits: 3, ended: true, slot_released: true },
    });
    t.ok(ended.body.billed_seconds >= 52.5 && ended.body.billed_seconds < 54, `${ended.body.billed_seconds} s`);
    t.match(successor.calls.at(-1), { method: "service.end", payload: { reason: "ended_by_api" } });
    await successor.leave();
    const again = await api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret });
    t.same(again.body, ended.body, "ending is repeatable");
    t.match(await showStill(), { status: 409, body: { error: { message: /ended/ } } });
    t.match((await heartbeat(4, 60)).body, { ok: false, stop: { reason: "ended_by_api" } });
    t.equal((await balanceOf(database, userId)).total, 7);
    t.equal((await api.call("GET", runtime("job"), { bearer: token })).status, 404, "the join token is forgotten");
    const rooms = await new RoomServiceClient(
      livekit.url.replace("ws", "http"),
      livekit.apiKey,
      livekit.apiSecret,
    ).listRooms([`ctl-${id}`]);
    t.same(rooms, [], "the control room is gone");
    const stranger = await api.addAccount();
    t.equal((await api.call("GET", `/v1/runtime-sessions/${id}`, { secret: stranger.secret })).status, 404);
  });
});

t.test(
  "the answer to a heartbeat says stop if the balance is used up, the secret revoked or 24 hours over",
  async (t) => {
    const stopOf = async (
      t: Test,
      plan: "pro" | "custom",
      spoil: (stage: SessionStage, id: string) => Promise<void>,
    ) => {
      let reason: unknown;
      await withSessions({ plan, credits: 2 }, async (stage) => {
        const { id, token } = await stage.goLive("room");
        await spoil(stage, id);
        const answer = await stage.api.call("POST", `/v1/runtime/sessions/${id}/beat`, {
          bearer: token,
          body: { seq: 1, served_seconds: 45 },
        });
        t.equal(answer.status, 200);
        reason = answer.body.stop?.reason;
        const { body } = await stage.api.call("GET", `/v1/runtime-sessions/${id}`, {
          secret: await addSecret(stage.api.services.database, {
            userId: stage.userId,
            alias: "other",
            createdAt: new Date(),
          }),
        });
        t.equal(body.status, reason === undefined ? "live" : "ended");
      });
      return reason;
    };
    const age = ({ api }: SessionStage, seconds: number) =>
      api.services.database
        .updateTable("avatar_sessions")
        .set({ created_at: new Date(Date.now() - seconds * 1000), live_at: new Date(Date.now() - seconds * 1000) })
        .execute();
    t.equal(await stopOf(t, "pro", async (stage) => void (await age(stage, 60))), "balance_exhausted");
    t.equal(
      await stopOf(t, "custom", async (stage) => void (await age(stage, 60))),
      undefined,
      "custom is never stopped for credits",
    );
    t.equal(await stopOf(t, "custom", async (stage) => void (await age(stage, 86_400))), "duration_limit");
    t.equal(
      await stopOf(t, "custom", async ({ api, userId }) => {
        await revokeSecret(api.services.database, userId, "test", new Date());
      }),
      "secret_revoked",
    );
  },
);

t.test(
  "a session that a worker gives up continues on another worker; draining does not count as a loss; `/end` reports only what is known",
  async (t) => {
    await withSessions({}, async ({ api, livekit, secret, goLive }) => {
      const end = (id: string) => api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret });
      const events = (id: string, bearer: string, body: object) =>
        api.call("POST", `/v1/runtime/sessions/${id}/events`, { bearer, body });
      const given = await goLive("given-up");
      const silent = await goLive("silent");
      for (const reason of ["worker_lost", "worker_draining", "worker_draining", "worker_lost"]) {
        const { runtime_token: bearer } = await findDispatch(livekit, given.id);
        await events(given.id, bearer, { event: "accepted" });
        t.equal((await events(given.id, bearer, { event: "ended", reason })).status, 200);
        const { body } = await api.call("GET", `/v1/runtime-sessions/${given.id}`, { secret });
        t.match(body, { status: "starting", end_reason: null }, `${reason}: dispatched again`);
        t.not((await findDispatch(livekit, given.id)).runtime_token, bearer);
      }
      const { runtime_token: last } = await findDispatch(livekit, given.id);
      await events(given.id, last, { event: "accepted" });
      await events(given.id, last, { event: "ended", reason: "worker_lost" });
      t.match((await api.call("GET", `/v1/runtime-sessions/${given.id}`, { secret })).body, {
        status: "ended",
        end_reason: "worker_lost",
      });
      const lost = await end(given.id);
      t.match(lost.body, { ended: false, slot_released: true }, "a lost worker is not known to have left");

      await silent.worker.leave();
      const first = await end(silent.id);
      t.match(first.body, { ended: false, slot_released: true, note: /within about a minute/ });
      t.same((await end(silent.id)).body, first.body, "repeated, it does not claim more than it knows");
      t.equal((await events(silent.id, silent.token, { event: "ended", reason: "ended_by_api" })).status, 200);
      t.match((await end(silent.id)).body, { ended: true, note: /has left/ }, "until the worker says that it has left");
    });
  },
);

/** The api waits 4 s for a worker on its way to the control room, of which a call to a dead one takes a second or more.
 *  A busy machine needs longer at times, but not always. */
const TRIES = 6;

for (const state of ["dead", "on its way"]) {
  t.test(`the end of a live session reaches a worker that comes late: the one before was ${state}`, async (t) => {
    await withSessions({}, async ({ api, livekit, secret, goLive }) => {
      for (let tries = 1; ; tries++) {
        const { id, worker } = await goLive(`late-${tries}`);
        if (state === "dead") worker.die();
        else await worker.leave();
        const ending = api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret });
        if (state === "dead") await waitFor(() => worker.unanswered > 0, "the dead process is called");
        const successor = await joinControlRoom(livekit, id);
        const { status, body } = await ending;
        await Promise.all([worker.leave(), successor.leave()]);
        if (!body.ended && tries < TRIES) continue;
        t.match({ status, body }, { status: 200, body: { ended: true } });
        t.match(successor.calls, [{ method: "service.end" }]);
        return;
      }
    });
  });
}

t.test(
  "participants on a caller's own LiveKit server come from the avatar's reports, and a deleted agent's sessions end",
  async (t) => {
    // The api believes that its own LiveKit server is elsewhere.
    await withSessions({}, async ({ api, secret, agentCode, goLive }) => {
      const { id, token } = await goLive("own");
      const { database } = api.services;
      await database.updateTable("avatar_sessions").set({ livekit_url: "wss://elsewhere.example" }).execute();
      const listed = async () => (await api.call("GET", `/v1/agent/${agentCode}/sessions`, { secret })).body.sessions;
      t.match(
        await listed(),
        [{ session_id: id, num_participants: 1 }],
        "before the first report the avatar alone is sure",
      );
      const room = { participants: 4, created_at: 1_700_000_000 };
      const heartbeat = (seq: number, body: object) =>
        api.call("POST", `/v1/runtime/sessions/${id}/beat`, {
          bearer: token,
          body: { seq, served_seconds: 1, ...body },
        });
      t.equal((await heartbeat(1, { room })).status, 200);
      t.match(await listed(), [{ num_participants: 4, created_at: 1_700_000_000 }]);
      await heartbeat(2, {});
      t.match(await listed(), [{ num_participants: 4 }], "a worker without the report changes nothing");

      const guarded = await goLive("guarded");
      await database
        .updateTable("avatar_sessions")
        .set({ livekit_url: "ws://10.0.0.1:7880" })
        .where("id", "=", guarded.id)
        .execute();
      await api.avatarSessions.replaceWorker(guarded.id, 1);
      t.match(
        (await api.call("GET", `/v1/runtime-sessions/${guarded.id}`, { secret })).body,
        { status: "ended", end_reason: "join_failed" },
        "an address that is private by now gets no other worker",
      );

      t.equal((await api.call("DELETE", `/v1/agent/${agentCode}`, { secret })).status, 200);
      const ended = await waitFor(async () => {
        const { body } = await api.call("GET", `/v1/runtime-sessions/${id}`, { secret });
        return body.status === "ended" && body;
      }, "the end of the deleted agent's session");
      t.match(ended, { end_reason: "terminated" });
    });
  },
);
