// Models that an earlier generator made are baked again in the background.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { sql } from "kysely";
import t from "tap";
import { deleteAgent } from "../../../../api/agents/delete-agent.ts";
import { findBakeSource } from "../../../../api/agents/models/bake-model.ts";
import { orderLightModel } from "../../../../api/agents/models/light-model.ts";
import { enqueueRebakes, rebakeJob } from "../../../../api/agents/models/rebake-job.ts";
import {
  claimOutdatedModel,
  countOutdatedModels,
  REBAKE_RETRY_MS,
} from "../../../../api/agents/models/rebake-store.ts";
import { deleteReplacedFiles } from "../../../../api/agents/models/replaced-files.ts";
import type { Agent } from "../../../../api/agents/record/agent.ts";
import type { Database } from "../../../../api/kernel/database/database.ts";
import { ServiceError } from "../../../../shared/errors.ts";
import { readImx } from "../../../../src/face/imx/read-imx.ts";
import { marksOfMesh } from "../../../../src/face/portrait/face-marks.ts";
import { RIG_GENERATOR_VERSION } from "../../../../src/face/rig/bake-portrait.ts";
import { sharedPortraits } from "../../../helpers/faces/shared-portraits.ts";
import { untilAgent } from "../../../helpers/service/until-agent.ts";
import { type AgentsContext, withAgents } from "../../../helpers/service/with-agents.ts";
import { withApi } from "../../../helpers/service/with-api.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/portraits/${name}`, import.meta.url));
const astronaut = fixture("astronaut.png");
const HOUR_MS = 3_600_000;
const DEADLINE_MS = 120_000;

/** Makes all models, or those of one agent, look as if another version had made them. */
async function setVersion(database: Database, version: string | null, agent?: Agent): Promise<void> {
  let models = database.updateTable("agent_models").set({ generator_version: version });
  if (agent) models = models.where("agent_id", "=", agent.id);
  await models.execute();
}

const modelsOf = (database: Database) => database.selectFrom("agent_models").selectAll().orderBy("family").execute();

/** A ready essence-2 agent of an earlier version. */
async function makeOutdated(context: AgentsContext, request: Parameters<AgentsContext["create"]>[0] = {}) {
  const agent = await context.create({ image: astronaut.toString("base64"), ...request });
  await context.runJob(agent);
  // The job ran here; its entry in the queue would count as one that waits.
  await sql`delete from graphile_worker._private_jobs`.execute(context.services.database);
  await setVersion(context.services.database, "1.3.0", agent);
  return context.load(agent);
}

const runRebakes = ({ services }: AgentsContext, signal = new AbortController().signal) =>
  rebakeJob(services).run({}, { attempt: 1, isLastAttempt: false, signal });

