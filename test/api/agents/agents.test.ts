import { readFileSync } from "node:fs";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import t from "tap";
import { balanceOf } from "../../../api/accounts/credits/ledger.ts";
import { readImx } from "../../../src/face/imx/read-imx.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { untilAgent } from "../../helpers/service/until-agent.ts";
import { withApi, withIdleApi } from "../../helpers/service/with-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/portraits/${name}`, import.meta.url));
const astronaut = fixture("astronaut.png");
const cartoon = fixture("cartoon.png");
const turned = fixture("turned.jpg");

/** A PNG of the given size from its header on; `rows` of them hold pixels. */
function craftPng(widthPx: number, heightPx: number, rows: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    checksum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, checksum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(widthPx, 0);
  header.writeUInt32BE(heightPx, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.alloc((1 + 3 * widthPx) * rows));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

/** This test is about baking; the other tests use the golden avatar. */
const REAL_BAKES = { baker: "real" } as const;

t.test("a prompt alone becomes a ready agent with a face, a voice and a file", async (t) => {
  await withApi(async (api) => {
    const { account, secret } = await api.addAccount({ credits: 1000 });
    const prompt = "You are Nova, a friendly guide. She explains museums.";
    const created = await api.call("POST", "/v1/agent/generate", { secret, body: { prompt, model: "essence-2" } });
    t.equal(created.status, 200);
    t.match(created.body, { success: true, agent_id: /^[A-Z]\d{2}[A-Z]{3}\d{4}$/, status: "processing" });
    t.notOk(created.body.warnings);
    t.equal((await balanceOf(api.services.database, account.userId)).total, 500);
    const code = created.body.agent_id;
    const agent = await untilAgent(api, secret, code);
    t.match(agent, {
      agent_id: code,
      code,
      name: "Nova",
      gender: "female",
      status: "ready",
      progress: 1,
      current_step: "done",
      event_type: "lip_created",
      error_message: null,
      supported_models: ["essence-2", "essence-2-light", "expression-1"],
      model_status: { "essence-2": { state: "ready", reason: null } },
      system_prompt: prompt,
      voice_id: /^F\d$/,
    });
    t.same((await api.call("GET", `/v1/agent/${code}`, { secret })).body.data.name, "Nova");

    const image = await fetch(agent.image_url);
    t.equal(image.status, 200);
    t.equal(image.headers.get("content-type"), "image/jpeg");
    t.equal(image.headers.get("x-content-type-options"), "nosniff");
    const file = Buffer.from(await (await fetch(agent.model_url)).arrayBuffer());
    const { manifest } = await readImx(file);
    t.match(manifest, { family: "essence-2", canvas: { widthPx: 896, heightPx: 504 } }, "16:9 unless asked otherwise");
    const part = await fetch(agent.model_url, { headers: { range: "bytes=4-7" } });
    t.equal(part.status, 206);
    t.same(Buffer.from(await part.arrayBuffer()), file.subarray(4, 8));
    t.equal((await fetch(agent.model_url, { headers: { range: "bytes=99999999-" } })).status, 416);
    t.equal((await fetch(agent.model_url.replace("signature=", "signature=A"))).status, 403);
  }, REAL_BAKES);
});

t.test(
  "a portrait in base64 is used unchanged; models can be added and downloaded, and are gone after deletion",
  async (t) => {
    await withApi(async (api) => {
      const { account, secret } = await api.addAccount({ credits: 2000 });
      const other = await api.addAccount();
      const image = `data:image/png;base64,${astronaut.toString("base64")}`;
      const body = { image, agent_id: "astro_1", model: "essence-1" };
      t.equal((await api.call("POST", "/v1/agent/generate", { secret, body })).status, 200);
      const download = (query = "", options = {}) =>
        api.call("GET", `/v1/agent/astro_1/model/download${query}`, { secret, ...options });
      const add = (model: unknown) => api.call("POST", "/v1/agent/astro_1/models", { secret, body: { model } });
      t.match((await download()).body.error, { code: "MODEL_ARTIFACT_NOT_READY", httpStatus: 404 });
      t.match((await add("essence-2")).body.error, { code: "AGENT_NOT_READY", httpStatus: 409 });
      t.match((await api.call("POST", "/v1/agent/generate", { secret, body })).body.error, { code: "AGENT_NOT_READY" });
      t.match(await untilAgent(api, secret, "astro_1"), { status: "ready", model: "essence-1" });

      const redirect = await download();
      t.equal(redirect.status, 302);
      t.match(redirect.headers.get("location"), /^http:\/\/127\.0\.0\.1:\d+\/files\/models\//);
      const answer = await download("?redirect=no");
      t.match(answer.body, {
        success: true,
        data: { code: "astro_1", model: "essence-1", filename: "astro_1.imx", expires_in: 3600 },
      });
      t.match((await download("?model=expression-1")).body.error, { code: "MODEL_NOT_DOWNLOADABLE", httpStatus: 400 });
      t.match((await download("?model=essence-2-cpu")).body.error, {
        code: "MODEL_NOT_GENERATED",
        message: /astro_1.*essence-2.*hasn't been generated yet.*\/v1\/agent\/astro_1\/models.*500/,
      });
      t.match((await download("?model=nonsense")).body.error, { code: "VALIDATION_ERROR", httpStatus: 400 });
      t.match((await download("", { secret: other.secret })).body.error, { code: "NOT_FOUND" });
      const minted = await api.call("POST", "/v1/runtime-tokens/mint", { secret, body: { agent_code: "astro_1" } });
      t.equal((await download("", { secret: undefined, bearer: minted.body.token })).status, 302);

      t.match((await add("expression-1")).body, { status: "ready", credits: 0 });
      t.match((await add("essence-2")).body, { success: true, status: "processing", credits: 500 });
      t.match((await add("essence-2")).body, { status: /processing|ready/, credits: 0 });
      t.match((await add("essence-2-light")).body.error, { code: "VALIDATION_ERROR", message: /Accepted/ });
      for (const none of [undefined, null, ""]) t.match((await add(none)).body.error, { code: "MISSING_PARAM" });
      const agent = await untilAgent(api, secret, "astro_1");
      t.match(agent, {
        status: "ready",
        supported_models: ["essence-1", "essence-2", "essence-2-light", "expression-1"],
      });
      t.match((await add("essence-2")).body, { status: "ready", credits: 0 });
      t.equal((await balanceOf(api.services.database, account.userId)).total, 2000 - 250 - 500);

      const update = (change: object) => api.call("POST", "/v1/agent/astro_1", { secret, body: change });
      for (const nothing of [{}, { system_prompt: null }, { unknown: 1 }])
        t.match((await update(nothing)).body.error, { code: "MISSING_PARAM", httpStatus: 400 });
      t.same((await update({ system_prompt: "New." })).body, { agent_code: "astro_1", updated: true });
      t.equal((await api.call("GET", "/v1/agent/astro_1", { secret })).body.data.system_prompt, "New.");

      const foreign = { secret: other.secret };
      const anchored = { code: "NOT_FOUND", message: /^Agent not found for code: astro_1/, httpStatus: 404 };
      t.match((await api.call("GET", "/v1/agent/astro_1", foreign)).body.error, anchored);
      t.match((await api.call("GET", "/v1/agent/status/astro_1", foreign)).body.error, anchored);
      t.match((await api.call("DELETE", "/v1/agent/astro_1", foreign)).body.error, anchored);
      t.match((await api.call("POST", "/v1/agent/generate", { ...foreign, body })).body.error, anchored);

      const deleted = await api.call("DELETE", "/v1/agent/astro_1", { secret });
      t.same(deleted.body, { success: true, agent_code: "astro_1", deleted: true });
      t.match((await api.call("DELETE", "/v1/agent/astro_1", { secret })).body.error, anchored);
      t.match((await api.call("GET", "/v1/agent/astro_1", { secret })).body.error, anchored);
      t.match((await download()).body.error, { code: "AGENT_DELETED", httpStatus: 410 });
      t.match((await api.call("POST", "/v1/agent/generate", { secret, body })).body.error, { code: "AGENT_DELETED" });
      t.equal((await fetch(agent.model_url)).status, 404, "its files are gone");
      const list = await api.call("GET", "/v1/agents?limit=1", { secret });
      t.match(list.body, {
        success: true,
        data: [{ code: "astro_1", status: "deleted", supported_models: [] }],
        pagination: { limit: 1, offset: 0, total: 1, has_more: false },
      });
      t.equal((await api.call("GET", "/v1/agents?limit=101", { secret })).status, 400);
    });
  },
);

t.test("bad input is refused before anything is charged or stored", async (t) => {
  await withApi(async (api) => {
    const { account, secret } = await api.addAccount({ plan: "custom", credits: 5000 });
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
    const blank = craftPng(400, 300, 300);
    const cases: [string, object, number, string, RegExp?][] = [
      ["no face", { image: base64(blank), model: "essence-2" }, 422, "MODEL_SUBJECT_MISMATCH", /No face/],
      [
        "a drawing for a model of people",
        { image: base64(cartoon), model: "essence-1" },
        422,
        "MODEL_SUBJECT_MISMATCH",
      ],
      [
        "several faces",
        { image: base64(await sideBySide()), model: "essence-2" },
        422,
        "IMAGE_FACE_UNSUITABLE",
        /several/,
      ],
      [
        "a face turned away",
        { image: base64(turned), model: "essence-2" },
        422,
        "IMAGE_FACE_UNSUITABLE",
        /turned.*front/,
      ],
      ["a tiny face", { image: base64(await shrunk()), model: "essence-2" }, 422, "IMAGE_FACE_UNSUITABLE", /too small/],
      [
        "a corrupt image",
        { image: base64(astronaut.subarray(0, 20_000)), model: "essence-2" },
        400,
        "VALIDATION_ERROR",
      ],
      [
        "100 megapixels",
        { image: base64(craftPng(10_000, 10_000, 1)), model: "essence-2" },
        413,
        "FILE_TOO_LARGE",
        /megapixels/,
      ],
      ["SVG", { image: base64(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")) }, 400, "VALIDATION_ERROR"],
      ["a data URI that is not an image", { image: "data:text/html;base64,PGI+" }, 400, "VALIDATION_ERROR"],
      ["a word that could be base64", { image: "not a url", model: "essence-2" }, 400, "VALIDATION_ERROR", /image/],
      ["a data URI that is not base64", { image: "data:image/svg+xml,<svg/>" }, 400, "VALIDATION_ERROR"],
      ["no base64", { image: "not base64!" }, 400, "VALIDATION_ERROR", /base64/],
      ["an empty image", { image: "" }, 400, "VALIDATION_ERROR"],
      ["a large image", { image: base64(Buffer.alloc(10_100_000)) }, 413, "FILE_TOO_LARGE"],
      ["a private address", { image: `${api.baseUrl}/x.png` }, 400, "VALIDATION_ERROR", /not publicly reachable/],
      ["metadata service", { image: "http://169.254.169.254/latest/meta-data" }, 400, "VALIDATION_ERROR"],
      ["a file URL", { image: "file:///etc/passwd" }, 400, "VALIDATION_ERROR", /http/],
      ["a video", { video: "https://example.com/x.mp4", model: "essence-2" }, 400, "VIDEO_INPUT_NOT_SUPPORTED"],
      ["an unknown model", { model: "essence-9" }, 400, "VALIDATION_ERROR", /"essence-9".*essence-1, essence-2/],
      ["a pinned tier", { model: "essence-2-cpu" }, 400, "VALIDATION_ERROR", /essence-1, essence-2/],
      [
        "a retired model",
        { model: "essence-2-light" },
        400,
        "VALIDATION_ERROR",
        /use essence-2 instead.*Accepted: essence-1/,
      ],
      ["an invalid version", { model: "essence", version: "v3" }, 400, "VALIDATION_ERROR", /"v3".*v1, v2/],
      ["a model not offered", { model: "essence-2-quality" }, 400, "MODEL_NOT_OFFERED"],
      ["a long prompt", { prompt: "x".repeat(20_001) }, 400, "VALIDATION_ERROR", /prompt/],
      ["a prompt that is no text", { prompt: 7 }, 400, "VALIDATION_ERROR", /prompt/],
      ["an aspect ratio", { aspect_ratio: "4:3" }, 400, "VALIDATION_ERROR", /aspect_ratio/],
      ["a short code", { agent_id: "ab" }, 400, "VALIDATION_ERROR", /agent_id/],
      ["a path word as code", { agent_id: "status" }, 400, "VALIDATION_ERROR", /agent_id/],
      ["a code with a slash", { agent_id: "a/b/c" }, 400, "VALIDATION_ERROR", /agent_id/],
    ];
    for (const [name, body, status, code, message = /./] of cases) {
      const answer = await api.call("POST", "/v1/agent/generate", { secret, body });
      t.match(
        answer,
        { status, body: { error: { code, httpStatus: status, message }, status: "error", status_code: status } },
        name,
      );
    }
    const json = { "content-type": "application/json" };
    for (const body of ["{", '{"prompt": }', "[]", '"text"', "null"]) {
      const answer = await api.call("POST", "/v1/agent/generate", { secret, body, headers: json });
      t.match(answer.body.error, { code: "VALIDATION_ERROR", httpStatus: 400 }, body);
    }
    t.match(
      (await api.call("GET", "/v1/agent/NOPE", { secret })).body.error.message,
      /^Agent not found for code: NOPE/,
    );
    t.match((await api.call("PATCH", "/v1/agent/NOPE", { secret, body: {} })).status, 404);
    t.equal((await balanceOf(api.services.database, account.userId)).total, 5000);
    t.equal((await api.call("GET", "/v1/agents", { secret })).body.pagination.total, 0);
  });
});

t.test("agents are found by a part of their name or code, with or without deleted ones", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount();
    const { userId } = account;
    for (const [code, name] of [
      ["T1", "Nova Müller"],
      ["T2", "100 %"],
      ["T3", "nova_2"],
    ])
      await addAgent(api.services, { userId, code, name });
    const find = async (query: string) => {
      const { body } = await api.call("GET", `/v1/agents?${query}`, { secret });
      return body.data.map(({ code }: { code: string }) => code).sort();
    };
    t.same(await find("search=NOVA"), ["T1", "T3"]);
    t.same(await find("search=m%C3%BCl"), ["T1"]);
    t.same(await find("search=t2"), ["T2"], "by its code");
    t.same(await find("search=%25"), ["T2"], "no wildcards");
    t.same(await find("search=_"), ["T3"]);
    t.same(await find("search=%5C"), []);
    t.same(await find("search=+"), ["T1", "T2", "T3"], "nothing but spaces");
    await api.call("DELETE", "/v1/agent/T1", { secret });
    t.same(await find("limit=10"), ["T1", "T2", "T3"]);
    t.same(await find("deleted=false"), ["T2", "T3"]);
    t.same(await find("deleted=false&search=nova"), ["T3"]);
    t.equal((await api.call("GET", `/v1/agents?search=${"x".repeat(101)}`, { secret })).status, 400);
  });
});

t.test("a greeting is set, kept when the name changes unless it says the name, and taken away", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount();
    const code = await addAgent(api.services, { userId: account.userId, name: "Nova" });
    const change = async (body: object) => {
      t.equal((await api.call("POST", `/v1/agent/${code}`, { secret, body })).status, 200);
      return (await api.call("GET", `/v1/agent/${code}`, { secret })).body.data.greeting;
    };
    const usual = (await api.call("GET", `/v1/agent/${code}`, { secret })).body.data.greeting;
    t.match(usual, /Nova/, "that of its language");
    t.equal(await change({ greeting: " Welcome aboard. " }), "Welcome aboard.");
    t.equal(await change({ name: "Otto" }), "Welcome aboard.");
    t.equal(await change({ greeting: "I am Otto." }), "I am Otto.");
    t.match(await change({ name: "Nova" }), usual);
    t.equal(await change({ name: "Ida", greeting: "Ida here." }), "Ida here.");
    t.match(await change({ greeting: "" }), /Ida\./);
    const refused = await api.call("POST", `/v1/agent/${code}`, { secret, body: { greeting: "x".repeat(241) } });
    t.equal(refused.status, 400);
  });
});

