import { readFileSync } from "node:fs";
import { sql } from "kysely";
import t from "tap";
import { viewAgent } from "../../../../api/agents/agent-views.ts";
import { deleteAgent } from "../../../../api/agents/delete-agent.ts";
import { addModel, addModelJob, settleOrphans } from "../../../../api/agents/models/add-model.ts";
import { orderLightModel } from "../../../../api/agents/models/light-model.ts";
import { requireModelFile } from "../../../../api/agents/models/model-download.ts";
import { type Agent, artifactFor, generatedModels, supportedModels } from "../../../../api/agents/record/agent.ts";
import { updateAgent } from "../../../../api/agents/record/agent-store.ts";
import { restoreWorkingAgents } from "../../../../api/agents/restore-working-agents.ts";
import { chooseModel } from "../../../../api/sessions/launch/launch-model.ts";
import { ServiceError } from "../../../../shared/errors.ts";
import { type AgentsContext, withAgents } from "../../../helpers/service/with-agents.ts";

const astronaut = readFileSync(new URL("../../../fixtures/portraits/astronaut.png", import.meta.url));
const image = astronaut.toString("base64");

/** A ready essence-2 agent, and what its owner sees of it. */
async function makeReady(context: AgentsContext) {
  const agent = await context.create({ image, agentCode: "nova" });
  await context.runJob(agent);
  const ready = await context.load(agent);
  const { supported_models, model_url, image_url, voice_id } = viewAgent(ready, context.services);
  return { ready, seen: { supported_models, voice_id, image_url, model_url: model_url?.split("?")[0] } };
}

/** What must stay when a regeneration fails. */
function workOf({ portraitKey, voiceId, name, systemPrompt, model, faceMarks, portraitSize }: Agent) {
  return { portraitKey, voiceId, name, systemPrompt, model, faceMarks, portraitSize };
}

async function hasFiles({ services }: AgentsContext, keys: (string | null)[]): Promise<boolean[]> {
  return Promise.all(keys.map(async (key) => (await services.storage.sizeOf(key ?? "")) !== null));
}

/** The reasons of the `agent.failed` events that are published from now on. */
function recordFailures({ services }: AgentsContext): string[] {
  const reasons: string[] = [];
  services.events.on("agent.failed", async (_transaction, { error }) => void reasons.push(error));
  return reasons;
}

t.test("a failed regeneration keeps the working agent, and the status gives the reason", async (t) => {
  await withAgents(t, async (context) => {
    const { ready, seen } = await makeReady(context);
    const failures = recordFailures(context);
    const keys = [ready.portraitKey, ready.models[0].artifactKey];
    const again = await context.create({ image, agentCode: "nova", model: "essence-1", prompt: "You are Ada." });
    t.match(again, { status: "processing", progress: 0, revision: 2, name: ready.name, model: "essence-2" });
    t.match(viewAgent(again, context.services), {
      model_status: { "essence-1": { state: "pending" }, "essence-2": { state: "ready" } },
      supported_models: seen.supported_models,
    });
    const draftPortrait = again.draft?.portraitKey ?? null;
    context.services.baker.bake = () => Promise.reject(new ServiceError("IMAGE_FACE_UNSUITABLE", "No."));
    await context.runJob(again);
    const failed = await context.load(again);
    const reason = "Failed at lip sync: No.";
    t.match(failed, { ...workOf(ready), status: "ready", progress: 1, currentStep: "done", draft: null });
    t.match(
      failed.models.find(({ family }) => family === "essence-2"),
      ready.models[0],
    );
    const view = viewAgent(failed, context.services);
    t.match({ ...view, model_url: view.model_url?.split("?")[0] }, seen);
    t.match(view, { error_message: null, event_type: "agent_failed", progress_msg: `Ready, as before. ${reason}` });
    t.same(view.model_status, {
      "essence-1": { state: "failed", reason },
      "essence-2": { state: "ready", reason: null },
    });
    t.same(failures, [reason]);
    t.same(await hasFiles(context, [...keys, draftPortrait]), [true, true, false], "only the new files are gone");
    t.equal(await context.balance(), 500);
  });
});

t.test(
  "a working model that could not be made again stays ready, with the reason until the next attempt",
  async (t) => {
    await withAgents(t, async (context) => {
      await makeReady(context);
      const { bake } = context.services.baker;
      const regenerate = () => context.create({ image, agentCode: "nova" });
      context.services.baker.bake = () => Promise.reject(new ServiceError("IMAGE_FACE_UNSUITABLE", "No."));
      await context.runJob(await regenerate());
      const statusOf = async () => viewAgent(await context.load({ code: "nova" }), context.services);
      t.match(await statusOf(), {
        status: "ready",
        model_status: { "essence-2": { state: "ready", reason: "Failed at lip sync: No." } },
      });
      const added = { account: context.account, secretId: null, agent: await context.load({ code: "nova" }) };
      t.match(await addModel(context.services, { ...added, family: "expression-1" }), { status: "ready" });
      context.services.baker.bake = bake;
      await context.runJob(await context.create({ agentCode: "nova", model: "essence-1" }));
      t.same((await statusOf()).model_status, { "essence-1": { state: "ready", reason: null } });
    });
  },
);

