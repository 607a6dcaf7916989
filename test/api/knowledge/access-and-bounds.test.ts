// Access to knowledge and its limits, over HTTP with a real database.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { billingLinks } from "../../../api/accounts/credits/billing-links.ts";
import { findAgentByCode } from "../../../api/agents/record/agent-store.ts";
import { hasSearchableKnowledge } from "../../../api/knowledge/agent-knowledge.ts";
import { insertFile, takeSourcesToSync } from "../../../api/knowledge/knowledge-store.ts";
import { eraseDeletedOrganizations } from "../../../api/knowledge/organization-knowledge.ts";
import { insertPassages } from "../../../api/knowledge/search/passage-store.ts";
import { createVectorIndex } from "../../../api/knowledge/search/vector-index.ts";
import { syncSources } from "../../../api/knowledge/sources/sync-sources.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import {
  addKnowledgeOwner,
  insertTestSession,
  type KnowledgeStage,
  withKnowledge,
} from "../../helpers/service/with-knowledge.ts";

const NOT_FOUND = { status: 404, body: { error: { code: "NOT_FOUND" } } };
const DELETED = { status: 200, body: { success: true, deleted: true } };
const HOUR_MS = 3_600_000;

/** A built base of one file, linked to an agent of its owner, and a search by a running session of that agent. */
async function conversationOf(stage: KnowledgeStage) {
  const { api, userId, call, addFile, make, settled } = stage;
  const fileId = await addFile("Handles are guaranteed for life.", "guarantee.txt");
  const base = await make({ file_ids: [fileId] });
  await settled(base.id);
  const code = await addAgent(api.services, { userId });
  await call("POST", `/v1/agent/${code}`, { kb_ids: [base.id] });
  const session = await insertTestSession(api, userId, code);
  const ask = (bearer = session.token) =>
    api.call("POST", `/v1/runtime/sessions/${session.id}/knowledge`, { bearer, body: { query: "guaranteed handles" } });
  return { fileId, baseId: base.id as string, code, session, ask };
}

t.test("a running session can search its agent's knowledge, as often as a conversation needs", async (t) => {
  await withKnowledge(async (stage) => {
    const { api } = stage;
    const { database, tokens } = api.services;
    const { session, ask, code } = await conversationOf(stage);
    t.match(await ask(), { status: 200, body: { results: [{ file_name: "guarantee.txt" }] } });
    const agent = await findAgentByCode(database, code);
    if (!agent) throw new Error("the agent is gone");
    t.equal(await hasSearchableKnowledge(database, agent), true);
    const { token: superseded } = await tokens.runtimeSession.mint({ sub: session.id, dispatch: 7 });
    t.match(await ask(superseded), { status: 409 }, "another worker's token");
    const answers = [];
    for (let count = 0; count < 40; count++) answers.push((await ask()).status);
    t.ok(answers.includes(429), "searches of one session are limited");
    await database.deleteFrom("rate_buckets").execute();
    await database.updateTable("agents").set({ deleted_at: new Date() }).where("code", "=", code).execute();
    t.match(await ask(), { status: 200, body: { results: [] } }, "a deleted agent knows nothing");
    await database.updateTable("agents").set({ deleted_at: null }).where("code", "=", code).execute();
    const end = { status: "ended", ended_at: new Date(), end_reason: "terminated" } as const;
    await database.updateTable("avatar_sessions").set(end).where("id", "=", session.id).execute();
    t.match(await ask(), { status: 409 }, "an ended session");
    await database.updateTable("knowledge_bases").set({ built_id: null }).execute();
    t.equal(await hasSearchableKnowledge(database, agent), false, "a base that was never built knows nothing");
  });
});