t.test("one idempotency key creates one agent, even for concurrent requests", async (t) => {
  await withApi(async (api) => {
    const { account, secret } = await api.addAccount({ credits: 1000 });
    const send = (body: object, key = "k-1") =>
      api.call("POST", "/v1/agent/generate", { secret, body, headers: { "idempotency-key": key } });
    const answers = await Promise.all([1, 2, 3].map(() => send({ prompt: "Hi.", model: "expression-1" })));
    const codes = new Set(answers.map(({ body }) => body.agent_id));
    t.equal(codes.size, 1);
    t.equal(answers.filter(({ headers }) => headers.get("idempotency-replayed") === "true").length, 2);
    const reordered = await send({ model: "expression-1", prompt: "Hi." });
    t.equal(reordered.headers.get("idempotency-replayed"), "true");
    t.match((await send({ prompt: "Other." })).body.error, { code: "VALIDATION_ERROR", httpStatus: 409 });
    t.match((await send({ prompt: "x" }, "k".repeat(256))).body.error, { code: "VALIDATION_ERROR", httpStatus: 400 });
    t.equal((await balanceOf(api.services.database, account.userId)).total, 750);
    const [code] = codes;
    const agent = await untilAgent(api, secret, code);
    t.match(agent, { model: "expression-1", supported_models: ["expression-1"], model_url: null });
    t.equal(answers[0].body.warnings, undefined);
  });
});

