// A conversation in a hosted room: what its worker is told, and what it gets back after it moved to another worker.
import { once } from "node:events";
import { DisconnectReason, RoomEvent } from "@livekit/rtc-node";
import { RoomServiceClient } from "livekit-server-sdk";
import t from "tap";
import { chosenGreeting, greetingOf } from "../../../../api/agents/greeting.ts";
import { addContext, listContexts } from "../../../../api/sessions/messages/context-store.ts";
import { LANGUAGE_CODES } from "../../../../src/speech/languages/languages.ts";
import { TestRoom } from "../../../helpers/rooms/test-room.ts";
import { type SessionStage, withSessions } from "../../../helpers/service/with-sessions.ts";

function reporter({ api }: Pick<SessionStage, "api">, id: string, token: string) {
  return async (...said: [number, "user" | "assistant", string][]) => {
    const timestamp = new Date(api.services.now()).toISOString();
    const messages = said.map(([seq, role, message]) => ({ seq, role, message, timestamp }));
    return api.call("POST", `/v1/runtime/sessions/${id}/messages`, { bearer: token, body: { messages } });
  };
}

t.test("hosted rooms converse; the next worker gets history and contexts, and does not greet", async (t) => {
  await withSessions({}, async (stage) => {
    const { api, secret, agentCode, goLive, converse } = stage;
    const { database } = api.services;
    const { id, token, worker, roomName } = await converse("visitor 7");
    const jobOf = async (bearer: string, session = id) =>
      (await api.call("GET", `/v1/runtime/sessions/${session}/job`, { bearer })).body;
    const callers = await goLive("a caller's room");
    const job = await jobOf(callers.token, callers.id);
    t.match(job, { conversation: false, is_hosted: false });
    t.notOk("greeting" in job || "history" in job, "an avatar in a caller's room holds no conversation");
    const first = await jobOf(token);
    t.match(first, {
      conversation: true,
      is_hosted: true,
      idle_timeout_s: 30,
      end_user_id: "visitor 7",
      has_knowledge: false,
      greeting: "Hello, I'm Test agent. What can I do for you?",
      history: [],
      last_message_seq: 0,
    });

    const add = (context: string) =>
      api.call("POST", `/v1/agent/${agentCode}/add-context`, { secret, body: { context } });
    t.match((await add("It rains.")).body, { rooms: [roomName], rooms_skipped: ["a caller's room"], rooms_failed: [] });
    t.match(worker.calls, [{ method: "service.add_context", payload: { context: "It rains.", request_id: String } }]);
    const report = reporter(stage, id, token);
    t.equal((await report([1, "assistant", "Hello"], [2, "user", "Do I need a coat?"])).status, 200);
    t.equal((await add("The sun is out.")).status, 200);
    worker.declined.add("service.add_context");
    t.equal((await add("Never arrived.")).status, 404);
    await report([3, "assistant", "No."]);

    const { token: next } = await api.services.tokens.runtimeSession.mint({ sub: id, dispatch: 2 });
    // No heartbeat comes, and on a busy machine the session would be given to another worker.
    const seen = { last_seen_at: new Date(Date.now() + 3_600_000) };
    await database
      .updateTable("avatar_sessions")
      .set({ dispatch_number: 2, ...seen })
      .where("id", "=", id)
      .execute();
    t.match(await jobOf(next), {
      greeting: null,
      last_message_seq: 3,
      history: [
        { role: "context", text: "It rains." },
        { role: "assistant", text: "Hello" },
        { role: "user", text: "Do I need a coat?" },
        { role: "context", text: "The sun is out." },
        { role: "assistant", text: "No." },
      ],
    });

    await addContext(database, id, "x".repeat(19_990), new Date());
    t.same(
      (await listContexts(database, id)).map(({ context }) => context.length),
      [19_990],
      "the oldest contexts go when there are more than 20,000 characters",
    );
    for (let count = 0; count < 210; count++) await addContext(database, id, "y", new Date());
    t.equal((await listContexts(database, id)).length, 200);
    // An hour passes, in which a person may say that much.
    await database
      .updateTable("avatar_sessions")
      .set({ created_at: new Date(Date.now() - 3_600_000) })
      .execute();
    const many = Array.from({ length: 260 }, (_, index) => [4 + index, "user", `${index}`] as const);
    for (let from = 0; from < many.length; from += 100) {
      const said = many.slice(from, from + 100).map((entry): [number, "user", string] => [...entry]);
      const { token: current } = await api.services.tokens.runtimeSession.mint({ sub: id, dispatch: 2 });
      t.equal((await reporter(stage, id, current)(...said)).status, 200);
    }
    const { history } = await jobOf(next);
    t.equal(history.length, 400, "of long conversations the last 200 messages, and the contexts");
    t.equal(history.at(-1).text, "259");
    await api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret });
    t.same(await listContexts(database, id), [], "contexts end with the conversation");
    await addContext(database, id, "late", new Date());
    t.same(await listContexts(database, id), []);
  });
});