t.test("a former member's agents lose the organization's knowledge; a deleted organization's is erased", async (t) => {
  await withKnowledge(async (stage) => {
    const { api, userId, organizationId, personalSecret } = stage;
    const { database, events, storage } = api.services;
    const { ask, code } = await conversationOf(stage);
    const membership = { organization_id: organizationId, user_id: userId };
    const row = await database
      .selectFrom("organization_members")
      .selectAll()
      .where("user_id", "=", userId)
      .executeTakeFirstOrThrow();
    const rename = (user_id: string) =>
      database.updateTable("organization_members").set({ user_id }).where("id", "=", row.id).execute();
    const { account: other } = await api.addAccount();
    await rename(other.userId);
    t.match(await ask(), { status: 200, body: { results: [] } }, "membership is checked when it is used");
    await rename(userId);
    t.match(await ask(), { body: { results: [{ file_name: "guarantee.txt" }] } });
    await database.transaction().execute((transaction) =>
      events.publish(transaction, "organization.member_removed", {
        organizationId: membership.organization_id,
        userId: membership.user_id,
        at: new Date(),
      }),
    );
    t.match(await ask(), { body: { results: [] } }, `the link of ${code} is gone`);
    const file = await database.selectFrom("knowledge_files").selectAll().executeTakeFirstOrThrow();
    t.match(await api.call("DELETE", `/v2/organizations/${organizationId}`, { secret: personalSecret }), {
      status: 200,
    });
    await eraseDeletedOrganizations({ database, storage });
    t.equal(await storage.sizeOf(file.object_key), null);
    for (const table of ["knowledge_files", "knowledge_bases", "knowledge_passages"] as const) {
      t.same(await database.selectFrom(table).selectAll().execute(), [], table);
    }
  });
});

t.test("source files and knowledge bases are listed and deleted, and deleted ones are no longer found", async (t) => {
  await withKnowledge(async (stage) => {
    const { api, call, search, settled, addFile, make } = stage;
    const { database, storage } = api.services;
    const guarantee = await addFile("Handles are guaranteed for life.", "guarantee.txt");
    const care = await addFile("Teapots must not go into the dishwasher.", "care.txt");
    const base = await make({ file_ids: [guarantee, care] });
    const { artifact_url } = await settled(base.id);
    t.match(await call("GET", "/v1/knowledge/files?limit=1"), { body: { files: [{ id: care }], total: 2 } });
    const stranger = await addKnowledgeOwner(api);
    t.match(await stranger.call("DELETE", `/v1/knowledge/files/${guarantee}`), { status: 403 });
    t.match(await stranger.call("DELETE", `/v1/knowledge/kbs/${base.id}`), { status: 403 });
    const row = await database
      .selectFrom("knowledge_files")
      .selectAll()
      .where("id", "=", guarantee)
      .executeTakeFirstOrThrow();
    t.match(await call("DELETE", `/v1/knowledge/files/${guarantee}`), DELETED);
    t.match(await call("DELETE", `/v1/knowledge/files/${guarantee}`), NOT_FOUND);
    t.same(await search(base.id, "guaranteed handles"), [], "at once, before the base is built again");
    t.equal(await storage.sizeOf(row.object_key), null);
    t.equal((await fetch(artifact_url)).status, 404, "what was built of it");
    t.match(await settled(base.id), { status: "ready", content_rev: 2, source_count: 1 });
    t.equal((await search(base.id, "dishwashers")).length, 1);
    t.match(await call("DELETE", `/v1/knowledge/kbs/${base.id}`), DELETED);
    t.match(await call("DELETE", `/v1/knowledge/kbs/${base.id}`), NOT_FOUND);
    t.match(await call("GET", "/v1/knowledge/files"), { body: { total: 1 } }, "its source files stay");
    t.same(await database.selectFrom("knowledge_passages").selectAll().execute(), []);
  });
});

