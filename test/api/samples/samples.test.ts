// Access without an API secret: sample avatars, and an agent's file and marks with a token.
import t from "tap";
import { openGallery } from "../../../api/agents/portraits/gallery.ts";
import { findAgentByCode, updateAgent } from "../../../api/agents/record/agent-store.ts";
import { bakeSampleJob, createSamplesRecovery, sampleKey } from "../../../api/samples/sample-avatars.ts";
import { findAvatarSession } from "../../../api/sessions/record/avatar-session-store.ts";
import { describeJob, modelKeyOf } from "../../../api/sessions/runtime/job-description.ts";
import { averageMarks } from "../../../src/face/portrait/face-marks.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { type TestApi, withApi } from "../../helpers/service/with-api.ts";
import { withSessions } from "../../helpers/service/with-sessions.ts";

/** No job runs: the bake of a sample stays in its queue. */
const REQUESTS_ONLY = { background: false };

const showcaseOf = async (api: TestApi) => (await api.call("GET", "/v1/models/showcase")).body;
const jobsOf = async ({ services }: TestApi) => {
  const jobs = await services.pool.query(
    "select key, run_at > now() as is_later from graphile_worker.jobs where key like 'samples/%' order by key",
  );
  return jobs.rows;
};

t.test("every sample is baked after the start, and is listed once everyone can download it", async (t) => {
  await withApi(async (api) => {
    const { entries } = await openGallery();
    t.ok(entries.length >= 12);
    const recover = createSamplesRecovery(api.agents);
    await recover();
    const keys = entries.map(sampleKey).sort();
    t.same(
      await jobsOf(api),
      keys.map((key) => ({ key, is_later: true })),
      "not while the service starts",
    );
    t.same((await showcaseOf(api)).models, [], "none is there yet");
    const isNow = (await jobsOf(api)).filter(({ is_later }) => !is_later);
    t.match(isNow, [{ key: sampleKey(entries[0]) }], "the first is made for the one who looks");
    const job = bakeSampleJob(api.agents);
    const context = { attempt: 1, isLastAttempt: true, signal: new AbortController().signal };
    for (const { id } of entries) await job.run({ id }, context);
    const { models } = await showcaseOf(api);
    t.same(
      models.map(({ slug }: { slug: string }) => slug),
      entries.map(({ id }) => id),
    );
    for (const { url, size } of models) {
      const first = await fetch(url);
      t.equal(first.status, 200, url);
      t.equal((await first.arrayBuffer()).byteLength, size);
    }
    await api.services.pool.query("delete from graphile_worker._private_jobs");
    await recover();
    t.same(await jobsOf(api), [], "once");
  }, REQUESTS_ONLY);
});

t.test("a sample that is not listed yet is baked at once when its download is requested", async (t) => {
  await withApi(async (api) => {
    const { entries } = await openGallery();
    const showcase = () => showcaseOf(api);
    const code = `sample-${entries[0].id}`;
    const download = (query = "") => api.call("GET", `/v1/agent/${code}/model/download${query}`);
    await createSamplesRecovery(api.agents)();
    const early = await download();
    t.match(early.body.error, { code: "MODEL_ARTIFACT_NOT_READY", httpStatus: 404 });
    t.ok(Number(early.headers.get("retry-after")) > 0);
    const isNow = (await jobsOf(api)).filter(({ is_later }) => !is_later);
    t.match(isNow, [{ key: sampleKey(entries[0]) }], "its bake is queued first");

    await api.services.storage.put(sampleKey(entries[0]), Buffer.from("the sample's file"));
    const listed = await showcase();
    t.match(listed, { version: 2, updated: /^\d{4}-\d\d-\d\d$/ });
    const [first] = listed.models;
    t.match(first, { slug: entries[0].id, model: "expression-2", agent_code: code, size: 17 });
    t.equal(first.url, `${api.baseUrl}/v1/agent/${code}/model/download`);
    const redirect = await download();
    t.equal(redirect.status, 302);
    t.equal(await (await fetch(redirect.headers.get("location") ?? "")).text(), "the sample's file");
    t.match((await download("?redirect=no&model=expression-2-cpu")).body, {
      success: true,
      data: {
        code: first.agent_code,
        model: "expression-2",
        filename: `${first.agent_code}.avatar`,
        expires_in: 3600,
      },
    });
    t.match((await download("?model=essence-2")).body.error, { code: "MODEL_NOT_GENERATED", httpStatus: 409 });
    t.match((await download("?model=nonsense")).body.error, { code: "VALIDATION_ERROR" });
    t.match((await api.call("GET", "/v1/agent/sample-nobody/model/download")).body.error, {
      code: "NOT_FOUND",
      message: /^Agent not found for code: sample-nobody/,
    });
    const { secret } = await api.addAccount({ credits: 5000 });
    const taken = { agent_id: "sample-mine", model: "expression-1" };
    t.match((await api.call("POST", "/v1/agent/generate", { secret, body: taken })).body.error, {
      code: "VALIDATION_ERROR",
    });
  }, REQUESTS_ONLY);
});