t.test("with AVATAR_REMEMBER_VISITORS a returning visitor's last conversation is told, and no other", async (t) => {
  await withSessions({ environment: { AVATAR_REMEMBER_VISITORS: "1" } }, async (stage) => {
    const { api, secret, userId, agentCode, converse } = stage;
    const visit = async (visitor: string, said: string) => {
      const { id, token } = await converse(visitor);
      const { earlier } = (await api.call("GET", `/v1/runtime/sessions/${id}/job`, { bearer: token })).body;
      if (said !== "") await reporter(stage, id, token)([1, "user", said]);
      await api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret });
      return earlier;
    };
    t.same(await visit("ada", "My name is Ada."), []);
    t.same(await visit("bob", "My name is Bob."), []);
    t.same(await visit("ada", ""), [{ role: "user", text: "My name is Ada." }]);
    t.same(
      await visit("ada", "I am back."),
      [{ role: "user", text: "My name is Ada." }],
      "an empty visit does not count",
    );
    t.same(await visit("ada", ""), [{ role: "user", text: "I am back." }]);

    // A token of the demo page, which names no one, and an address that names a visitor.
    const { id: key } = await api.services.database
      .selectFrom("api_secrets")
      .select("id")
      .where("user_id", "=", userId)
      .executeTakeFirstOrThrow();
    const claims = { sub: userId, key, agent: agentCode, sid: "s", endUserId: "s", model: null, demo: true };
    const demo = await api.services.tokens.embed.mint(claims);
    const body = { end_user_id: "ada" };
    const started = await api.call("POST", "/embed/session", { bearer: demo.token, body });
    t.match(started, { status: 200, body: { remembers: false } });
    const { id } = await api.services.database
      .selectFrom("avatar_sessions")
      .select("id")
      .where("room_name", "=", started.body.room_name)
      .executeTakeFirstOrThrow();
    const { token: bearer } = await api.services.tokens.runtimeSession.mint({ sub: id, dispatch: 1 });
    const job = await api.call("GET", `/v1/runtime/sessions/${id}/job`, { bearer });
    t.match(job.body, { end_user_id: "ada", earlier: null }, "who names themselves hears nothing of another");
  });
});

t.test("a conversation is announced once, when a person is there; an avatar in a caller's room never", async (t) => {
  await withSessions({}, async (stage) => {
    const { api, goLive, converse } = stage;
    const joins: { avatarSessionId: string; roomName: string; participantCount: number }[] = [];
    api.services.events.on("room.join", async (_, join) => {
      joins.push(join);
    });
    const beat = (id: string, bearer: string, seq: number, participants: number) =>
      api.call("POST", `/v1/runtime/sessions/${id}/beat`, {
        bearer,
        body: { seq, served_seconds: 0, room: { participants } },
      });
    const callers = await goLive("a caller's room");
    await beat(callers.id, callers.token, 1, 3);
    const quick = await converse("in the room already", { room: { participants: 2 } });
    t.match(joins, [{ avatarSessionId: quick.id, roomName: quick.roomName, participantCount: 2 }]);
    const slow = await converse("comes later", { room: { participants: 1 } });
    await beat(slow.id, slow.token, 1, 1);
    t.equal(joins.length, 1, "an avatar alone is no conversation");
    await beat(slow.id, slow.token, 2, 3);
    await beat(slow.id, slow.token, 3, 4);
    await reporter(stage, slow.id, slow.token)([1, "assistant", "Hello"]);
    t.match(joins.slice(1), [{ avatarSessionId: slow.id, participantCount: 3 }]);
    const quiet = await converse("unseen");
    await reporter(stage, quiet.id, quiet.token)([1, "assistant", "Hello"]);
    await beat(quiet.id, quiet.token, 1, 2);
    t.match(
      joins.slice(2),
      [{ avatarSessionId: quiet.id, participantCount: 2 }],
      "the first message tells of a person",
    );
    t.equal(joins.length, 3);
  });
});