t.test("a base is read with its files and users; its name and files are changed", async (t) => {
  await withKnowledge(async (stage) => {
    const { api, call, search, settled, organizationId } = stage;
    const { baseId, fileId, code } = await conversationOf(stage);
    const read = async (id = baseId) => call("GET", `/v1/knowledge/kbs/${id}`);
    const change = (body: object) => call("PATCH", `/v1/knowledge/kbs/${baseId}`, body);
    const upload = { id: fileId, source_kind: "upload", url: null, sync_freq: "never", org_id: organizationId };
    const [listed] = (await call("GET", "/v1/knowledge/kbs")).body.kbs;
    t.match((await read()).body, {
      ...listed,
      artifact_url: String,
      description: null,
      files: [upload],
      agents: [{ code }],
    });
    const stranger = await addKnowledgeOwner(api);
    t.match(await stranger.call("GET", `/v1/knowledge/kbs/${baseId}`), { status: 403 });
    t.match(await stranger.call("PATCH", `/v1/knowledge/kbs/${baseId}`, { name: "Mine" }), { status: 403 });
    t.match(await read("none"), NOT_FOUND);

    t.match(await change({}), { status: 400, body: { error: { code: "MISSING_PARAM" } } });
    t.match(await change({ add_file_ids: ["none"] }), NOT_FOUND);
    t.match((await change({ name: " Guarantees ", description: "Of handles" })).body, {
      name: "Guarantees",
      description: "Of handles",
      status: "ready",
      content_rev: 1,
    });
    t.match((await change({ description: "" })).body, { description: null });
    const json = { file: Buffer.from("Teapots must not go into the dishwasher.").toString("base64"), name: "care.txt" };
    const added = await call("POST", "/v1/knowledge/files", json);
    t.match(added, { status: 201, body: { file_name: "care.txt", ext: "txt", size_bytes: 40 } }, "base64 in JSON");
    t.match(await call("POST", "/v1/knowledge/files", { ...json, file: "?" }), { status: 400 });
    const care: string = added.body.id;
    t.match((await change({ add_file_ids: [care, fileId] })).body, {
      files: [{ id: fileId }, { id: care }],
      status: "stale",
      content_rev: 2,
      built_rev: 1,
    });
    t.match((await change({ add_file_ids: [care] })).body, { content_rev: 2 }, "no change, no revision");
    t.equal((await call("POST", `/v1/knowledge/kbs/${baseId}/rebuild`)).status, 200);
    await settled(baseId);
    t.equal((await search(baseId, "dishwashers")).length, 1);
    t.match((await change({ file_ids: [] })).body, { files: [], source_count: 0, status: "stale", content_rev: 3 });
    const files = (await call("GET", "/v1/knowledge/files")).body;
    t.match(files, { total: 2, limit_bytes: 1e12 });
    t.equal(
      files.used_bytes,
      files.files.reduce((sum: number, file: { size_bytes: number }) => sum + file.size_bytes, 0),
    );
  });
});

