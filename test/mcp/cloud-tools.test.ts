// Every tool that calls the service, against the real api, by clients that check each answer against the tool's schema.
import t, { type Test } from "tap";
import { insertMessages } from "../../api/sessions/messages/message-store.ts";
import { insertAvatarSession } from "../../api/sessions/record/avatar-session-store.ts";
import { cloudTools } from "../../mcp/cloud-tools.ts";
import { listTools } from "../../mcp/create-tool-server.ts";
import { PIECE_BYTES } from "../../mcp/tools/speaking-face-tools.ts";
import { writeImx } from "../../src/face/imx/write-imx.ts";
import { bakedFace } from "../helpers/faces/baked-face.ts";
import { withWebhookReceiver } from "../helpers/servers/with-webhook-receiver.ts";
import { addAgent } from "../helpers/service/add-agent.ts";
import { type Assistant, connectHttp } from "../helpers/service/connect-assistant.ts";
import { newSession } from "../helpers/service/new-session.ts";
import { type TestApi, withApi } from "../helpers/service/with-api.ts";
import { addKnowledgeOwner } from "../helpers/service/with-knowledge.ts";

/** Source: the contract. */
const CONTRACT = [
  "validate_api_secret",
  "get_credit_balance",
  "get_usage",
  "generate_agent",
  "get_agent_status",
  "get_agent",
  "list_agents",
  "update_agent_prompt",
  "delete_agent",
  "agent_speak",
  "add_agent_context",
  "get_dynamics",
  "generate_dynamics",
  "create_embed_token",
  "upload_file",
  "create_webhook",
  "list_webhooks",
  "delete_webhook",
  "test_webhook",
  "list_voices",
  "text_to_speech",
  "get_platform_status",
];

t.test("the list: names of the contract, schemas, annotations, and no words that say nothing", async (t) => {
  for (const hasPaths of [true, false]) {
    const { listed, byName } = listTools(cloudTools({ hasPaths, lipSyncFolder: async () => new URL("file:///none/") }));
    t.equal(byName.size, listed.length, "names are unique");
    for (const name of CONTRACT) t.ok(byName.has(name), name);
    for (const { name, title, description, inputSchema, outputSchema, annotations } of listed) {
      t.match(name, /^[a-z]+(_[a-z]+)*$/);
      t.ok(title && description?.endsWith("."), `${name} says what it does`);
      t.match(inputSchema, { type: "object", additionalProperties: false }, name);
      t.match(outputSchema, { type: "object" }, name);
      t.equal(annotations?.destructiveHint, /^delete_/.test(name), `${name} destroys`);
      if (annotations?.readOnlyHint) t.match(name, /^(get|list|show|search|validate|text)_/);
      t.notOk(annotations?.readOnlyHint && annotations.destructiveHint, name);
      t.equal("path" in (inputSchema.properties ?? {}), hasPaths && /_file$/.test(name), `${name} takes a path`);
    }
    t.ok(JSON.stringify(listed).length < 50_000, "a list that a conversation can hold");
  }
});

