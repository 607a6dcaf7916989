// Knowledge bases from a source file to an answer: over HTTP, in a real database, with the real job queue and text process.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import t from "tap";
import { RuntimeApiClient } from "../../../agent-worker/session/runtime-api-client.ts";
import { insertAvatarSession } from "../../../api/avatar-sessions/avatar-session-store.ts";
import { createKnowledgeModule } from "../../../api/knowledge-bases/knowledge-module.ts";
import { listRunning } from "../../../api/knowledge-bases/knowledge-store.ts";
import { syncSources } from "../../../api/knowledge-bases/sync-sources.ts";
import { addAgent } from "../../helpers/add-agent.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { type TestAnswer, type TestApi, withApi } from "../../helpers/with-api.ts";
import { withEmbeddingsServer } from "../../helpers/with-embeddings-server.ts";

t.setTimeout(300_000);

const FORBIDDEN = { status: 403, body: { error: { code: "FORBIDDEN" } } };
const UNPROCESSABLE = { status: 422, body: { error: { code: "VALIDATION_ERROR", httpStatus: 422 } } };
const ORIGINS = { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" };

interface Stage {
  api: TestApi;
  userId: string;
  organizationId: string;
  /** Secret of the organization. */
  secret: string;
  personalSecret: string;
  call(method: string, path: string, body?: unknown): Promise<TestAnswer>;
  addFile(bytes: Buffer | string, fileName: string): Promise<string>;
  make(body: object): Promise<TestAnswer["body"]>;
  /** Waits for a base to leave the queue and returns its row of the list. */
  settled(id: string): Promise<TestAnswer["body"]>;
  search(id: string, query: string): Promise<{ text: string; heading: string; file_name: string }[]>;
}

async function onStage(work: (stage: Stage) => Promise<void>, environment: Record<string, string> = {}): Promise<void> {
  await withApi(
    async (api) => {
      await work(await stageOf(api));
    },
    { environment },
  );
}

async function stageOf(api: TestApi): Promise<Stage> {
  const { account, secret: personalSecret } = await api.addAccount({ plan: "enterprise", credits: 1000 });
  const made = await api.call("POST", "/v2/organizations", { secret: personalSecret, body: { name: "Teapots" } });
  const organizationId: string = made.body.id;
  const issued = await api.call("POST", `/v2/organizations/${organizationId}/api-secrets`, {
    secret: personalSecret,
    body: { alias: "kb" },
  });
  const secret: string = issued.body.secret;
  const call: Stage["call"] = (method, path, body) => api.call(method, path, { secret, body });
  const list = async () => (await call("GET", "/v1/knowledge/kbs")).body.kbs as TestAnswer["body"][];
  return {
    ...{ api, userId: account.userId, organizationId, secret, personalSecret, call },
    async addFile(bytes, fileName) {
      const form = new FormData();
      form.append("file", new Blob([typeof bytes === "string" ? bytes : new Uint8Array(bytes)]), fileName);
      const answer = await call("POST", "/v1/knowledge/files", form);
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      return answer.body.id;
    },
    async make(body) {
      const answer = await call("POST", "/v1/knowledge/kbs", { name: "Shop", ...body });
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      return answer.body;
    },
    settled: (id) =>
      waitFor(
        async () => (await list()).find((base) => base.id === id && !["queued", "building"].includes(base.status)),
        "the build",
        120_000,
      ),
    search: async (id, query) => (await call("POST", `/v1/knowledge/kbs/${id}/search`, { query })).body.results,
  };
}

function fixture(name: string): Promise<Buffer> {
  return readFile(fileURLToPath(new URL(`../../fixtures/files/${name}`, import.meta.url)));
}

t.test(
  "text of every kind of document is found by a question, and the agent's conversation finds it too",
  async (t) => {
    await onStage(async ({ api, userId, organizationId, call, addFile, make, settled, search }) => {
      const answer = await call(
        "POST",
        "/v1/knowledge/files",
        form(await fixture("a.pdf"), "delivery.pdf", { name: "Delivery" }),
      );
      t.match(answer, {
        status: 201,
        body: {
          id: /^[0-9a-f-]{36}$/,
          org_id: organizationId,
          file_name: "Delivery",
          ext: "pdf",
          size_bytes: (await fixture("a.pdf")).length,
          status: "uploaded",
          source_kind: "upload",
          created_at: /^\d{4}-.*Z$/,
        },
      });
      const fileIds = [
        answer.body.id,
        await addFile(await fixture("a.docx"), "shop.docx"),
        await addFile(await fixture("a.csv"), "prices.csv"),
        await addFile(
          "# Care\n\nTeapots must not go into the dishwasher.\n\n## Descaling\n\nUse vinegar once a month.",
          "care.md",
        ),
        await addFile(
          "Unsere Geschäftsführerin ist Frau Sommer. Sie leitet das Geschäft seit zwanzig Jahren und ist nicht zu ersetzen.",
          "wir.txt",
        ),
        await addFile(
          "<!doctype html><title>x</title><nav>menu</nav><h1>Guarantee</h1><p>Handles are guaranteed for <b>life</b>.</p><script>alert(1)</script>",
          "guarantee.html",
        ),
      ];
      const base = await make({ name: " Shop ", description: "All we know", file_ids: fileIds });
      t.match(base, {
        org_id: organizationId,
        name: "Shop",
        status: "stale",
        content_rev: 1,
        file_ids: fileIds,
        build_dispatched: true,
      });
      t.match(await settled(base.id), {
        name: "Shop",
        status: "ready",
        content_rev: 1,
        built_rev: 1,
        agent_count: 0,
        source_count: 6,
        error_message: null,
        artifact_url: /^http.*\/files\/knowledge\//,
      });
      const cases: [question: string, file: string, text: RegExp][] = [
        ["When do bulky goods arrive?", "Delivery", /Thursdays only/],
        ["Where is your warehouse?", "Delivery", /Rotterdam/],
        ["Can I return goods after purchase?", "shop.docx", /within thirty days/],
        ["Are you open on Sunday?", "shop.docx", /Sunday.*closed/],
        ["What does the kettle cost?", "prices.csv", /name: Kettle; price: 30/],
        ["dishwashers", "care.md", /must not go/],
        ["Wer sind die Geschäftsführerinnen?", "wir.txt", /Sommer/],
        ["Is the handle guaranteed?", "guarantee.html", /guaranteed for life/],
      ];
      for (const [question, file_name, text] of cases)
        t.match((await search(base.id, question))[0], { file_name, text }, question);
      t.match((await search(base.id, "vinegar"))[0], { heading: "Care > Descaling" });
      t.same(await search(base.id, "zebra"), []);
      t.notMatch(JSON.stringify(await search(base.id, "menu alert guarantee")), /menu|alert/);
      const [row] = (await call("GET", "/v1/knowledge/kbs")).body.kbs;
      const artifact = (await (await fetch(row.artifact_url)).text())
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      t.match(artifact[0], { file_id: fileIds[0], file_name: "Delivery", text: String });

      const code = await addAgent(api.services, { userId });
      const { body: attached } = await call("POST", `/v1/agent/${code}`, { kb_ids: [base.id] });
      t.match(attached, { agent_code: code, updated: true });
      t.match(await settled(base.id), { agent_count: 1 });
      const session = await insertTestSession(api, userId, code);
      const worker = new RuntimeApiClient({
        avatar_session_id: session.id,
        runtime_token: session.token,
        api_url: api.baseUrl,
      });
      const passages = await worker.searchKnowledge("Is the handle guaranteed?");
      t.match(passages, [{ kb_id: base.id, file_name: "guarantee.html", text: /guaranteed for life/ }]);
      t.equal((await worker.searchKnowledge("goods kettle handle", { limit: 2 })).length, 2);
      t.same(await worker.searchKnowledge("  "), []);
      t.match(await call("POST", `/v1/agent/${code}`, { kb_ids: [] }), { status: 200 });
      t.match(await settled(base.id), { agent_count: 0 });
      t.same(await worker.searchKnowledge("Is the handle guaranteed?"), [], "what was taken away is not found");
    });
  },
);

t.test("only organizations have knowledge bases, and only their own", async (t) => {
  await onStage(async ({ api, call, personalSecret, addFile, make, settled, userId }) => {
    const fileId = await addFile("Some words.", "a.txt");
    const base = await make({ file_ids: [fileId], build: false });
    t.match(base, { build_dispatched: false, status: "stale" });
    for (const [method, path] of [
      ["POST", "/v1/knowledge/files"],
      ["POST", "/v1/knowledge/kbs"],
      ["GET", "/v1/knowledge/kbs"],
      ["POST", `/v1/knowledge/kbs/${base.id}/rebuild`],
      ["POST", `/v1/knowledge/kbs/${base.id}/search`],
    ]) {
      const body = method === "GET" ? undefined : { name: "x", query: "x", url: "https://example.test/a.txt" };
      t.match(await api.call(method, path, { secret: personalSecret, body }), FORBIDDEN, `${method} ${path}`);
    }
    const stranger = await stageOf(api);
    t.match(await stranger.call("POST", "/v1/knowledge/kbs", { name: "x", file_ids: [fileId] }), FORBIDDEN);
    t.match(await stranger.call("POST", `/v1/knowledge/kbs/${base.id}/rebuild`), FORBIDDEN);
    t.match(await stranger.call("GET", "/v1/knowledge/kbs"), { body: { kbs: [], total: 0 } });
    const code = await addAgent(api.services, { userId: stranger.userId });
    t.match(await stranger.call("POST", `/v1/agent/${code}`, { kb_ids: [base.id] }), FORBIDDEN);
    const own = await addAgent(api.services, { userId });
    const personal = await api.call("POST", `/v1/agent/${own}`, {
      secret: personalSecret,
      body: { kb_ids: [base.id] },
    });
    t.match(personal, FORBIDDEN);

    const notFound = { status: 404, body: { error: { code: "NOT_FOUND" } } };
    const nobody = "00000000-0000-4000-8000-000000000000";
    for (const id of [nobody, "x"]) {
      t.match(await call("POST", "/v1/knowledge/kbs", { name: "x", file_ids: [id] }), notFound);
      t.match(await call("POST", `/v1/knowledge/kbs/${id}/rebuild`), notFound);
    }
    t.match(await settled(base.id), { status: "stale", built_rev: null, artifact_url: null });
  });
});

t.test("a source that is missing, empty, of another kind or not public is refused with its code", async (t) => {
  await onStage(async ({ call }) => {
    const send = (body: unknown) => call("POST", "/v1/knowledge/files", body);
    t.match(await send({}), UNPROCESSABLE, "missing input");
    t.match(await send(form("", "a.txt")), UNPROCESSABLE, "empty file");
    for (const url of [
      "http://127.0.0.1/a.txt",
      "http://localhost:1/a",
      "http://[::1]/a",
      "file:///etc/passwd",
      "a.txt",
    ]) {
      t.match(await send({ url }), UNPROCESSABLE, url);
    }
    t.match(await send({ url: "https://example.test/a", sync_freq: "hourly" }), UNPROCESSABLE, "bad sync_freq");
    const unsupported = { status: 415, body: { error: { code: "UNSUPPORTED_TYPE" } } };
    t.match(await send(form(await fixture("a.png"), "a.png")), unsupported);
    t.match(await send(form(await fixture("a.png"), "a.txt")), unsupported);
    t.match(await send(form(await fixture("a.xlsx"), "a.docx")), unsupported);
    t.match(await send(form("words", "a.pdf")), unsupported);
    const invalid = { status: 400 };
    t.match(await call("POST", "/v1/knowledge/kbs", { name: " " }), invalid);
    t.match(await call("POST", "/v1/knowledge/kbs", { name: "x".repeat(121) }), invalid);
    t.match(await call("POST", "/v1/knowledge/kbs", {}), { status: 400, body: { error: { code: "MISSING_PARAM" } } });
  });
});

t.test(
  "an account builds one base at a time, a base being built is built again afterwards, twenty builds a day",
  async (t) => {
    await onStage(async ({ api, userId, call, addFile, make, settled }) => {
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
      await waitFor(async () => (await count()).length === 4, "the one rebuild that five asked for", 60_000);
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

t.test("a document that cannot be read fails its build alone, and says why", async (t) => {
  await onStage(async ({ addFile, make, settled, search }) => {
    const broken = Buffer.concat([(await fixture("a.pdf")).subarray(0, 400), Buffer.alloc(600, 65)]);
    const bad = await addFile(broken, "broken.pdf");
    const failed = await make({ file_ids: [bad] });
    t.match(await settled(failed.id), { status: "failed", built_rev: null, error_message: /broken\.pdf: / });
    const mixed = await make({ file_ids: [bad, await addFile("The good half.", "good.txt")] });
    t.match(await settled(mixed.id), { status: "ready", error_message: /broken\.pdf: / });
    t.match(await search(mixed.id, "good"), [{ text: "The good half." }]);
  });
});

t.test(
  "an address is looked at again when its time has come, and its base is built anew when it changed",
  async (t) => {
    let page = "<h1>Menu</h1><p>Today there is soup.</p>";
    const server = createServer((_request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(page),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.teardown(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/menu`;
    await onStage(async ({ api, call, make, settled, search }) => {
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
  },
);

t.test(
  "with an embeddings endpoint passages are found by their meaning; without its answer, by their words",
  async (t) => {
    await withEmbeddingsServer(async (server) => {
      const environment = { OPENAI_EMBEDDINGS_BASE_URL: server.baseUrl, OPENAI_EMBEDDINGS_API_KEY: "sk-test" };
      await onStage(async ({ addFile, make, settled, search }) => {
        const file = await addFile(
          "# Returns\n\nWe reimburse you within a week.\n\n# Sound\n\nKettles whistle.",
          "a.md",
        );
        const base = await make({ file_ids: [file] });
        t.match(await settled(base.id), { status: "ready" });
        t.match(server.received[0], { model: "text-embedding-3-small", authorization: "Bearer sk-test" });
        t.match(server.received[0].input, ["Returns\nWe reimburse you within a week."]);
        t.match((await search(base.id, "How do I get my money back?"))[0], { text: /reimburse/ });
        server.status = 500;
        t.match((await search(base.id, "reimbursed"))[0], { text: /reimburse/ });
        t.same(await search(base.id, "money back"), []);
      }, environment);
    });
  },
);

function form(bytes: Buffer | string, fileName: string, fields: Record<string, string> = {}): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  data.append("file", new Blob([typeof bytes === "string" ? bytes : new Uint8Array(bytes)]), fileName);
  return data;
}

/** A running session of an agent, with its worker's token. */
async function insertTestSession(api: TestApi, userId: string, agentCode: string) {
  const session = await insertAvatarSession(api.services.database, {
    ...{ id: "cs_000000000000000000000001", userId, secretId: null, launchTokenId: null, agentCode },
    ...{ model: "essence-2", family: "essence-2", mode: "gpu", portraitKey: null, isSelfHosted: false },
    ...{ hasConversation: true, livekitUrl: "wss://rooms.example", roomName: "room-1", avatarIdentity: "avatar" },
    sealedLivekitToken: null,
    createdAt: new Date(),
  });
  const { token } = await api.services.tokens.runtimeSession.mint({
    sub: session.id,
    dispatch: session.dispatchNumber,
  });
  return { id: session.id, token };
}