t.test(
  "an agent of an earlier version gets a new file; all else stays, and the earlier file for a while",
  async (t) => {
    await withApi(async (api) => {
      const { services, agents } = api;
      const { database, storage, pool } = services;
      const { secret } = await api.addAccount({ credits: 1000 });
      const body = {
        prompt: "You are Nova.",
        image: astronaut.toString("base64"),
        model: "essence-2",
        agent_id: "nova",
      };
      await api.call("POST", "/v1/agent/generate", { secret, body: { ...body, aspect_ratio: "1:1" } });
      const { model_url: url, poster_url: _poster, ...seen } = await untilAgent(api, secret, "nova");
      const [made] = await modelsOf(database);
      t.equal(made.generator_version, RIG_GENERATOR_VERSION, "the bake records its version");
      t.equal(await countOutdatedModels(database), 0);
      const balance = async () => (await api.call("GET", "/v1/credits", { secret })).body;
      const credits = await balance();
      let announced = 0;
      services.events.on("agent.ready", async () => void announced++);

      await setVersion(database, null);
      agents.baker = sharedPortraits().baker;
      t.equal(await enqueueRebakes(agents), 1);
      await enqueueRebakes(agents);
      const { rowCount } = await pool.query("update graphile_worker._private_jobs set run_at = now() where key = $1", [
        "rebake-models",
      ]);
      t.equal(rowCount, 1, "one job");
      const [remade] = await waitFor(
        async () => {
          const models = await modelsOf(database);
          return models[0].generator_version !== null && models;
        },
        "the rebake",
        DEADLINE_MS,
      );

      const { model_url: newUrl, poster_url: _newPoster, ...now } = await untilAgent(api, secret, "nova");
      t.same(now, seen, "updated_at, progress and links of the portrait included");
      t.same(await balance(), credits);
      t.equal(announced, 0);
      t.not(newUrl.split("?")[0], url.split("?")[0]);
      const bytes = await storage.readAll(remade.artifact_key ?? "");
      t.equal(bytes.length, remade.artifact_bytes);
      t.equal(createHash("sha256").update(bytes).digest("hex"), remade.artifact_sha256);
      const { manifest } = await readImx(bytes);
      t.match(manifest, { family: "essence-2", generator: { version: RIG_GENERATOR_VERSION } });
      t.match(manifest.canvas, { widthPx: 512, heightPx: 512 });
      const rest = { artifact_key: "", artifact_sha256: "", artifact_bytes: 0 };
      const rebake = { rebake_version: null, rebake_attempts: 0, rebake_tried_at: null };
      t.match({ ...remade, ...rest, ...rebake, replaced_key: null, replaced_at: null }, { ...made, ...rest });
      t.match((await api.call("GET", "/metrics")).body, /avatar_rebakes_total{result="baked"} 1\n/);
      t.match((await api.call("GET", "/metrics")).body, /avatar_rebakes_left [01]\n/);

      const early = await fetch(url);
      t.equal(early.status, 200, "who has the earlier link still gets the file");
      t.equal(Buffer.from(await early.arrayBuffer()).length, made.artifact_bytes);
      await deleteReplacedFiles(agents);
      api.clock.hold();
      api.clock.advance(3 * HOUR_MS);
      t.ok(await storage.sizeOf(made.artifact_key ?? ""));
      await deleteReplacedFiles(agents);
      t.equal(await storage.sizeOf(made.artifact_key ?? ""), null);
      t.ok(await storage.sizeOf(remade.artifact_key ?? ""));
      t.match(await modelsOf(database), [{ replaced_key: null, replaced_at: null }]);
    });
  },
);

t.test("only models of earlier versions are baked again, and only while no creation waits", async (t) => {
  await withAgents(t, async (context) => {
    const { services, grant } = context;
    const { database, gallery } = services;
    await grant(2000);
    const demo = await makeOutdated(context, { image: undefined, agentCode: "demo" });
    await orderLightModel(services.database, demo, new Date(services.now()));
    await sql`delete from graphile_worker._private_jobs`.execute(database);
    await sql`update agent_models set state = 'ready', artifact_key = 'models/light.imx' where state = 'pending'`.execute(
      database,
    );
    const newer = await makeOutdated(context, { agentCode: "newer" });
    await setVersion(database, "99.0.0", newer);
    await setVersion(database, "1.10.0", demo);
    t.equal(await countOutdatedModels(database), 0, "1.10.0 is later than 1.4.0");
    await setVersion(database, null, demo);
    t.equal(await countOutdatedModels(database), 2);

    services.isRebaking = false;
    await enqueueRebakes(services);
    await runRebakes(context);
    t.equal(await countOutdatedModels(database), 2, "switched off");
    const jobs = await sql`select from graphile_worker.jobs`.execute(database);
    t.equal(jobs.rows.length, 0);
    services.isRebaking = true;

    const waiting = await context.create({ agentCode: "waiting" });
    await runRebakes(context);
    t.equal(await countOutdatedModels(database), 2, "the creation that came first goes first");
    await sql`delete from graphile_worker._private_jobs`.execute(database);

    const baked: string[] = [];
    const { bake } = services.baker;
    services.baker.bake = async (task, onProgress) => {
      baked.push(task.family);
      const result = await bake(task, onProgress);
      if (baked.length === 1) await context.create({ agentCode: "meanwhile" });
      const { points } = await gallery.load(demo.galleryId ?? "");
      t.same(task.points, points, "the points of the gallery");
      return result;
    };
    await runRebakes(context);
    t.same(baked, ["essence-2"], "a creation that comes meanwhile waits for one bake at most");
    await sql`delete from graphile_worker._private_jobs`.execute(database);
    await runRebakes(context);
    t.same(baked, ["essence-2", "essence-2-light"]);
    t.equal(await countOutdatedModels(database), 0);
    t.match(await context.load(newer), { models: [{ artifactKey: newer.models[0].artifactKey }] });
    t.match(await context.load(waiting), { models: [{ state: "pending" }] });

    const portrait = await services.storage.readAll(demo.portraitKey ?? "");
    const left = await findBakeSource({ ...services, gallery: { ...gallery, entries: [] } }, demo);
    t.ok(
      !("bytes" in left) || Buffer.from(left.bytes).equals(portrait),
      "a portrait that has left the gallery is in storage",
    );

    const [rebaked] = (await context.load(demo)).models;
    t.equal(rebaked.replacedKey, demo.models[0].artifactKey);
    const keys = [rebaked.replacedKey ?? "", rebaked.artifactKey ?? ""];
    const sizes = () => Promise.all(keys.map((key) => services.storage.sizeOf(key)));
    t.notOk((await sizes()).includes(null));
    await deleteAgent(services, demo);
    t.same(await sizes(), [null, null], "a deleted agent's replaced file goes with it");
  });
});