await t.test("the tools at work", (t) =>
  withApi(
    async (api) => {
      const stage = await openStage(api);
      await t.test("account", (t) => account(t, stage));
      await t.test("an agent from a prompt to its deletion", (t) => agents(t, stage));
      await t.test("pictures", (t) => pictures(t, stage));
      await t.test("a speaking face, in pieces", (t) => speakingFace(t, stage));
      await t.test("rooms, sessions and transcripts", (t) => sessions(t, stage));
      await t.test("voices and speech", (t) => voices(t, stage));
      await t.test("knowledge", (t) => knowledge(t, stage));
      await t.test("files and webhooks", (t) => filesAndWebhooks(t, stage));
      await t.test("a film and gestures", (t) => films(t, stage));
      await stage.assistant.close();
    },
    { environment: { AVATAR_VOICE: "formant", AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" } },
  ),
);

type Stage = Awaited<ReturnType<typeof openStage>>;

async function openStage(api: TestApi) {
  const { account, secret } = await api.addAccount({ plan: "business", credits: 1_000 });
  const assistant = await connectHttp("2026-07-28", api.baseUrl, { "api-secret": secret });
  const code = await addAgent(api.services, { userId: account.userId, hasFace: true });
  const face = Buffer.from(await writeImx(await bakedFace("drawing")));
  await api.services.storage.put(`models/${code}-essence-2.imx`, face);
  return { api, userId: account.userId, secret, assistant, code, face };
}

/** Calls a tool that has to succeed. */
async function good(t: Test, assistant: Assistant, name: string, args: object = {}) {
  const { isError, data, content } = await assistant.call(name, args);
  t.notOk(isError, `${name} ${JSON.stringify(data)}`);
  t.equal(content.at(-1)?.text, JSON.stringify(data), "the text is the structured content");
  return { data, content };
}

/** Calls a tool that has to fail. */
async function bad(t: Test, assistant: Assistant, name: string, args: object, error: object) {
  const { isError, data } = await assistant.call(name, args);
  t.ok(isError, name);
  t.match(data, error, name);
}

async function account(t: Test, { assistant, secret }: Stage): Promise<void> {
  t.same((await good(t, assistant, "validate_api_secret")).data, { valid: true });
  t.equal((await good(t, assistant, "get_credit_balance")).data.balance, 1_000);
  t.match((await good(t, assistant, "get_usage", { limit: 3 })).data, { usage: [], has_more: false, total: 0 });
  t.ok((await good(t, assistant, "list_models_and_prices")).data.agent_generation.by_model);
  t.match((await good(t, assistant, "get_platform_status")).data, { checks: { database: "ok" } });
  await bad(t, assistant, "get_usage", { limit: 0 }, { code: "VALIDATION_ERROR", message: /limit/ });
  await bad(t, assistant, "get_usage", { secret }, { code: "VALIDATION_ERROR", message: /secret/ });
}

async function agents(t: Test, { assistant }: Stage): Promise<void> {
  await bad(t, assistant, "generate_agent", {}, { code: "MISSING_PARAM" });
  await bad(t, assistant, "generate_agent", { prompt: "", model: "essence-2" }, { code: "MISSING_PARAM" });
  const broken = { image_base64: Buffer.from("no picture").toString("base64") };
  await bad(t, assistant, "generate_agent", broken, { http_status: Number });
  const made = await good(t, assistant, "generate_agent", { prompt: "You are Ada.", name: "Ada" });
  t.match(made.data, { status: "processing", agent_id: String });
  t.notOk(made.data.warnings, "the model is always sent");
  const { agent_id } = made.data;
  const seen: number[] = [];
  const onprogress = ({ progress }: { progress: number }) => void seen.push(progress);
  let state = await assistant.call("get_agent_status", { agent_id, wait_seconds: 60 }, { onprogress });
  for (let tries = 0; tries < 5 && !/ready|failed/.test(state.data.status); tries++) {
    state = await assistant.call("get_agent_status", { agent_id, wait_seconds: 60 }, { onprogress });
  }
  t.match(state.data, { status: "ready", progress: 1, model: "essence-2" });
  t.ok(seen.length > 0, "the waiting reports progress");
  t.same(seen, [...new Set(seen)].sort(), "which only grows");
  t.ok((await good(t, assistant, "list_agents", { search: "Ada" })).data.agents.length === 1);
  t.match((await good(t, assistant, "update_agent_prompt", { agent_id, system_prompt: "Be brief." })).data, {
    updated: true,
  });
  await good(t, assistant, "update_agent", { agent_id, name: "Ada L.", greeting: "Hello." });
  t.match((await good(t, assistant, "get_agent", { agent_id })).data, {
    system_prompt: "Be brief.",
    greeting: "Hello.",
  });
  t.match((await good(t, assistant, "add_model", { agent_id, model: "expression-1" })).data, { status: "ready" });
  t.match((await good(t, assistant, "get_model_link", { agent_id })).data, { filename: /\.imx$/ });
  t.match((await good(t, assistant, "create_embed_token", { agent_id })).data, { token: String });
  t.match((await good(t, assistant, "create_embed_link", { agent_id, expires_in: 60 })).data, { url: /^http/ });
  t.match((await good(t, assistant, "delete_agent", { agent_id })).data, { deleted: true });
  await bad(t, assistant, "delete_agent", { agent_id }, { http_status: Number, message: String });
  await bad(t, assistant, "get_agent", { agent_id: "../me" }, { code: "NOT_FOUND", http_status: 404, hint: String });
}

async function pictures(t: Test, { assistant, code }: Stage): Promise<void> {
  const { data, content } = await good(t, assistant, "show_agent", { agent_id: code });
  t.match(content[0], { type: "image", mimeType: data.mime_type });
  const bytes = Buffer.from(content[0].data ?? "", "base64");
  t.equal(bytes.byteLength, data.bytes);
  t.match(data.mime_type, /^image\/(jpeg|png|webp)$/);
  await bad(t, assistant, "show_session", { session_id: "cs_none" }, { code: "NOT_FOUND" });
}

async function speakingFace(t: Test, { assistant, code, face }: Stage): Promise<void> {
  const { data, content } = await good(t, assistant, "show_agent_speaking", { agent_id: code, text: " Hi. " });
  t.match(data, { agent_id: code, text: "Hi.", model: "essence-2", film_credits: 4 });
  t.match(content[0], { type: "image", data: String }, "clients without apps get the picture");
  for (const part of ["face", "lip-sync", "speech"] as const) {
    const pieces: Buffer[] = [];
    let total = 0;
    let offset = 0;
    do {
      const answer = await good(t, assistant, "get_face_part", { agent_id: code, part, offset, text: "Hi." });
      const [{ resource }] = answer.content as unknown as { resource: { blob: string } }[];
      const piece = Buffer.from(resource.blob, "base64");
      t.equal(piece.byteLength, answer.data.bytes);
      t.ok(piece.byteLength <= PIECE_BYTES);
      pieces.push(piece);
      total = answer.data.total_bytes;
      offset += piece.byteLength;
    } while (offset < total);
    const whole = Buffer.concat(pieces);
    t.equal(whole.byteLength, total, part);
    if (part === "face") t.ok(whole.equals(face), "the pieces are the file");
    if (part === "lip-sync") t.ok(pieces.length > 1, "what is large comes in pieces");
    if (part === "speech") t.match(whole.toString("latin1", 0, 3), /^(ID3|RIF|\xff[\xe0-\xff])/);
  }
  const part = (more: object) => ({ agent_id: code, ...more });
  await bad(t, assistant, "get_face_part", part({ part: "face", offset: 8e6 }), { code: "VALIDATION_ERROR" });
  await bad(t, assistant, "get_face_part", part({ part: "face", offset: -1 }), { code: "VALIDATION_ERROR" });
  await bad(t, assistant, "get_face_part", part({ part: "speech" }), { code: "MISSING_PARAM" });
  await bad(t, assistant, "get_face_part", part({ part: "film" }), { code: "MISSING_PARAM" });
  await bad(t, assistant, "get_face_part", part({ part: "film", job_id: "vid_none" }), { code: "NOT_FOUND" });
  await bad(t, assistant, "get_face_part", part({ part: "../secrets" }), { code: "VALIDATION_ERROR" });
  await bad(t, assistant, "get_face_part", { agent_id: "T0none", part: "face" }, { http_status: 404 });
  await bad(t, assistant, "show_agent_speaking", part({ text: "a".repeat(601) }), { code: "VALIDATION_ERROR" });
  await bad(t, assistant, "show_agent_speaking", part({ text: " " }), { code: "VALIDATION_ERROR" });
}

async function sessions(t: Test, { api, assistant, code, userId }: Stage): Promise<void> {
  await bad(t, assistant, "agent_speak", { agent_id: code, message: "Hello" }, { code: "NOT_FOUND" });
  await bad(t, assistant, "add_agent_context", { agent_id: code, context: "It rains." }, { code: "NOT_FOUND" });
  t.same((await good(t, assistant, "list_agent_rooms", { agent_id: code })).data, { rooms: [] });
  const { database } = api.services;
  const session = newSession({
    userId,
    agentCode: code,
    hasConversation: true,
    createdAt: new Date(api.services.now()),
  });
  const said = ["Hello", "Good day", "Who are you?"].map((message, index) => ({
    seq: index + 1,
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    message,
    saidAt: new Date(api.services.now()),
  }));
  await database.transaction().execute(async (transaction) => {
    await insertAvatarSession(transaction, session);
    await insertMessages(transaction, session.id, said);
  });
  const session_id = session.id;
  const { data } = await good(t, assistant, "list_sessions", { agent_id: code });
  t.match(data, { sessions: [{ id: session_id, agent_code: code, has_transcript: true }], has_more: false });
  t.match((await good(t, assistant, "get_session", { session_id })).data, { session_id, status: "starting" });
  const transcript = (await good(t, assistant, "get_transcript", { session_id, last: 2 })).data;
  t.match(transcript, { session_id, agent_code: code, total: 3, messages: { length: 2 } });
  t.match(transcript.messages[1], { role: "user", message: "Who are you?" });
  t.match((await good(t, assistant, "end_session", { session_id })).data, { session_id, status: "ended" });
}

async function voices(t: Test, { assistant }: Stage): Promise<void> {
  t.ok((await good(t, assistant, "list_voices")).data.voices.length > 5);
  const { data, content } = await good(t, assistant, "text_to_speech", { text: "Hi.", voice: "F1" });
  t.match(content[0], { type: "audio", mimeType: "audio/wav" });
  t.equal(Buffer.from(content[0].data ?? "", "base64").toString("latin1", 0, 4), "RIFF");
  t.match(data, { mime_type: "audio/wav" });
  await bad(
    t,
    assistant,
    "text_to_speech",
    { text: "Hi.", voice: "none" },
    { code: "VALIDATION_ERROR", http_status: 400 },
  );
}

async function knowledge(t: Test, { api, assistant }: Stage): Promise<void> {
  await bad(t, assistant, "list_knowledge_bases", {}, { http_status: 403 });
  const owner = await addKnowledgeOwner(api);
  const own = await connectHttp("2025", api.baseUrl, { authorization: `Bearer ${owner.secret}` });
  await bad(t, own, "add_knowledge_file", {}, { code: "MISSING_PARAM" });
  await bad(t, own, "add_knowledge_file", { base64: "AA==", url: "https://a.example/" }, { code: "MISSING_PARAM" });
  await bad(t, own, "add_knowledge_file", { path: "/etc/passwd" }, { code: "VALIDATION_ERROR" });
  const base64 = Buffer.from("# Teapots\n\nThe teapot Aurora holds exactly seven cups of tea.\n").toString("base64");
  const file = (await good(t, own, "add_knowledge_file", { base64, file_name: "teapots.md" })).data;
  t.match(file, { file_name: "teapots.md", source_kind: "upload" });
  t.equal((await good(t, own, "list_knowledge_files")).data.files.length, 1);
  const base = (await good(t, own, "create_knowledge_base", { name: "Teapots", file_ids: [file.id] })).data;
  await owner.settled(base.id);
  const kb_id = base.id;
  t.match((await good(t, own, "get_knowledge_base", { kb_id })).data, { status: "ready", files: [{ id: file.id }] });
  const { results } = (await good(t, own, "search_knowledge_base", { kb_id, query: "How many cups?" })).data;
  t.match(results[0].text, /seven cups/);
  t.match((await good(t, own, "update_knowledge_base", { kb_id, name: "Pots" })).data, { name: "Pots" });
  t.equal((await good(t, own, "list_knowledge_bases")).data.knowledge_bases[0].name, "Pots");
  t.match((await good(t, own, "rebuild_knowledge_base", { kb_id })).data, { kb_id, status: "queued" });
  await owner.settled(kb_id);
  const agent_id = await addAgent(api.services, { userId: owner.userId });
  await good(t, own, "update_agent", { agent_id, kb_ids: [kb_id] });
  t.same((await good(t, own, "get_agent", { agent_id })).data.kb_ids, [kb_id]);
  await own.close();
}

async function filesAndWebhooks(t: Test, { api, assistant }: Stage): Promise<void> {
  const base64 = Buffer.from("a,b\n1,2\n").toString("base64");
  const upload = await assistant.call("upload_file", { base64, file_name: "a.txt" });
  if (upload.isError) t.match(upload.data, { http_status: Number }, "the service decides which files it stores");
  t.ok(Array.isArray((await good(t, assistant, "list_files")).data.files));
  await withWebhookReceiver(async ({ url }) => {
    const made = await good(t, assistant, "create_webhook", { url, events: ["ping"] });
    t.match(made.data, { url, secret_file: null, note: String });
    t.notOk("secret" in made.data, "its secret is no part of a conversation");
    const webhook_id = made.data.id;
    t.equal((await good(t, assistant, "list_webhooks")).data.webhooks.length, 1);
    t.match((await good(t, assistant, "test_webhook", { webhook_id })).data, { delivered: true });
    t.match((await good(t, assistant, "delete_webhook", { webhook_id })).data, { deleted: true });
  });
  t.ok(api.baseUrl);
}

async function films(t: Test, { assistant, code }: Stage): Promise<void> {
  await bad(t, assistant, "create_video", { agent_id: code }, { code: "MISSING_PARAM" });
  const { job_id } = (await good(t, assistant, "create_video", { agent_id: code, text: "Hi." })).data;
  let film = (await good(t, assistant, "get_video", { job_id, wait_seconds: 60 })).data;
  for (let tries = 0; tries < 5 && film.status === "processing"; tries++) {
    film = (await good(t, assistant, "get_video", { job_id, wait_seconds: 60 })).data;
  }
  t.match(film, { status: "completed", video_url: /^http/, progress: 1 });
  t.match((await good(t, assistant, "list_videos", { agent_id: code })).data, { videos: [{ job_id }] });
  t.match((await good(t, assistant, "delete_video", { job_id })).data, { deleted: true });
  t.match((await good(t, assistant, "get_dynamics", { agent_id: code })).data, { agent_id: code, gestures: {} });
  t.match((await good(t, assistant, "generate_dynamics", { agent_id: code, duration: 1 })).data, {
    status: "processing",
  });
}
