// The session webhook: its setting, and its events about rooms and conversations.
import { createHmac } from "node:crypto";
import t from "tap";
import { insertAvatarSession } from "../../../api/sessions/record/avatar-session-store.ts";
import { DELIVERY_POLICIES } from "../../../api/webhooks/webhook-endpoint.ts";
import { newSession } from "../../helpers/service/new-session.ts";
import { withWebhooks } from "../../helpers/service/with-webhooks.ts";

const ENVELOPE_404 = { status: 404, body: { error: { code: "NOT_FOUND" } } };
const REFUSED = { status: 400, body: { error: { code: "VALIDATION_ERROR" } } };

t.test("the session webhook is set, shown without its secrets, changed, tested and removed", async (t) => {
  await withWebhooks(async ({ api, call, receiver, userId }) => {
    const path = `/v2/${userId}/session-webhook`;
    t.match(await call("GET", path), { status: 200, body: { data: { url: null, headers: {}, active: false } } });
    t.match(await call("POST", `${path}/test`), ENVELOPE_404);
    t.match(await call("PUT", path, { events: {} }), { status: 400, body: { error: { code: "MISSING_PARAM" } } });
    const stranger = await api.addAccount();
    for (const method of ["GET", "PUT"]) {
      const answer = await api.call(method, path, { secret: stranger.secret, ...(method === "PUT" && { body: {} }) });
      t.match(answer, { status: 403, body: { error: { code: "FORBIDDEN" } } });
    }
    for (const headers of [{ "Content-Length": "1" }, { "X-Service-Event": "x" }, { "a b": "x" }, { a: "x\r\nb: y" }]) {
      t.match(await call("PUT", path, { url: receiver.url, headers }), REFUSED, JSON.stringify(headers));
    }
    t.match(await call("PUT", path, { url: "http://hooks.example/" }), REFUSED);

    const headers = { Authorization: "Bearer of-the-owner", "X-Key": "k1" };
    const made = await call("PUT", path, { url: receiver.url, headers, events: { "chat.push": false } });
    const shown = {
      url: receiver.url,
      headers: { Authorization: "********", "X-Key": "********" },
      events: { "room.join": true, "chat.push": false },
      active: true,
    };
    t.match(made, { status: 200, body: { success: true, data: { ...shown, secret: /^whsec_/ } } });
    const { secret } = made.body.data;
    const read = (await call("GET", path)).body.data;
    t.match(read, shown);
    t.notOk("secret" in read);
    const [row] = await api.services.database.selectFrom("webhook_endpoints").selectAll().execute();
    t.notMatch(row.sealed_headers?.toString("latin1"), /of-the-owner/);

    t.match((await call("POST", `${path}/test`)).body.data, { delivered: true, status_code: 200, attempts: 1 });
    const [test] = receiver.received;
    t.match(test.headers, { authorization: "Bearer of-the-owner", "x-key": "k1", "x-test-webhook": "true" });
    t.match(test.body, { agent_id: "", event_type: "test", data: {}, timestamp: Number });
    t.equal(
      test.headers["x-service-signature"],
      `sha256=${createHmac("sha256", secret).update(test.raw).digest("hex")}`,
    );
    t.match((await call("GET", `${path}/deliveries`)).body.data, [{ event_type: "test", delivered: true }]);
    t.same((await call("GET", "/v1/webhooks")).body.data, [], "it is not among the registered ones");
    t.match(await call("GET", `/v1/webhooks/${row.id}`), ENVELOPE_404);

    const changed = await call("PUT", path, { events: { "chat.push": true }, active: false });
    t.match(changed.body.data, { ...shown, events: { "room.join": true, "chat.push": true }, active: false });
    t.notOk("secret" in changed.body.data, "a change keeps the secret");
    const rotated = (await call("PUT", path, { rotate_secret: true, headers: {} })).body.data;
    t.match(rotated, { headers: {}, secret: /^whsec_/ });
    t.not(rotated.secret, secret);
    t.match((await call("PUT", path, { url: null })).body.data, { url: null });
    t.match((await call("GET", path)).body.data, { url: null });
  });
});

t.test(
  "a conversation is announced once, later events follow in order, and retries begin after a second",
  async (t) => {
    await withWebhooks(async ({ api, call, receiver, userId }) => {
      const path = `/v2/${userId}/session-webhook`;
      const { secret } = (await call("PUT", path, { url: receiver.url, headers: { "X-Key": "k1" } })).body.data;
      const { database } = api.services;
      const session = await insertAvatarSession(
        database,
        newSession({
          id: "cs_000000000000000000000001",
          userId,
          agentCode: "A00AAA0001",
          hasConversation: true,
          roomName: "room-1",
        }),
      );
      receiver.reply = () => (receiver.received.length === 1 ? 503 : 200);
      const live = { event: "live", room: { participants: 3 } } as const;
      t.equal(await api.avatarSessions.reportEvent(session.id, 1, live), true);
      const say = (role: "user" | "assistant", message: string) =>
        database.transaction().execute((transaction) => {
          const said = { userId, avatarSessionId: session.id, agentCode: "A00AAA0001", role, message, at: new Date() };
          return api.services.events.publish(transaction, "chat.push", said);
        });
      await say("assistant", "Hello, I am Nova. Schöne Grüße!");
      await say("user", "Hi");
      await database.updateTable("avatar_sessions").set({ status: "starting" }).execute();
      await api.avatarSessions.reportEvent(session.id, 1, live);
      const [failed, joined, greeting, answer] = await receiver.untilReceived(4);
      const gapMs = joined.atMs - failed.atMs;
      t.ok(gapMs >= 1_000 && gapMs < 4_000, `the first retry came after ${Math.round(gapMs)} ms`);
      t.ok(joined.raw.equals(failed.raw));
      t.same(Object.keys(joined.body).sort(), ["agent_id", "data", "event_type", "timestamp"]);
      t.match(joined.body, {
        agent_id: "A00AAA0001",
        event_type: "room.join",
        data: { room_name: "room-1", participant_count: 3, session_id: session.id },
        timestamp: Number,
      });
      t.match(greeting.body, { event_type: "chat.push", data: { role: "assistant", message: /Schöne Grüße/ } });
      t.match(answer.body.data, { role: "user", message: "Hi", session_id: session.id, timestamp: Number });
      for (const { headers, raw } of receiver.received) {
        const timed = createHmac("sha256", secret).update(`${headers["x-service-timestamp"]}.${raw}`).digest("hex");
        t.equal(headers["x-service-signature-v2"], `sha256=${timed}`, "a second signature covers the timestamp");
        t.equal(headers["x-service-signature"], `sha256=${createHmac("sha256", secret).update(raw).digest("hex")}`);
        t.match(headers, { "content-type": "application/json", "x-key": "k1" });
        t.notOk("x-test-webhook" in headers);
      }
      await call("PUT", path, { events: { "room.join": false, "chat.push": false } });
      await say("user", "Anyone?");
      const entries = (await call("GET", `${path}/deliveries`)).body.data;
      t.same(
        entries.map(({ event_type }: { event_type: string }) => event_type),
        ["chat.push", "chat.push", "room.join"],
        "a worker that takes over joins no second time, and what is switched off is not told",
      );
      const ofSession = async (id: string) => (await call("GET", `${path}/deliveries?session_id=${id}`)).body.data;
      t.same(await ofSession(session.id), entries);
      t.same(await ofSession("cs_other"), []);
    }, DELIVERY_POLICIES);
  },
);