t.test("a model that this version refuses keeps its file, and is tried again by the next version", async (t) => {
  await withAgents(t, async (context) => {
    const { services } = context;
    const agent = await makeOutdated(context);
    const [before] = await modelsOf(services.database);
    const results: string[] = [];
    services.countRebake = (result) => results.push(result);
    await services.storage.put(agent.portraitKey ?? "", fixture("turned.jpg"));
    await runRebakes(context);
    await runRebakes(context);
    t.same(results, ["refused"], "once");
    t.match(await context.load(agent), agent);
    t.match(await modelsOf(services.database), [{ artifact_key: before.artifact_key, generator_version: "1.3.0" }]);
    t.equal(await countOutdatedModels(services.database), 0);

    await services.database.updateTable("agent_models").set({ rebake_version: "99.0.0" }).execute();
    t.equal(await countOutdatedModels(services.database), 0, "a later version refused it");
    await services.database.updateTable("agent_models").set({ rebake_version: "1.3.9" }).execute();
    const located = await services.baker.locate({ bytes: astronaut });
    if (!located.isSure) throw new Error("the photograph of the fixtures has a clear face");
    const marks = marksOfMesh(located.points);
    await services.database
      .updateTable("agents")
      .set({ face_marks: JSON.stringify(marks) })
      .execute();
    await runRebakes(context);
    t.same(results, ["refused", "baked"], "a person's marks are used");
  });
});

t.test("an attempt that fails or is cut short is repeated later, three times at most", async (t) => {
  await withAgents(t, async (context) => {
    const { services } = context;
    const { database, baker } = services;
    const agent = await makeOutdated(context);
    const results: string[] = [];
    services.countRebake = (result) => results.push(result);
    let aheadMs = 0;
    services.now = () => Date.now() + aheadMs;
    const { bake } = baker;

    const stopping = new AbortController();
    baker.bake = async () => {
      stopping.abort();
      throw new ServiceError("SERVICE_UNAVAILABLE", "The service is restarting.");
    };
    await runRebakes(context, stopping.signal);
    t.match(await modelsOf(database), [{ rebake_attempts: 0 }], "the end of the process does not count");

    const claim = await claimOutdatedModel(database, { now: new Date(services.now()), paused: [] });
    t.match(claim, { family: "essence-2", attempt: 1 }, "its process dies with this one");
    await runRebakes(context);
    t.same(results, [], "not at once");
    for (const result of ["failed", "failed", "none"]) {
      aheadMs += REBAKE_RETRY_MS + 1000;
      baker.bake = () => Promise.reject(new ServiceError("SERVICE_UNAVAILABLE", "The process ended unexpectedly."));
      await runRebakes(context);
      t.equal(results.length === 2 && result === "none" ? "none" : results.at(-1), result);
    }
    t.equal(await countOutdatedModels(database), 0);
    t.match(await context.load(agent), agent);

    await database.updateTable("agent_models").set({ rebake_version: null }).execute();
    baker.bake = async (...task) => {
      const result = await bake(...task);
      await deleteAgent(services, agent);
      return result;
    };
    await runRebakes(context);
    t.equal(results.at(-1), "superseded");
    const key = `models/${agent.id}-${agent.revision}-essence-2-${RIG_GENERATOR_VERSION}.imx`;
    t.equal(await services.storage.sizeOf(key), null, "nothing is left of an agent that was deleted meanwhile");
  });
});