t.test("a working agent that an earlier version left as failed becomes ready", async (t) => {
  await withAgents(t, async (context) => {
    const { database } = context.services;
    const { ready } = await makeReady(context);
    const broken = await context.create({ agentCode: "broken", image });
    context.services.baker.bake = () => Promise.reject(new ServiceError("IMAGE_FACE_UNSUITABLE", "No."));
    await context.runJob(broken);
    const earlier = { status: "failed", errorMessage: "Failed at lip sync: No.", progress: 0.7 } as const;
    await updateAgent(database, ready.id, { ...earlier, currentStep: "lip_sync" }, new Date());
    for (const time of ["once", "again"]) {
      await restoreWorkingAgents(database);
      const view = viewAgent(await context.load(ready), context.services);
      t.match(view, { status: "ready", progress: 1, current_step: "done", error_message: null }, time);
      t.match(view.progress_msg, /^Ready, as before\. Failed at lip sync/);
      t.same(view.model_status["essence-2"], { state: "ready", reason: earlier.errorMessage });
    }
    t.match(await context.load(broken), { status: "failed", errorMessage: /No\./ }, "one without a model stays failed");
  });
});

t.test("a successful regeneration replaces the earlier agent and removes its files", async (t) => {
  await withAgents(t, async (context) => {
    const { ready } = await makeReady(context);
    const again = await context.create({ agentCode: "nova", model: "expression-1", prompt: "You are Milo." });
    t.equal(again.portraitKey, ready.portraitKey);
    await context.runJob(again);
    const made = await context.load(again);
    t.match(made, { status: "ready", progress: 1, name: "Milo", model: "expression-1", draft: null, draftModels: [] });
    t.same(supportedModels(made, []), ["expression-1"]);
    t.same(await hasFiles(context, [ready.portraitKey, ready.models[0].artifactKey]), [false, false]);
    t.same(await hasFiles(context, [made.portraitKey, made.models[0].artifactKey]), [true, true]);
    t.equal(await context.balance(), 250);
  });
});

t.test("a regeneration is refunded once if its process dies or the agent is deleted meanwhile", async (t) => {
  await withAgents(t, async (context) => {
    const { ready } = await makeReady(context);
    const lost = await context.create({ image, agentCode: "nova", model: "essence-1" });
    t.equal(await context.balance(), 250);
    await sql`delete from graphile_worker._private_jobs`.execute(context.services.database);
    await Promise.all([settleOrphans(context.services), settleOrphans(context.services)]);
    t.match(await context.load(lost), { status: "ready", portraitKey: ready.portraitKey, draft: null });
    t.equal(await context.balance(), 500);
    const next = await context.create({ image, agentCode: "nova", model: "essence-1" });
    t.ok(generatedModels(next).includes("essence-2"), "an agent that works is kept again");
    await deleteAgent(context.services, next);
    t.equal(await context.balance(), 500);
    const keys = [ready.portraitKey, ready.models[0].artifactKey, next.draft?.portraitKey ?? null];
    t.same(await hasFiles(context, keys), [false, false, false]);
  });
});

t.test(
  "a third concurrent essence-2 creation is refused on every plan and does not change a ready agent",
  async (t) => {
    const work = async (context: AgentsContext) => {
      const { ready } = await makeReady(context);
      const failures = recordFailures(context);
      await context.grant(1000);
      for (const agentCode of ["busy-1", "busy-2"]) await context.create({ agentCode });
      const refused = await context.create({ image, agentCode: "nova", prompt: "You are Ada." });
      t.match(refused, {
        ...workOf(ready),
        models: [{ ...ready.models[0], reason: /2 essence-2 agents are being made/ }],
        status: "ready",
        progress: 1,
        errorMessage: null,
        progressMessage: /^Ready, as before\. Not started: 2 essence-2 agents/,
      });
      t.match(failures, [/Nothing was charged/]);
      t.same(await hasFiles(context, [ready.portraitKey, ready.models[0].artifactKey]), [true, true]);
      t.match(await context.create({ agentCode: "third" }), { status: "failed", models: [] });
      const other = await context.create({ agentCode: "other", model: "essence-1" });
      await context.runJob(other);
      const added = viewAgent(await context.create({ agentCode: "other" }), context.services);
      t.match(added, {
        status: "ready",
        supported_models: ["essence-1", "expression-1"],
        model_status: {
          "essence-1": { state: "ready", reason: null },
          "essence-2": { state: "failed", reason: /2 ess/ },
        },
      });
      t.equal(await context.balance(), 250, "nothing is charged for a refused one");
    };
    await withAgents(t, work, { plan: "custom" });
  },
);

t.test("an essence-2 agent comes with essence-2-light, which is baked at its first download", async (t) => {
  await withAgents(t, async (context) => {
    const { services, account } = context;
    const { ready } = await makeReady(context);
    t.same(supportedModels(ready, []), ["essence-2", "essence-2-light", "expression-1"]);
    t.equal(chooseModel(ready, "essence-2-light", services.offeredModels).family, "essence-2-light");
    t.equal(artifactFor(ready, "essence-2-light")?.key, ready.models[0].artifactKey, "until it has a file of its own");
    t.throws(() => requireModelFile(ready, "essence-2-light", []), { code: "MODEL_ARTIFACT_NOT_READY" });
    await Promise.all([
      orderLightModel(services.database, ready, new Date(services.now())),
      orderLightModel(services.database, ready, new Date(services.now())),
    ]);
    t.match((await context.load(ready)).models[1], { family: "essence-2-light", state: "pending", credits: 0 });
    const payload = { agentId: ready.id, revision: ready.revision, family: "essence-2-light" };
    const signal = new AbortController().signal;
    await addModelJob(services).run(payload, { attempt: 1, isLastAttempt: true, signal });
    const made = await context.load(ready);
    t.match(requireModelFile(made, "essence-2-light", []), { filename: "nova.lebundle.imx" });
    t.not(artifactFor(made, "essence-2-light")?.key, artifactFor(made, "essence-2")?.key);
    await orderLightModel(services.database, made, new Date(services.now()));
    t.equal((await context.load(made)).models[1].state, "ready", "once");
    t.equal(await context.balance(), 500);
    await t.rejects(context.create({ account, model: "essence-2-light" }), { code: "VALIDATION_ERROR" });
  });
});