t.test("plan limits and balances are enforced, and an omitted model gives a warning until its end date", async (t) => {
  await withApi(
    async (api) => {
      const generate = (secret: string, body: object) => api.call("POST", "/v1/agent/generate", { secret, body });
      const poor = await api.addAccount({ credits: 100 });
      t.match((await generate(poor.secret, { model: "essence-2" })).body.error, {
        code: "INSUFFICIENT_BALANCE",
        httpStatus: 402,
        topup_url: /^http/,
      });
      t.equal((await api.call("GET", "/v1/agents", { secret: poor.secret })).body.pagination.total, 0);

      const creator = await api.addAccount({ plan: "creator", credits: 100_000 });
      const rows = Array.from({ length: 7 }, (_, index) => ({
        user_id: creator.account.userId,
        code: `held-${index}`,
        name: "x",
        system_prompt: "x",
        model: "essence-1" as const,
        status: "ready" as const,
        created_at: new Date(),
        updated_at: new Date(),
      }));
      await api.services.database.insertInto("agents").values(rows).execute();
      t.match((await generate(creator.secret, { model: "essence-1" })).body.error, {
        code: "AGENT_LIMIT_REACHED",
        httpStatus: 403,
        message: /7/,
        upgrade_url: /^http/,
      });
      const omitted = await generate(creator.secret, { agent_id: "held-0" });
      t.match(omitted.body, { success: true, agent_id: "held-0", warnings: [{ code: "MODEL_DEFAULT_DEPRECATED" }] });
      t.equal(omitted.headers.get("sunset"), "Sat, 26 Dec 2026 00:00:00 GMT");
      t.equal(omitted.headers.get("deprecation"), `@${Date.parse("2026-09-27T00:00:00Z") / 1000}`, "90 days before");
      const first = await untilAgent(api, creator.secret, "held-0");
      t.match(first, { status: "ready", model: "expression-1" });
      const again = { agent_id: "held-0", model: "expression-1", prompt: "You are Otto.", image: null, video: null };
      const named = await generate(creator.secret, again);
      t.equal(named.status, 200, "null means absent");
      t.equal(named.headers.get("sunset"), null, "nothing ends for a request that names its model");
      t.equal((await fetch(first.image_url)).status, 200, "the old portrait stays until the new one is ready");
      t.match(await untilAgent(api, creator.secret, "held-0"), { status: "ready", name: "Otto" });
      await waitFor(async () => (await fetch(first.image_url)).status === 404, "the removal of the old portrait");
    },
    { environment: { AVATAR_NOW: "2026-12-25T23:00:00Z" } },
  );
  await withApi(
    async (api) => {
      const { secret } = await api.addAccount({ credits: 100 });
      const generate = (body: object) => api.call("POST", "/v1/agent/generate", { secret, body });
      t.match((await generate({ prompt: "Hi." })).body.error, { code: "MISSING_PARAM", httpStatus: 400 });
      t.match((await generate({ model: "essence", version: "v2" })).body.error, { code: "VALIDATION_ERROR" });
    },
    { environment: { AVATAR_NOW: "2026-12-26T00:00:00Z" } },
  );
});