t.test("terminating a conversation closes its room, also if its worker is dead; a caller's room stays", async (t) => {
  await withSessions({}, async ({ api, livekit, secret, userId, goLive, converse }) => {
    const { id, worker, roomName, visitorToken } = await converse();
    const callers = await goLive("a caller's room");
    const rooms = new RoomServiceClient(livekit.url.replace(/^ws/, "http"), livekit.apiKey, livekit.apiSecret);
    const visitor = new TestRoom();
    await visitor.connect(livekit.url, visitorToken);
    await rooms.createRoom({ name: "a caller's room" });
    const gone = once(visitor, RoomEvent.Disconnected);
    worker.die();
    callers.worker.die();
    const terminate = async (session: string) =>
      (await api.call("POST", `/v2/${userId}/runtime-sessions/${session}/terminate`, { secret })).body.data;
    t.match(await terminate(id), {
      session_id: id,
      closed: true,
      ended: true,
      self_hosted: false,
      note: "The conversation has ended, and its room is closed.",
    });
    t.same(await gone, [DisconnectReason.ROOM_DELETED]);
    t.same(await rooms.listRooms([roomName]), []);
    t.match(await terminate(callers.id), { closed: true, ended: false, note: /within about a minute/ });
    t.equal((await rooms.listRooms(["a caller's room"])).length, 1);
  });
});

t.test("what a visitor types goes to the conversation, which decides what becomes of it", async (t) => {
  await withSessions({}, async ({ api, converse }) => {
    const { worker, embedToken: bearer } = await converse();
    const type = (mode?: string) =>
      api.call("POST", "/embed/say", { bearer, body: { text: " Do I need a coat? ", mode } });
    t.match(await type(), { status: 200, body: { ok: true } });
    t.match(await type("say"), { status: 200, body: { ok: true } });
    const payload = { text: "Do I need a coat?", request_id: /^[0-9a-f-]{36}$/ };
    t.match(worker.calls, [
      { method: "service.type_text", payload: { ...payload, mode: "ask" } },
      { method: "service.type_text", payload: { ...payload, mode: "say" } },
    ]);
    t.equal(worker.calls.length, 2);
    t.match(await type("sing"), { status: 400, body: { error: { message: /mode/ } } });
    worker.declined.add("service.type_text");
    t.match(await type(), { status: 404, body: { error: { message: /did not answer/ } } });
  });
});

t.test("with a retention of 0 days a conversation gets back its contexts, and no messages", async (t) => {
  await withSessions({ environment: { AVATAR_TRANSCRIPT_DAYS: "0" } }, async (stage) => {
    const { api, secret, agentCode, converse } = stage;
    const { id, token } = await converse();
    const body = { context: "It rains." };
    t.equal((await api.call("POST", `/v1/agent/${agentCode}/add-context`, { secret, body })).status, 200);
    t.equal((await reporter(stage, id, token)([1, "assistant", "Hello"])).status, 200);
    t.match((await api.call("GET", `/v1/runtime/sessions/${id}/job`, { bearer: token })).body, {
      greeting: null,
      last_message_seq: 1,
      history: [{ role: "context", text: "It rains." }],
    });
  });
});

t.test("every language of the voices has a greeting with the agent's name", async (t) => {
  const greetings = LANGUAGE_CODES.map((language) => greetingOf({ name: "Nova", language, greeting: "" }));
  t.equal(new Set(greetings).size, LANGUAGE_CODES.length);
  for (const greeting of greetings) t.match(greeting, /Nova.*[?？؟；;]$/u);
  t.equal(
    greetingOf({ name: "Nova", language: "de-AT", greeting: "" }),
    "Hallo, ich bin Nova. Was kann ich für dich tun?",
  );
  t.equal(greetingOf({ name: "Nova", language: "de", greeting: "Ahoi!" }), "Ahoi!", "a written one comes first");
  t.match(greetingOf({ name: "Nova", language: "xx", greeting: "" }), /^Hello/);
  const ahoi = { name: "Nova", language: "de", greeting: "Ahoi!" };
  t.same(chosenGreeting(ahoi, "own"), { text: "Ahoi!" });
  t.same(chosenGreeting(ahoi, "de-CH"), { text: "Ahoi!" }, "in its own language an agent says what was written for it");
  t.match(chosenGreeting(ahoi, "fr"), { text: /^Bonjour.*Nova/, language: "fr" });
  t.equal(chosenGreeting(ahoi, "none"), null);
});
