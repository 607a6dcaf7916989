// Bounds of what a conversation keeps: what a server of the account's own says counts as said, and may be endless.
import t from "tap";
import { keepMessages } from "../../../../api/sessions/messages/keep-messages.ts";
import { requireSession } from "../../../../api/sessions/record/session-access.ts";
import { type SessionStage, withSessions } from "../../../helpers/service/with-sessions.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const BATCH = 100;

/** Reports messages `from` to `until` of a session, each of `text`, in batches as a worker does. */
async function flood(
  { api }: Pick<SessionStage, "api">,
  { id, token }: { id: string; token: string },
  { from = 1, until, text }: { from?: number; until: number; text: string },
) {
  const timestamp = new Date(api.services.now()).toISOString();
  const answers = [];
  for (let first = from; first <= until; first += BATCH) {
    const messages = Array.from({ length: Math.min(BATCH, until - first + 1) }, (_, index) => ({
      seq: first + index,
      role: "user",
      message: text,
      timestamp,
    }));
    const path = `/v1/runtime/sessions/${id}/messages`;
    answers.push(await api.call("POST", path, { bearer: token, body: { messages } }));
  }
  return answers;
}

async function kept({ api }: Pick<SessionStage, "api">): Promise<{ count: number; bytes: number }> {
  const { rows } = await api.services.pool.query(
    "select count(*)::int as count, coalesce(sum(octet_length(message)), 0)::int as bytes from session_messages",
  );
  return rows[0];
}

t.test("of 12,800 messages in seconds, a session keeps what people could have said, and counts the rest", async (t) => {
  await withSessions({}, async (stage) => {
    const { api, converse } = stage;
    let told = 0;
    api.services.events.on("chat.push", async () => {
      told++;
    });
    const conversation = await converse();
    // However long the flood takes here, it comes in a moment.
    api.clock.hold();
    const answers = await flood(stage, conversation, { until: 12_800, text: "x".repeat(500) });
    t.same([...new Set(answers.map(({ status }) => status))], [200], "the worker has nothing to repeat");
    const { count } = await kept(stage);
    t.ok(count >= 60 && count <= 100, `sixty, and one a second: ${count}`);
    t.equal(told, count, "the owner is told of what is kept alone");
    const metrics = await api.services.metrics.registry.metrics();
    t.match(metrics, new RegExp(`avatar_messages_dropped_total{cause="session"} ${12_800 - count}\n`));
    const other = await converse("another visitor");
    await flood(stage, other, { until: 50, text: "x".repeat(20_000) });
    const { count: both } = await kept(stage);
    t.ok(both - count >= 10 && both - count <= 12, "200,000 bytes, and 500 a second");
    // An hour later the person goes on talking, and the message is kept.
    await api.services.pool.query("update avatar_sessions set created_at = created_at - interval '1 hour'");
    await flood(stage, conversation, { from: 12_801, until: 12_801, text: "Are you still there?" });
    t.equal((await kept(stage)).count, both, "numbers count, too: the flood used up those of hours");
    await flood(stage, other, { from: 51, until: 51, text: "Are you still there?" });
    t.equal((await kept(stage)).count, both + 1);
  });
});

t.test("an account keeps a bounded number of bytes a day, over all its sessions", async (t) => {
  await withSessions({ plan: "creator" }, async (stage) => {
    const { api, userId, converse } = stage;
    const conversation = await converse();
    await flood(stage, conversation, { until: 1, text: "Hello" });
    const said = () =>
      api.services.database.selectFrom("message_days").selectAll().where("user_id", "=", userId).execute();
    t.match(await said(), [{ bytes: 5 }]);
    // The plan runs three sessions at a time: 30 MB.
    await api.services.database.updateTable("message_days").set({ bytes: 29_999_990 }).execute();
    await flood(stage, conversation, { from: 2, until: 2, text: "0123456789" });
    await flood(stage, conversation, { from: 3, until: 3, text: "One more" });
    t.equal((await kept(stage)).count, 2);
    t.match(await api.services.metrics.registry.metrics(), /avatar_messages_dropped_total{cause="account"} 1\n/);
    await api.services.database.updateTable("message_days").set({ day: 1 }).execute();
    await flood(stage, conversation, { from: 4, until: 4, text: "The next day" });
    t.equal((await kept(stage)).count, 3);
  });
});

t.test("a disk that is nearly full takes no messages: the worker keeps them and tries again", async (t) => {
  await withSessions({}, async (stage) => {
    const { api, converse } = stage;
    const { id } = await converse();
    const session = await requireSession(api.services.database, id, () => true);
    const { config: usual } = api.services;
    const config = { ...usual, disk: { ...usual.disk, minFreeBytes: 1e15 } };
    const message = { seq: 1, role: "user" as const, message: "Hello", timestamp: new Date().toISOString() };
    await t.rejects(keepMessages({ ...api.services, config }, { session, dispatchNumber: 1 }, [message]), {
      code: "SERVICE_UNAVAILABLE",
      retryAfterSeconds: 60,
    });
    t.same(await kept(stage), { count: 0, bytes: 0 });
    await keepMessages(api.services, { session, dispatchNumber: 1 }, [message]);
    t.same(await kept(stage), { count: 1, bytes: 5 });
  });
});

t.test("what is reported after the agent's deletion is not stored, also if both happen at once", async (t) => {
  await withSessions({}, async (stage) => {
    const { api, secret, agentCode, converse } = stage;
    const conversation = await converse();
    await flood(stage, conversation, { until: 1, text: "Hello" });
    let during: ReturnType<typeof flood> | undefined;
    // Runs in the deletion's transaction, after the messages were deleted.
    api.services.events.on("agent.deleted", async () => {
      during = flood(stage, conversation, { from: 2, until: 2, text: "Meanwhile" });
      await waitFor(async () => {
        const { rows } = await api.services.pool.query(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rows.length > 0;
      }, "the report waits for the deletion");
    });
    t.equal((await api.call("DELETE", `/v1/agent/${agentCode}`, { secret })).status, 200);
    t.match(await during, [{ status: 404 }]);
    t.match(await flood(stage, conversation, { from: 3, until: 3, text: "Late" }), [{ status: 404 }]);
    t.same(await kept(stage), { count: 0, bytes: 0 });
  });
});