t.test("an essence-2 file is served only to its owner and to a token minted for it", async (t) => {
  await withApi(async (api) => {
    const { account, secret } = await api.addAccount();
    const other = await api.addAccount();
    const code = await addAgent(api.services, { userId: account.userId });
    const drawn = await addAgent(api.services, { userId: account.userId, families: ["expression-2"] });
    const fetchFile = (agentCode: string, options: object) =>
      api.call("GET", `/v1/agent/${agentCode}/self-hosted-avatar`, options);
    const own = await fetchFile(code, { secret });
    t.equal(own.body, `essence-2 of ${code}`);
    t.match(own.headers.get("content-disposition"), `attachment; filename="${code}.imx"`);
    const minted = await api.call("POST", "/v1/runtime-tokens/mint", { secret, body: { agent_code: code } });
    t.equal((await fetchFile(code, { bearer: minted.body.token })).body, `essence-2 of ${code}`);
    t.equal(
      (await fetchFile(code, { bearer: secret })).body,
      `essence-2 of ${code}`,
      "a container has the secret only",
    );
    t.match((await fetchFile(code, { bearer: other.secret })).body.error, { code: "NOT_FOUND" });
    t.match((await fetchFile(code, { bearer: "wrong" })).body.error, { code: "UNAUTHORIZED", httpStatus: 401 });
    t.match((await fetchFile(code, { bearer: "eyJ9.wrong.wrong" })).body.error, { code: "UNAUTHORIZED" });
    t.match((await api.call("GET", `/v1/agent/${code}/model/download`, { bearer: secret })).body.error, {
      code: "UNAUTHORIZED",
    });
    t.same((await api.call("POST", "/v1/validate", { bearer: secret })).body, { valid: false });
    t.match((await fetchFile(drawn, { bearer: minted.body.token })).body.error, { code: "NOT_FOUND", httpStatus: 404 });
    t.match((await fetchFile(code, { secret: other.secret })).body.error, { code: "NOT_FOUND" });
    t.match((await fetchFile(code, {})).body.error, { code: "MISSING_AUTH", httpStatus: 401 });
    t.match((await fetchFile(drawn, { secret })).body.error, { code: "NOT_FOUND", httpStatus: 404 });
  });
});

