// The parts of the start page that need no browser.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import t from "tap";
import { AgentClient, type AgentStatus, readStatus } from "../../web/create/agent-client.ts";
import { cameraRefusal } from "../../web/create/camera.ts";
import { SessionAccess } from "../../web/create/create-access.ts";
import { currentStep, markingReason, noteOf, stepNames } from "../../web/create/creation-steps.ts";
import { followAgent } from "../../web/create/follow-agent.ts";
import { KeptPage } from "../../web/create/kept-page.ts";
import { scaledSize, whyNot } from "../../web/create/prepare-picture.ts";
import { en } from "../../web/create/texts/en.ts";
import { Access } from "../../web/shared/access.ts";
import { atOwnOrigin } from "../../web/shared/at-own-origin.ts";
import { RequestError } from "../../web/shared/request-error.ts";

const NOT_ABORTED = new AbortController().signal;
const status = (changes: Partial<AgentStatus>): AgentStatus => ({
  code: "a",
  name: "Vera",
  state: "making",
  progress: 0,
  message: "",
  imageUrl: "",
  modelUrl: null,
  model: "essence-2",
  voice: "F1",
  character: "",
  ...changes,
});

t.test("the page requests a token on this machine only, renewed in time and replaced when it is refused", async (t) => {
  const seen: { path: string; headers: IncomingHttpHeaders; body: unknown }[] = [];
  const answers: [number, object][] = [];
  const server = createServer(async (request, response) => {
    const path = `${request.method} ${request.url}`;
    seen.push({ path, headers: request.headers, body: await json(request).catch(() => undefined) });
    const [code, body] = answers.shift() ?? [500, {}];
    response.writeHead(code, { "content-type": "application/json", "retry-after": "7" });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  const base = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix/`);
  const storage = memory();
  let now = 1_000_000;
  const access = new Access({ base, storage, now: () => now });
  const client = new AgentClient(base, access);
  const token = (name: string): [number, object] => [200, { token: name, expires_at: now / 1000 + 600 }];
  const refused: [number, object] = [401, { error: { code: "MISSING_AUTH", message: "The header is missing" } }];
  const ready: [number, object] = [200, { data: { code: "a", status: "ready", progress: 1, progress_msg: "Ready" } }];
  const lastBearer = () => seen.at(-1)?.headers.authorization;

  answers.push(token("first"), ready);
  t.ok(await access.open());
  t.match(seen[0], { path: "POST /prefix/home/access", headers: { "x-start-page": "1" } });
  await client.status("a");
  t.equal(lastBearer(), "Bearer first");
  now += 580_000;
  answers.push(token("second"), ready);
  await client.status("a");
  t.equal(lastBearer(), "Bearer second", "renewed before it expires");
  answers.push(refused, token("third"), ready);
  await client.status("a");
  t.equal(lastBearer(), "Bearer third", "replaced");
  answers.push([200, { data: { token: "visitor" } }], [200, { room_name: "r" }]);
  await client.prepare(await client.embedPage("a"));
  t.match(seen.at(-1), { path: "POST /prefix/embed/session", headers: { authorization: "Bearer visitor" }, body: {} });

  answers.push([403, { error: { code: "FORBIDDEN" } }]);
  access.forget();
  t.notOk(await access.open(), "refused: a secret is needed");
  answers.push([403, { error: { code: "FORBIDDEN" } }]);
  await t.rejects(client.status("a"), { code: "MISSING_AUTH" });
  answers.push([401, { error: { code: "UNAUTHORIZED", message: "The API secret is not valid" } }]);
  await t.rejects(access.useSecret("wrong", { isKept: true }), { message: "The API secret is not valid" });
  await t.rejects(access.useSecret("two words\n and a line", { isKept: true }), { code: "UNAUTHORIZED" });
  t.same([access.kind, storage.size], ["none", 0], "a wrong secret is not kept");
  answers.push([200, {}], ready);
  await access.useSecret("  right ", { isKept: false });
  await client.status("a");
  t.equal(seen.at(-1)?.headers["api-secret"], "right");
  t.equal(storage.size, 0);
  answers.push([200, {}]);
  await access.useSecret("right", { isKept: true });
  t.equal(storage.size, 1);
  t.notOk(
    seen.some(({ path }) => /right|first|second/.test(path)),
    "neither is part of a URL",
  );

  const public_ = new Access({ base: new URL("https://avatars.example/"), storage: memory() });
  t.notOk(await public_.open(), "elsewhere nothing is asked");
  const count = seen.length;
  answers.push([429, { error: { code: "RATE_LIMITED", message: "Slowly" } }]);
  await t.rejects(client.delete("a"), { code: "RATE_LIMITED", message: "Slowly", retryAfterSeconds: 7 });
  const tight = { code: "PICTURE_TOO_TIGHT", message: "Perhaps" };
  answers.push([200, { agent_id: "b", warnings: [tight, { code: "X", message: "Careful" }] }]);
  const order = {
    image: "data:,",
    name: "",
    character: "A guide",
    voice: "F1",
    shape: "1:1",
    kind: "photograph",
  } as const;
  t.same(await client.create(order, "key"), { code: "b", notes: ["Careful"] });
  const sent = { name: "", voice: "F1", prompt: "You are a guide.", model: "essence-2", aspect_ratio: "1:1" };
  t.match(seen.at(-1), { headers: { "idempotency-key": "key" }, body: sent });
  answers.push([200, { data: { marking_url: "https://other.example/mark/a#1.signature" } }]);
  t.equal(await client.markingPage("a"), `${base}mark/a#1.signature`);
  answers.push([200, { data: { token: "jwt" } }]);
  t.equal(await client.embedPage("a"), `${base}embed/a#token=jwt`);
  t.equal(seen.length, count + 4);

  const poster_url = "https://other.example/prefix/posters/a.jpg?signature=x";
  answers.push([
    200,
    {
      data: [
        { code: "a", name: "", poster_url },
        { code: "b", name: "B" },
      ],
      pagination: { has_more: true },
    },
  ]);
  t.same(await client.list(12), {
    avatars: [
      { code: "a", name: "", poster: `${base}posters/a.jpg?signature=x` },
      { code: "b", name: "B" },
    ],
    hasMore: true,
  });
  t.equal(seen.at(-1)?.path, "GET /prefix/v1/agents?limit=12&offset=12&status=ready");
  answers.push([200, { data: { url: "https://other.example/prefix/a/short" } }]);
  t.equal(await client.shortLink("a", 7), `${base}a/short`);
  t.match(seen.at(-1), { path: "POST /prefix/v1/embed-links", body: { agent_id: "a", expires_in: 604_800 } });
  answers.push([200, { updated: true }]);
  await client.change("a", { voice: "M1", character: "" });
  t.same(seen.at(-1)?.body, { voice: "M1" }, "an empty character leaves the one that it has");
  const film = {
    status: "completed",
    video_url: "https://other.example/prefix/f.mp4",
    credits_charged: 4,
    duration_seconds: 2.5,
  };
  answers.push([200, film]);
  t.same(await client.film("a", "essence-2", "Hello"), { url: `${base}f.mp4`, credits: 4, seconds: 2.5 });
  answers.push([200, { status: "failed", error: { message: "No voice" } }], [200, { status: "processing" }]);
  await t.rejects(client.film("a", "essence-2", "Hello"), { message: "No voice" });
  await t.rejects(client.film("a", "essence-2", "Hello"), { message: /longer than usual/ });
  answers.push([200, { data: { talking_video: { rates: { "essence-2": 4 } } } }]);
  t.equal(await client.creditsPerMinute("essence-2"), 4);

  answers.push([200, { agent_id: "d" }]);
  await client.create({ ...order, image: null, voice: "", character: "A guide", kind: "photograph" }, "k");
  const described = { model: "essence-2", aspect_ratio: "1:1", prompt: "A guide" };
  t.same(seen.at(-1)?.body, described, "without a picture the service chooses name, face and voice");
  answers.push([200, { data: { agent_generation: { by_model: { "essence-2": 500, auto: 2000 } } } }]);
  t.same(await client.creationPrices(), { photograph: 500 }, "what is not offered has no price");
  const ledger = [{ credits_change: 500 }, { credits_change: -500 }, { credits_change: 20 }];
  answers.push([200, { data: ledger }]);
  t.same(await client.costs("a b"), { charged: 520, refunded: 500 });
  t.equal(seen.at(-1)?.path, "GET /prefix/v1/usage?limit=50&agent_code=a%20b");

  const session = new SessionAccess({ base, organizationId: "org-1" });
  const inConsole = new AgentClient(base, session);
  answers.push([200, { data: { balance: 12.5, is_enterprise: false } }]);
  t.same(await inConsole.balance(), { credits: 12.5, isLimit: true });
  t.match(seen.at(-1), {
    path: "GET /prefix/console/api/v2/credit-summaries",
    headers: { "x-service-organization": "org-1", "api-secret": undefined, authorization: undefined },
  });
  answers.push([200, { data: { token: "jwt" } }]);
  t.equal(await inConsole.embedPage("a"), `${base}embed/a#token=jwt`, "pages stay where they are");
});

t.test("a creation is followed until it ends, through failures that pass", async (t) => {
  const results: (AgentStatus | Error)[] = [
    status({ progress: 0.1 }),
    new RequestError("NETWORK", "Unreachable"),
    new RequestError("RATE_LIMITED", "Slowly", { retryAfterSeconds: 9 }),
    status({ state: "marking", progress: 0.35 }),
    status({ progress: 0.7 }),
    status({ state: "ready", progress: 1 }),
  ];
  const seen: string[] = [];
  const waits: number[] = [];
  const client = {
    async status() {
      const result = results.shift() as AgentStatus | Error;
      if (result instanceof Error) throw result;
      return result;
    },
  };
  const options = {
    client,
    code: "a",
    signal: NOT_ABORTED,
    onStatus: ({ state }: AgentStatus) => seen.push(state),
    onTrouble: (message: string) => seen.push(message),
    wait: async (ms: number) => void waits.push(ms),
  };
  t.match(await followAgent(options), { state: "ready" });
  t.same(seen, ["making", "Unreachable", "Slowly", "marking", "making", "ready"]);
  t.same(waits, [400, 1000, 9000, 2000, 400]);
  waits.length = 0;
  results.push(...Array.from({ length: 42 }, () => status({ progress: 0.1 })), status({ state: "ready" }));
  await followAgent(options);
  t.same([waits[39], waits[40], waits.length], [400, 2000, 42], "one that takes long is asked about less often");
  results.push(new RequestError("NOT_FOUND", "Gone"));
  await t.rejects(followAgent(options), { code: "NOT_FOUND" }, "what does not pass ends it");
});

t.test("steps, notes and reasons are read from the service's words", (t) => {
  const names = stepNames(en.making, { hasPicture: true });
  const steps = [0.02, 0.15, 0.2, 0.35, 0.7, 0.99].map((progress) => names[currentStep(status({ progress }))]);
  t.same(steps, [
    "Finding the face",
    "Finding the face",
    "Finding the face",
    "Finding the face",
    "Making the face",
    "Making the face",
  ]);
  t.equal(names[currentStep(undefined)], "Sending the picture");
  t.equal(names[currentStep(status({ progress: 1 }))], "Coming to you");
  t.equal(noteOf({ message: "Ready" }), undefined);
  t.equal(noteOf({ message: "Ready. The picture shows too little." }), "The picture shows too little.");
  const asked = "No face was found. Place its marks on the page that GET /v1/agent/a/face-marks links to, or with PUT.";
  t.equal(markingReason({ message: asked }), "No face was found.");
  const waiting = { status: "generating", current_step: "awaiting_face_marking", progress: 0.35 };
  t.match(readStatus(waiting), { state: "marking", modelUrl: null });
  t.match(readStatus({ status: "failed", error_message: "Because", progress_msg: "Failed" }), { message: "Because" });
  t.end();
});

t.test("pictures that cannot be sent are explained, and large ones scaled in proportion", (t) => {
  t.match(whyNot({ name: "IMG_1.HEIC", type: "" }, en.picture), /HEIC/);
  t.match(whyNot({ name: "a.svg", type: "image/svg+xml" }, en.picture), /SVG/);
  t.match(whyNot({ name: "a.pdf", type: "application/pdf" }, en.picture), /not a picture/);
  t.match(whyNot({ name: "a.jpg", type: "image/jpeg" }, en.picture), /damaged/);
  t.same(scaledSize(4096, 1024), { widthPx: 2048, heightPx: 512 });
  t.same(scaledSize(300, 30_000), { widthPx: 20, heightPx: 2048 });
  t.same(scaledSize(640, 480), { widthPx: 640, heightPx: 480 });
  for (const name of ["NotAllowedError", "NotFoundError", "NotReadableError", "x"]) {
    t.ok(cameraRefusal(name, en.camera).length > 20, name);
  }
  const link = "http://127.0.0.1:8080/prefix/files/a.jpg?expires=never#x";
  t.equal(
    atOwnOrigin(link, "http://localhost:8080/mark/a"),
    "http://localhost:8080/prefix/files/a.jpg?expires=never#x",
  );
  t.end();
});

t.test("the page of an agent is kept for this tab, until its token is about to expire", async (t) => {
  let now = 0;
  let made = 0;
  const storage = memory();
  const kept = new KeptPage({ storage, now: () => now });
  const make = async (code: string) => `${code} ${++made}`;
  t.equal(await kept.of("a", make), "a 1");
  t.equal(await kept.of("a", make), "a 1");
  t.equal(await kept.of("b", make), "b 2", "another agent has another page");
  now += 51 * 60_000;
  t.equal(await kept.of("b", make), "b 3");
  kept.forget();
  t.equal(await kept.of("b", make), "b 4");
  storage.setItem("embed-page", "{");
  t.equal(await kept.of("b", make), "b 5", "what the page did not write does not count");
});

function memory(): Pick<Storage, "getItem" | "setItem" | "removeItem"> & { readonly size: number } {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
    get size() {
      return values.size;
    },
  };
}