t.test(
  "the owner's plan limits an organization's files, and sources of organizations are fetched in turn",
  async (t) => {
    await withKnowledge(
      async (stage) => {
        const { api, call, organizationId } = stage;
        const { database, storage } = api.services;
        const at = new Date(api.services.now());
        const source = (organization_id: string, minutesAgo: number, url: string | null = "http://127.0.0.1:9/") => ({
          id: randomUUID(),
          organization_id,
          file_name: "a",
          ext: "txt" as const,
          size_bytes: 1,
          sha256: "",
          object_key: `knowledge-files/${randomUUID()}.txt`,
          source_kind: "url" as const,
          url,
          sync_failures: 0,
          sync_freq: "daily" as const,
          next_sync_at: new Date(at.getTime() - minutesAgo * 60_000),
          created_at: at,
        });
        for (let index = 0; index < 30; index++) await insertFile(database, source(organizationId, 100 + index));
        const { organizationId: smallId } = await addKnowledgeOwner(api);
        const late = source(smallId, 1);
        await insertFile(database, late);
        const limits = { total: 20, perOrganization: 4 };
        const taken = await takeSourcesToSync(database, at, limits);
        t.equal(taken.length, 5, "four of the one, all of the other");
        t.ok(taken.some(({ id }) => id === late.id));
        const waits: number[] = [];
        let now = at;
        for (let attempt = 0; attempt < 3; attempt++) {
          const row = await database
            .selectFrom("knowledge_files")
            .select("next_sync_at")
            .where("id", "=", late.id)
            .executeTakeFirstOrThrow();
          const next = row.next_sync_at ?? at;
          waits.push((next.getTime() - now.getTime()) / HOUR_MS);
          now = next;
          await database
            .updateTable("knowledge_files")
            .set({ next_sync_at: null })
            .where("id", "!=", late.id)
            .execute();
          await takeSourcesToSync(database, now, limits);
        }
        t.same(waits, [1, 2, 4], "hours between attempts that fail");

        // A server that answers only once as many requests are there as are fetched in parallel.
        let waiting = 0;
        let release = (): void => undefined;
        const released = new Promise<void>((resolve) => {
          release = resolve;
        });
        const server = createServer(async (_request, response) => {
          if (++waiting === 4) release();
          await released;
          response.end("Some words.");
        });
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
        const { port } = server.address() as AddressInfo;
        const url = `http://127.0.0.1:${port}/a.txt`;
        const due = Array.from({ length: 4 }, () => source(organizationId, 1, url));
        for (const file of due) await insertFile(database, file);
        await syncSources({ ...api.services, ...stageServices(stage) });
        server.close();
        const ids = due.map(({ id }) => id);
        const rows = await database.selectFrom("knowledge_files").selectAll().where("id", "in", ids).execute();
        t.match(
          rows.map(({ size_bytes, sync_failures }) => [size_bytes, sync_failures]),
          Array(4).fill([11, 0]),
        );
        t.equal(await storage.sizeOf(rows[0].object_key), 11);

        await database.updateTable("knowledge_files").set({ size_bytes: 1e12 }).where("id", "=", ids[0]).execute();
        const form = new FormData();
        form.append("file", new Blob(["words"]), "a.txt");
        const refused = await call("POST", "/v1/knowledge/files", form);
        t.match(refused, {
          status: 403,
          body: { error: { code: "PLAN_REQUIRED", message: /1000 GB/, upgrade_url: String } },
        });
      },
      { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" },
    );
  },
);

/** What syncing needs besides the api's own services. */
function stageServices({ api }: KnowledgeStage) {
  const { config } = api.services;
  return {
    links: billingLinks(config.http.publicUrl),
    embedder: null,
    vectors: createVectorIndex(api.services.database),
  };
}

t.test("the nearest passages are searched in another thread; builds are loaded once, up to a limit", async (t) => {
  await withKnowledge(async ({ api, userId, make }) => {
    const { database } = api.services;
    const base = await make({ build: false });
    const buildIds = [randomUUID(), randomUUID()];
    for (const id of buildIds) {
      const build = { id, kb_id: base.id, user_id: userId, rev: 1, is_running: false, started_at: new Date() };
      await database.insertInto("knowledge_builds").values(build).execute();
      const passages = [127, 90, -127, 40].map((first) => ({
        heading: "",
        text: `${first}`,
        fileId: randomUUID(),
        fileName: "a",
        language: "simple",
        vector: Int8Array.from([first, 127 - Math.abs(first), 0, 0]),
      }));
      await insertPassages(database, id, passages);
    }
    let loads = 0;
    const counting = new Proxy(database, {
      get(target, name) {
        if (name === "selectFrom") loads++;
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const index = createVectorIndex(counting);
    const question = Int8Array.from([127, 0, 0, 0]);
    const options = { limit: 3, leastNearness: 0.5 };
    const [first, ...others] = await Promise.all(
      Array.from({ length: 16 }, () => index.nearest(buildIds, question, options)),
    );
    const rows = await database.selectFrom("knowledge_passages").select(["id", "text"]).execute();
    const texts = new Map(rows.map(({ id, text }) => [id, text]));
    t.same(
      first.map((id) => texts.get(id)),
      ["127", "127", "90"],
    );
    for (const other of others) t.same(other, first);
    t.equal(loads, 2, "each build is read once, however many searches miss it");
    t.same(await index.nearest(buildIds, Int8Array.from([127, 0]), options), [], "a question of another model");
    const many = Array.from({ length: 17 }, () => index.nearest(buildIds, question, options));
    t.equal((await Promise.allSettled(many)).filter(({ status }) => status === "rejected").length, 1);
    const small = createVectorIndex(database, { maxBytes: 10 });
    t.same(await small.nearest(buildIds, question, options), first, "builds that do not fit are read for each search");
    await index.close();
    await small.close();
    await t.rejects(
      index.nearest([], question, options).then(() => Promise.reject(new Error("closed"))),
      /closed/,
    );
  });
});