t.test("a marking link opens only its agent, in its current revision", async (t) => {
  await withApi(async (api) => {
    const { database } = api.services;
    const { account, secret } = await api.addAccount();
    const [code, other] = await Promise.all([1, 2].map(() => addAgent(api.services, { userId: account.userId })));
    const agent = await findAgentByCode(database, code);
    if (!agent) throw new Error("it was just added");
    const size = { widthPx: 600, heightPx: 600 };
    const now = new Date();
    const waiting = { portraitSize: size, waitingSince: now, suggestedFaceMarks: averageMarks(size) };
    await updateAgent(database, agent.id, waiting, now);
    t.match((await api.call("GET", `/v1/agent/${other}/face-marks`, { secret })).body.error, {
      code: "MODEL_PREREQUISITE_MISSING",
    });
    const { data } = (await api.call("GET", `/v1/agent/${code}/face-marks`, { secret })).body;
    const link = new URL(data.marking_url);
    t.equal(`${link.origin}${link.pathname}`, `${api.baseUrl}/mark/${code}`);
    const bearer = link.hash.slice(1);
    const look = (agentCode: string, token: string) => api.call("GET", `/mark/${agentCode}/marks`, { bearer: token });
    t.match((await look(code, bearer)).body, { agent_id: code, is_waiting: true, marks: { chin: { x: 299.5 } } });
    for (const [agentCode, token] of [
      [other, bearer],
      [code, "9999999999.forged"],
      [code, `9999999999.${bearer.split(".")[1]}`],
      ["nobody", bearer],
    ]) {
      t.match((await look(agentCode, token)).body.error, { code: "FORBIDDEN", httpStatus: 403 });
    }
    t.match((await api.call("GET", `/mark/${code}/marks`)).body.error, { code: "FORBIDDEN" });
    // Marks as they were suggested are refused.
    const marks = { ...data.marks, chin: { x: 300, y: 455 } };
    const placed = await api.call("PUT", `/mark/${code}/marks`, { bearer, body: { marks } });
    t.same(placed.body, { success: true });
    t.match(await findAgentByCode(database, code), { waitingSince: null, faceMarks: marks });
    await database.updateTable("agents").set({ revision: 2 }).where("id", "=", agent.id).execute();
    t.match((await look(code, bearer)).body.error, { code: "FORBIDDEN" }, "made anew, the old link is void");
  });
});

t.test("links in error answers lead to a page", async (t) => {
  await withApi(async (api) => {
    const { secret } = await api.addAccount({ credits: 1 });
    const body = { model: "essence-2", prompt: "Hi." };
    const { error } = (await api.call("POST", "/v1/agent/generate", { secret, body })).body;
    t.equal(error.code, "INSUFFICIENT_BALANCE");
    const page = await fetch(error.topup_url);
    // A checkout without built pages says that, and nothing else.
    if (page.status === 503) t.match(await page.text(), /pages are not built/);
    else t.match(await page.text(), /Plan and credits/);
    t.match(page.status, /200|503/);
  });
});

t.test("every account can launch a sample; one that is not made yet is made at once", async (t) => {
  await withSessions({}, async ({ api, launch, launchBody }) => {
    const [entry] = (await openGallery()).entries;
    const agent_id = `sample-${entry.id}`;
    const early = await launch("samples-early", { agent_id });
    t.match(early.body.error, { code: "SERVICE_UNAVAILABLE", httpStatus: 503 });
    t.ok(Number(early.headers.get("retry-after")) > 0);
    const isNow = (await jobsOf(api)).filter(({ is_later }) => !is_later);
    t.match(isNow, [{ key: sampleKey(entry) }], "its bake is queued first");

    await api.services.storage.put(sampleKey(entry), Buffer.from("the sample's file"));
    const launched = await launch("samples", { agent_id });
    t.match(launched.body, { model: "expression-2", agent_id, status: "starting" });
    const session = await findAvatarSession(api.services.database, launched.body.session_id);
    const options = { services: api.services, livekitToken: "token", heartbeatIntervalS: 2 };
    const job = await describeJob({ ...options, session: session! });
    t.match(job, { agent_name: entry.name, voice_id: entry.voice, portrait_url: null, providers: null });
    t.equal(await modelKeyOf(api.services, session!), sampleKey(entry));
    const unknown = await launch("samples", { agent_id: "sample-unknown" });
    t.match(unknown.body.error, { code: "NOT_FOUND" });
    const other = await launch("samples", { ...(await launchBody("samples")), agent_id, model: "essence-2" });
    t.match(other.body.error, { code: "MODEL_NOT_GENERATED" });
  });
});
