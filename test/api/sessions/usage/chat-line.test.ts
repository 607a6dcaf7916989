// What a conversation costs: the rate of its model, and while a language model of the service answers the chat line, or
// the camera line.
import t from "tap";
import { balanceOf } from "../../../../api/accounts/credits/ledger.ts";
import { type Conversation, type SessionStage, withSessions } from "../../../helpers/service/with-sessions.ts";

const HOUR_MS = 3_600_000;

/** Heartbeats and answers of one conversation. Its first hour is over, so that a worker can have served as long. */
async function follow({ api, secret, userId }: SessionStage, { id, token }: Conversation) {
  const { database } = api.services;
  await database
    .updateTable("avatar_sessions")
    .set({ created_at: new Date(Date.now() - HOUR_MS) })
    .where("id", "=", id)
    .execute();
  let seq = 0;
  return {
    serve: (seconds: number, bearer = token, watched?: number) =>
      api.call("POST", `/v1/runtime/sessions/${id}/beat`, {
        bearer,
        body: { seq: ++seq, served_seconds: seconds, watched_seconds: watched },
      }),
    listed: async () => {
      const { data } = (await api.call("GET", `/v2/${userId}/runtime-sessions?kind=conversations`, { secret })).body;
      const session = data.sessions.find((one: { id: string }) => one.id === id);
      return { ...session, total: data.live_burn_rate_cr_per_min };
    },
    usage: async () =>
      (await api.call("GET", "/v1/usage", { secret })).body.data
        .filter(({ id: reference }: { id: string }) => reference.startsWith(`session:${id}`))
        .map((row: { pricing_code: string; credits_change: number; activity_type: string; room_name: string }) => [
          row.pricing_code,
          row.credits_change,
          row.activity_type,
          typeof row.room_name,
        ])
        .sort(),
    balance: async () => (await balanceOf(database, userId)).total,
    async succeed(mind: string) {
      const { database } = api.services;
      const change = { dispatch_number: 2, status: "starting", last_beat_seq: 0 } as const;
      await database.updateTable("avatar_sessions").set(change).where("id", "=", id).execute();
      await database
        .updateTable("avatar_sessions")
        .set((fields) => ({ earlier_deciseconds: fields.ref("served_deciseconds") }))
        .where("id", "=", id)
        .execute();
      const { token: bearer } = await api.services.tokens.runtimeSession.mint({ sub: id, dispatch: 2 });
      await api.call("POST", `/v1/runtime/sessions/${id}/events`, { bearer, body: { event: "live", mind } });
      return bearer;
    },
  };
}

t.test("a conversation costs the model's rate, and 10 credits a minute while a language model answers", async (t) => {
  await withSessions({ credits: 1000 }, async (stage) => {
    const { api, secret } = stage;
    const conversation = await stage.converse("a visitor", { mind: "model" });
    const { serve, listed, usage, balance, succeed } = await follow(stage, conversation);
    t.match((await serve(60)).body, { balance: 1000 - 4 - 10 });
    t.match(await listed(), { credits: 14, burn_rate_cr_per_min: 14, total: 14, has_transcript: false, minutes: 1 });
    t.same(await usage(), [
      ["usage_essence_2_model_cloud", 4, "avatar_session", "string"],
      ["usage_voice_chat", 10, "avatar_session", "string"],
    ]);

    const bearer = await succeed("knowledge");
    await serve(60, bearer);
    t.match(
      await listed(),
      { credits: 18, burn_rate_cr_per_min: 4, minutes: 2 },
      "answers from documents alone cost no chat line",
    );
    t.match((await api.call("POST", `/v1/runtime-sessions/${conversation.id}/end`, { secret })).body, {
      status: "ended",
      credits: 18,
    });
    t.equal(await balance(), 1000 - 18);
    t.match(await listed(), { credits: 18, burn_rate_cr_per_min: 0, status: "ended" });
    t.same(await usage(), [
      ["usage_essence_2_model_cloud", 8, "avatar_session", "string"],
      ["usage_voice_chat", 10, "avatar_session", "string"],
    ]);
  });
});

