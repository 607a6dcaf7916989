// Builds of knowledge bases: when they may start, unreadable documents, and sources that are fetched again.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { createKnowledgeModule } from "../../../api/knowledge/knowledge-module.ts";
import { listRunning } from "../../../api/knowledge/knowledge-store.ts";
import { syncSources } from "../../../api/knowledge/sources/sync-sources.ts";
import { fixtureFile, withKnowledge } from "../../helpers/service/with-knowledge.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const ORIGINS = { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" };

t.test(
  "an account runs one build at a time and twenty a day, and a rebuild that is requested during a build follows it",
  async (t) => {
    await withKnowledge(async ({ api, userId, call, addFile, make, settled }) => {
      const { database } = api.services;
      const rebuild = (id: string) => call("POST", `/v1/knowledge/kbs/${id}/rebuild`);
      const empty = await make({});
      t.match(empty, { build_dispatched: false });
      t.match(await rebuild(empty.id), { status: 422, body: { error: { code: "KB_EMPTY" } } });
      const file = await addFile("Words enough to be built.", "a.txt");
      const [first, second] = [
        await make({ file_ids: [file], build: false }),
        await make({ file_ids: [file], build: false }),
      ];

      const started = await rebuild(first.id);
      t.match(started, { status: 200, body: { id: String, kb_id: first.id, status: "queued", started_at: /Z$/ } });
      t.match(await rebuild(first.id), { status: 409, body: { error: { code: "BUILD_IN_PROGRESS" } } });
      t.match(await rebuild(second.id), { status: 409, body: { error: { code: "BUILD_CONCURRENCY" } } });
      t.match(
        await make({ file_ids: [file] }),
        { build_dispatched: false },
        "a base is made although it cannot be built",
      );
      await waitFor(
        async () =>
          (await listRunning(database, { knowledgeBaseId: first.id, userId })).some(({ id }) => id !== started.body.id),
        "the queued rebuild",
        60_000,
      );
      t.match(await settled(first.id), { status: "ready" });
      const count = () => database.selectFrom("knowledge_builds").select("id").where("user_id", "=", userId).execute();
      t.equal((await count()).length, 2);

      const races = await Promise.all(Array.from({ length: 6 }, () => rebuild(second.id)));
      t.equal(races.filter(({ status }) => status === 200).length, 1, "of requests at once one starts a build");
      t.equal(races.filter(({ body }) => body.error?.code === "BUILD_IN_PROGRESS").length, 5);
      await settled(second.id);
      await waitFor(async () => (await count()).length === 4, "one rebuild for five requests", 60_000);
      await settled(second.id);
      await database
        .insertInto("knowledge_builds")
        .values(
          Array.from({ length: 16 }, () => ({
            id: crypto.randomUUID(),
            kb_id: first.id,
            user_id: userId,
            rev: 1,
            is_running: false,
            started_at: new Date(api.services.now()),
          })),
        )
        .execute();
      t.match(await rebuild(first.id), { status: 409, body: { error: { code: "BUILD_DAILY_CAP" } } });
      await database
        .updateTable("knowledge_builds")
        .set({ started_at: new Date(api.services.now() - 86_400_000) })
        .execute();
      t.match(await rebuild(first.id), { status: 200 }, "and the next day it may again");
      await settled(first.id);
    });
  },
);

t.test("a document that cannot be read is reported with the reason and does not affect other documents", async (t) => {
  await withKnowledge(async ({ addFile, make, settled, search }) => {
    const broken = Buffer.concat([(await fixtureFile("a.pdf")).subarray(0, 400), Buffer.alloc(600, 65)]);
    const bad = await addFile(broken, "broken.pdf");
    const failed = await make({ file_ids: [bad] });
    t.match(await settled(failed.id), { status: "failed", built_rev: null, error_message: /broken\.pdf: / });
    const mixed = await make({ file_ids: [bad, await addFile("The good half.", "good.txt")] });
    t.match(await settled(mixed.id), { status: "ready", error_message: /broken\.pdf: / });
    t.match(await search(mixed.id, "good"), [{ text: "The good half." }]);
  });
});

t.test("a source URL is fetched again when it is due, and its base is rebuilt if the content changed", async (t) => {
  let page = "<h1>Menu</h1><p>Today there is soup.</p>";
  const server = createServer((_request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(page),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/menu`;
  await withKnowledge(async ({ api, call, make, settled, search }) => {
    const added = await call("POST", "/v1/knowledge/files", { url, sync_freq: "daily" });
    t.match(added, { status: 201, body: { file_name: "menu", ext: "html", source_kind: "url" } });
    const base = await make({ file_ids: [added.body.id] });
    await settled(base.id);
    const { services } = createKnowledgeModule(api.services);
    const tomorrow = { ...services, now: () => api.services.now() + 86_400_001 };
    await syncSources(services);
    await syncSources(tomorrow);
    t.match(await settled(base.id), { status: "ready", content_rev: 1 }, "nothing changed");
    page = "<h1>Menu</h1><p>Today there is goulash.</p>";
    await syncSources(tomorrow);
    t.match(await settled(base.id), { content_rev: 1 }, "looked at a day later, not before");
    await syncSources({ ...services, now: () => api.services.now() + 2 * 86_400_002 });
    t.match(await settled(base.id), { status: "ready", content_rev: 2, built_rev: 2 });
    t.match(await search(base.id, "goulash"), [{ text: /goulash/ }]);
    t.same(await search(base.id, "soup"), []);
  }, ORIGINS);
});
