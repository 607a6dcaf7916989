// Knowledge bases from a source file to an answer: over HTTP, in a real database, with the real job queue and text
// process.
import t from "tap";
import { RuntimeApiClient } from "../../../agent-worker/session/runtime-api-client.ts";
import { withEmbeddingsServer } from "../../helpers/servers/with-embeddings-server.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import {
  addKnowledgeOwner,
  fixtureFile,
  insertTestSession,
  withKnowledge,
} from "../../helpers/service/with-knowledge.ts";

const FORBIDDEN = { status: 403, body: { error: { code: "FORBIDDEN" } } };
const UNPROCESSABLE = { status: 422, body: { error: { code: "VALIDATION_ERROR", httpStatus: 422 } } };

t.test("a question finds text of every kind of document, in the API and in the agent's conversation", async (t) => {
  await withKnowledge(async ({ api, userId, organizationId, call, addFile, make, settled, search }) => {
    const answer = await call(
      "POST",
      "/v1/knowledge/files",
      form(await fixtureFile("a.pdf"), "delivery.pdf", { name: "Delivery" }),
    );
    t.match(answer, {
      status: 201,
      body: {
        id: /^[0-9a-f-]{36}$/,
        org_id: organizationId,
        file_name: "Delivery",
        ext: "pdf",
        size_bytes: (await fixtureFile("a.pdf")).length,
        status: "uploaded",
        source_kind: "upload",
        created_at: /^\d{4}-.*Z$/,
      },
    });
    const fileIds = [
      answer.body.id,
      await addFile(await fixtureFile("a.docx"), "shop.docx"),
      await addFile(await fixtureFile("a.csv"), "prices.csv"),
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
    t.same((await call("GET", `/v1/agent/${code}`)).body.data.kb_ids, [base.id]);
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
});

t.test("only organizations have knowledge bases, and each sees only its own", async (t) => {
  await withKnowledge(async ({ api, call, personalSecret, addFile, make, settled, userId }) => {
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
    const stranger = await addKnowledgeOwner(api);
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
    const unknownId = "00000000-0000-4000-8000-000000000000";
    for (const id of [unknownId, "x"]) {
      t.match(await call("POST", "/v1/knowledge/kbs", { name: "x", file_ids: [id] }), notFound);
      t.match(await call("POST", `/v1/knowledge/kbs/${id}/rebuild`), notFound);
    }
    t.match(await settled(base.id), { status: "stale", built_rev: null, artifact_url: null });
  });
});

t.test("a missing, empty, unsupported or private source is refused with its code", async (t) => {
  await withKnowledge(async ({ call }) => {
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
    t.match(await send(form(await fixtureFile("a.png"), "a.png")), unsupported);
    t.match(await send(form(await fixtureFile("a.png"), "a.txt")), unsupported);
    t.match(await send(form(await fixtureFile("a.xlsx"), "a.docx")), unsupported);
    t.match(await send(form("words", "a.pdf")), unsupported);
    const invalid = { status: 400 };
    t.match(await call("POST", "/v1/knowledge/kbs", { name: " " }), invalid);
    t.match(await call("POST", "/v1/knowledge/kbs", { name: "x".repeat(121) }), invalid);
    t.match(await call("POST", "/v1/knowledge/kbs", {}), { status: 400, body: { error: { code: "MISSING_PARAM" } } });
  });
});

t.test("with an embeddings endpoint passages are found by meaning; if it does not answer, by words", async (t) => {
  await withEmbeddingsServer(async (server) => {
    const environment = { OPENAI_EMBEDDINGS_BASE_URL: server.baseUrl, OPENAI_EMBEDDINGS_API_KEY: "sk-test" };
    await withKnowledge(async ({ addFile, make, settled, search }) => {
      const file = await addFile("# Returns\n\nWe reimburse you within a week.\n\n# Sound\n\nKettles whistle.", "a.md");
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
});

function form(bytes: Buffer | string, fileName: string, fields: Record<string, string> = {}): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  data.append("file", new Blob([typeof bytes === "string" ? bytes : new Uint8Array(bytes)]), fileName);
  return data;
}