t.test("auto selects essence-2 for a photographed person and expression-2 for anything else", async (t) => {
  await withApi(async (api) => {
    const { secret } = await api.addAccount({ credits: 5000 });
    const generate = async (body: object) => {
      const answer = await api.call("POST", "/v1/agent/generate", { secret, body: { ...body, model: "auto" } });
      return (await api.call("GET", `/v1/agent/${answer.body.agent_id}`, { secret })).body.data.model;
    };
    t.equal(await generate({ image: astronaut.toString("base64") }), "essence-2");
    t.equal(await generate({ image: cartoon.toString("base64") }), "expression-2");
    t.equal(await generate({ image: turned.toString("base64") }), "expression-2", "never refused for its subject");
    t.equal(await generate({ prompt: "You are a librarian." }), "essence-2");
  });
});

async function sideBySide(): Promise<Buffer> {
  const { width, height } = await sharp(astronaut).metadata();
  return sharp({ create: { width: 2 * width, height, channels: 3, background: "#888" } })
    .composite([
      { input: astronaut, left: 0, top: 0 },
      { input: astronaut, left: width, top: 0 },
    ])
    .png()
    .toBuffer();
}

async function shrunk(): Promise<Buffer> {
  return sharp(astronaut).resize(160).extend({ right: 300, bottom: 300, background: "#888" }).png().toBuffer();
}
