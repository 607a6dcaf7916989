import { sql } from "kysely";
import t from "tap";
import { withLiveKit } from "./livekit/with-livekit.ts";
import { TestRoom } from "./rooms/test-room.ts";
import { withDatabase } from "./servers/with-database.ts";

t.test("every call of withDatabase gets its own migrated database", async (t) => {
  const count = (test: Parameters<Parameters<typeof withDatabase>[0]>[0]) =>
    sql<{ count: string }>`select count(*)::text as count from schema_migrations`.execute(test.database);
  const urls = await Promise.all([
    withDatabase(async (test) => {
      t.ok(Number((await count(test)).rows[0].count) > 0, "migrations are applied");
      await sql`delete from schema_migrations`.execute(test.database);
      return test.url;
    }),
    withDatabase(async (test) => test.url),
  ]);
  t.not(urls[0], urls[1]);
  await withDatabase(async (test) => t.ok(Number((await count(test)).rows[0].count) > 0, "changes do not leak"));
  await t.rejects(
    withDatabase(async (test) => {
      await sql`select 1`.execute(test.database);
      throw new Error("from the test");
    }),
    { message: "from the test" },
  );
});

t.test("a participant joins the room of withLiveKit and has left afterwards", async (t) => {
  await withLiveKit(async ({ url, roomName, rooms, mintToken }) => {
    const room = new TestRoom();
    await room.connect(url, await mintToken("guest", { attributes: { colour: "green" } }), {
      autoSubscribe: false,
      dynacast: false,
    });
    const [participant] = await rooms.listParticipants(roomName);
    t.match(participant, { identity: "guest", attributes: { colour: "green" } });
    await room.disconnect();
  });
});