t.test("both lines are floored in each session, and what is left is carried to the next", async (t) => {
  await withSessions({ credits: 1000 }, async (stage) => {
    const { api, secret } = stage;
    for (const [visitor, expected] of [
      ["first", 1],
      ["second", 3],
    ] as const) {
      const conversation = await stage.converse(visitor, { mind: "model" });
      const { serve, usage } = await follow(stage, conversation);
      // 10 s at 4 a minute are two thirds of a credit, at 10 a minute one and two thirds.
      await serve(10);
      // The api counts time since the last heartbeat, too.
      const { database } = api.services;
      await database
        .updateTable("avatar_sessions")
        .set({ last_seen_at: new Date(Date.now() + 60_000) })
        .execute();
      const ended = await api.call("POST", `/v1/runtime-sessions/${conversation.id}/end`, { secret });
      t.equal(ended.body.credits, expected, visitor);
      t.same(
        (await usage()).map(([code, credits]: [string, number]) => [code, credits]),
        visitor === "first"
          ? [
              ["usage_essence_2_model_cloud", 0],
              ["usage_voice_chat", 1],
            ]
          : [
              ["usage_essence_2_model_cloud", 1],
              ["usage_voice_chat", 2],
            ],
      );
    }
  });
});

t.test("a session without a conversation has no chat line, whatever its worker reports", async (t) => {
  await withSessions({}, async (stage) => {
    const { api } = stage;
    const { body } = await stage.launch("a caller's room");
    const { token: bearer } = await api.services.tokens.runtimeSession.mint({ sub: body.session_id, dispatch: 1 });
    const event = { event: "live", mind: "model" };
    await api.call("POST", `/v1/runtime/sessions/${body.session_id}/events`, { bearer, body: event });
    const callers = { id: body.session_id, token: bearer } as Conversation;
    const { serve, listed } = await follow(stage, callers);
    await serve(60);
    t.match(await listed(), { credits: 4, burn_rate_cr_per_min: 4 });
  });
});

t.test("while a camera is watched, 30 credits a minute take the place of the chat line", async (t) => {
  await withSessions({ credits: 1000 }, async (stage) => {
    const { api, secret } = stage;
    const { id, ...conversation } = await stage.converse("a visitor", { mind: "model" });
    const { serve, listed, usage, balance, succeed } = await follow(stage, { id, ...conversation });
    await serve(60, conversation.token, 0);
    t.match(await listed(), { credits: 14 });
    await serve(120, conversation.token, 60);
    t.match(await listed(), { credits: 14 + 4 + 30 });
    await serve(120, conversation.token, 60);
    await serve(180, conversation.token, 60);
    t.match(await listed(), { credits: 14 + 4 + 30 + 14 }, "the camera is off again");
    t.match((await api.call("GET", `/v1/runtime/sessions/${id}/job`, { bearer: conversation.token })).body, {
      watched_seconds: 60,
    });

    const bearer = await succeed("model");
    await serve(60, bearer, 100);
    t.match(
      await listed(),
      { credits: 62 + 4 + 20 + 3 },
      "40 s of camera and 20 s without: 20 credits and 3 and a third",
    );
    await serve(120, bearer, 10_000);
    t.match(await listed(), { credits: 89 + 4 + 30 }, "no more than was served");
    await api.services.database
      .updateTable("avatar_sessions")
      .set({ last_seen_at: new Date(Date.now() + 60_000) })
      .execute();
    await api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret });
    t.equal(await balance(), 1000 - 123);
    t.same(await usage(), [
      ["usage_camera_chat", 80, "avatar_session", "string"],
      ["usage_essence_2_model_cloud", 20, "avatar_session", "string"],
      ["usage_voice_chat", 23, "avatar_session", "string"],
    ]);
  });
});

t.test("without a language model a camera costs nothing", async (t) => {
  await withSessions({}, async (stage) => {
    const conversation = await stage.converse("a visitor", { mind: "knowledge" });
    const { serve, listed } = await follow(stage, conversation);
    await serve(60, conversation.token, 60);
    t.match(await listed(), { credits: 4 });
  });
});
