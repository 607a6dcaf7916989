// What is kept of a conversation, and who is told of it.
import t from "tap";
import { deleteMessagesBefore } from "../../../../api/sessions/messages/message-store.ts";
import { withSessions } from "../../../helpers/service/with-sessions.ts";

const DAY_MS = 86_400_000;
const AT = "2030-05-01T10:00:00.000Z";

function message(seq: number, role: "user" | "assistant", text: string) {
  return { seq, role, message: text, timestamp: AT };
}

await t.test(
  "messages of a conversation are kept once, in order, for some days, and go with their agent",
  async (t) => {
    await withSessions({}, async ({ api, secret, userId, agentCode, goLive }) => {
      const { database, events } = api.services;
      const pushed: [string, string | null, string][] = [];
      events.on("chat.push", async (_, { role, agentCode: code, message: text }) => {
        pushed.push([role, code, text]);
      });
      const { id, token } = await goLive("conversation");
      const report = (messages: object[], bearer = token) =>
        api.call("POST", `/v1/runtime/sessions/${id}/messages`, { bearer, body: { messages } });
      const transcript = async () =>
        (await api.call("GET", `/v2/${userId}/runtime-sessions/${id}/messages`, { secret })).body.data;
      const listed = async () =>
        (await api.call("GET", `/v2/${userId}/runtime-sessions`, { secret })).body.data.sessions[0];

      t.match(await report([message(1, "assistant", "Hello")]), {
        status: 409,
        body: { error: { message: /no conversation/ } },
      });
      await database.updateTable("avatar_sessions").set({ has_conversation: true }).execute();
      t.match(await listed(), { id, has_transcript: false });
      t.equal((await report([message(2, "user", "Hi 🐋"), message(1, "assistant", "Hello, I am Nova.")])).status, 200);
      t.equal((await report([message(2, "user", "Hi 🐋"), message(3, "assistant", "What would you")])).status, 200);
      await Promise.all([report([message(4, "user", "The bowls.")]), report([message(4, "user", "The bowls.")])]);
      const latency = { is_typed: false, text_ms: 90, decided_ms: 240, words_ms: 400, sound_ms: 520 };
      t.equal((await report([{ ...message(5, "assistant", "Made in May."), latency }])).status, 200);
      t.match(await transcript(), {
        session_id: id,
        agent_code: agentCode,
        live: true,
        messages: [
          { timestamp: AT, role: "assistant", message: "Hello, I am Nova.", latency: null },
          { timestamp: AT, role: "user", message: "Hi 🐋" },
          { timestamp: AT, role: "assistant", message: "What would you" },
          { timestamp: AT, role: "user", message: "The bowls." },
          { timestamp: AT, role: "assistant", message: "Made in May.", latency },
        ],
      });
      t.match(await listed(), { id, has_transcript: true });
      t.same(pushed, [
        ["assistant", agentCode, "Hello, I am Nova."],
        ["user", agentCode, "Hi 🐋"],
        ["assistant", agentCode, "What would you"],
        ["user", agentCode, "The bowls."],
        ["assistant", agentCode, "Made in May."],
      ]);

      for (const [title, wrong] of [
        ["none", []],
        ["no number", [{ ...message(6, "user", "x"), seq: 0 }]],
        ["another role", [{ ...message(6, "user", "x"), role: "system" }]],
        ["no text", [message(6, "user", "")]],
        ["too long", [message(6, "user", "x".repeat(20_001))]],
        ["a latency below zero", [{ ...message(6, "assistant", "x"), latency: { ...latency, text_ms: -1 } }]],
        ["no time", [{ ...message(6, "user", "x"), timestamp: "now" }]],
        ["too many", Array.from({ length: 101 }, (_, index) => message(6 + index, "user", "x"))],
      ] as const) {
        t.match(await report([...wrong]), { status: 400, body: { error: { code: "VALIDATION_ERROR" } } }, title);
      }
      const other = await goLive("other");
      t.equal((await report([message(6, "user", "x")], other.token)).status, 404, "another session's worker");
      t.equal((await report([message(6, "user", "x")], secret)).status, 401);
      const stranger = await api.addAccount();
      const path = `/v2/${stranger.account.userId}/runtime-sessions/${id}/messages`;
      t.equal((await api.call("GET", path, { secret: stranger.secret })).status, 404);

      await database.updateTable("avatar_sessions").set({ dispatch_number: 2 }).where("id", "=", id).execute();
      t.match(await report([message(6, "user", "late")]), { status: 409 }, "a worker that was replaced");
      t.equal((await transcript()).messages.length, 5);
      await database
        .updateTable("session_messages")
        .set({ said_at: new Date(Date.parse(AT) - DAY_MS) })
        .where("seq", "=", 1)
        .execute();
      await deleteMessagesBefore(database, new Date(AT));
      t.equal((await transcript()).messages.length, 4, "what is older than the retention goes");
      t.equal((await api.call("DELETE", `/v1/agent/${agentCode}`, { secret })).status, 200);
      t.same((await transcript()).messages, []);
    });
  },
);

await t.test("with a retention of 0 days nothing is kept, and each message is told once", async (t) => {
  await withSessions({ environment: { AVATAR_TRANSCRIPT_DAYS: "0" } }, async ({ api, secret, userId, goLive }) => {
    const { database, events } = api.services;
    let pushed = 0;
    events.on("chat.push", async () => {
      pushed++;
    });
    const { id, token } = await goLive("conversation");
    await database.updateTable("avatar_sessions").set({ has_conversation: true }).execute();
    for (let attempt = 1; attempt <= 2; attempt++) {
      const body = { messages: [message(1, "user", "Hi")] };
      t.equal((await api.call("POST", `/v1/runtime/sessions/${id}/messages`, { bearer: token, body })).status, 200);
    }
    t.equal(pushed, 1);
    const { body } = await api.call("GET", `/v2/${userId}/runtime-sessions/${id}/messages`, { secret });
    t.same(body.data.messages, []);
    t.match(await database.selectFrom("session_messages").selectAll().execute(), []);
  });
});
