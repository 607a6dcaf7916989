import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import sharp from "sharp";
import t from "tap";
import { grantCredits } from "../../../../api/accounts/credits/ledger.ts";
import { deleteAgent } from "../../../../api/agents/delete-agent.ts";
import { giveUpWaiting } from "../../../../api/agents/marks/face-marking.ts";
import { settleOrphans } from "../../../../api/agents/models/add-model.ts";
import { requireModelFile } from "../../../../api/agents/models/model-download.ts";
import { purgeDeletedAgents } from "../../../../api/agents/purge-agents.ts";
import type { Agent } from "../../../../api/agents/record/agent.ts";
import { forkModule } from "../../../helpers/processes/fork-module.ts";
import { type AgentsContext, withAgents } from "../../../helpers/service/with-agents.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const DEADLINE_MS = 240_000;
const astronaut = readFileSync(new URL("../../../fixtures/portraits/astronaut.png", import.meta.url));

async function untilAgent(context: AgentsContext, agent: Agent, isThere: (agent: Agent) => boolean): Promise<Agent> {
  return waitFor(
    async () => {
      const current = await context.load(agent);
      return isThere(current) && current;
    },
    `the agent ${agent.code}`,
    DEADLINE_MS,
  );
}

t.test("an agent is finished and charged once if its process is killed with -9 during the bake", async (t) => {
  const work = async (context: AgentsContext) => {
    const agent = await context.create({ image: astronaut.toString("base64") });
    t.match(agent, { status: "processing", progress: 0 });
    const child = forkModule(new URL("../job-process.ts", import.meta.url), [context.url, context.dataDir]);
    t.teardown(() => child.kill("SIGKILL"));
    const interrupted = await untilAgent(context, agent, ({ progress }) => progress > 0.7);
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
    t.match(interrupted, { status: "generating", currentStep: "lip_sync" });
    t.match(await context.load(agent), { status: "generating", models: [{ state: "pending" }] });
    await context.startJobs();
    const made = await untilAgent(context, agent, ({ status }) => status === "ready" || status === "failed");
    t.match(made, { status: "ready", progress: 1, currentStep: "done", models: [{ state: "ready" }] });
    t.equal(made.portraitKey, agent.portraitKey, "steps that were done are not done again");
    t.equal(await context.balance(), 500);
    t.ok(await context.services.storage.sizeOf(made.models[0].artifactKey ?? ""));
  };
  await withAgents(t, work);
});

t.test(
  "an image from a server that is not reachable is fetched again later; if that fails, too, the agent fails with one refund",
  async (t) => {
    await withAgents(t, async (context) => {
      let isUp = false;
      const server = createServer((_request, response) => {
        if (isUp) response.writeHead(200).end(astronaut);
        else response.writeHead(503).end();
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      t.teardown(() => server.close());
      const image = `http://127.0.0.1:${(server.address() as AddressInfo).port}/face.png`;

      const patient = await context.create({ image });
      await t.rejects(context.runJob(patient, { isLastAttempt: false }), { code: "DOWNLOAD_FAILED" });
      t.match(await context.load(patient), { status: "generating", currentStep: "voice_image", errorMessage: null });
      isUp = true;
      await context.runJob(patient, { isLastAttempt: false });
      t.match(await context.load(patient), { status: "ready", progress: 1, voiceId: /^[MF]\d$/ });
      t.equal(await context.balance(), 500);

      isUp = false;
      const unlucky = await context.create({ image });
      t.equal(await context.balance(), 0);
      await context.runJob(unlucky, { isLastAttempt: true });
      await Promise.all([context.runJob(unlucky, { isLastAttempt: true }), settleOrphans(context.services)]);
      t.match(await context.load(unlucky), {
        status: "failed",
        progress: 0.15,
        errorMessage: /^Failed at voice and portrait: .*503/,
        models: [{ state: "failed" }],
      });
      t.equal(await context.balance(), 500, "given back once");
    });
  },
);

t.test("an unsuitable image fails the agent at once, with a readable reason", async (t) => {
  await withAgents(t, async (context) => {
    const agent = await context.create({ model: "essence-1" });
    await context.services.database
      .updateTable("agents")
      .set({ portrait_key: "portraits/blank.png", progress: 0.2, voice_id: "M1" })
      .execute();
    await context.services.storage.put("portraits/blank.png", Buffer.from("no image"));
    await context.runJob(agent, { isLastAttempt: false });
    t.match(await context.load(agent), { status: "failed", errorMessage: /^Failed at lip sync: .*not a JPEG/ });
    t.equal(await context.balance(), 1000);
  });
});

t.test(
  "jobs that are gone, deleted agents and superseded revisions settle without a second charge or refund",
  async (t) => {
    await withAgents(t, async (context) => {
      const orphan = await context.create();
      const doomed = await context.create({ model: "essence-1" });
      t.equal(await context.balance(), 250);
      await settleOrphans(context.services);
      t.match(await context.load(orphan), { status: "processing" }, "its job still waits");
      await sql`delete from graphile_worker._private_jobs`.execute(context.services.database);
      await deleteAgent(context.services, doomed);
      t.equal(await context.balance(), 500, "an agent deleted before it was made is refunded");
      await Promise.all([settleOrphans(context.services), settleOrphans(context.services)]);
      t.match(await context.load(orphan), { status: "failed", errorMessage: /interrupted too often/ });
      t.equal(await context.balance(), 1000);
      await context.runJob(doomed, { isLastAttempt: true });
      await context.runJob({ ...orphan, revision: 9 }, { isLastAttempt: true });
      t.match(await context.load(doomed), { status: "processing", models: [{ state: "failed" }] });
      t.equal(await context.balance(), 1000);
    });
  },
);

t.test(
  "an agent that waits for marks survives lost jobs, can be regenerated, and fails after a week with one refund",
  async (t) => {
    await withAgents(t, async (context) => {
      const { services, account } = context;
      const { userId } = account;
      const grant = {
        userId,
        pool: "plan",
        amountCredits: 5000,
        reason: "test",
        reference: "more",
        at: new Date(),
      } as const;
      await grantCredits(services.database, grant);
      const blank = await sharp({ create: { width: 400, height: 300, channels: 3, background: "#8899aa" } })
        .png()
        .toBuffer();
      const image = blank.toString("base64");
      const waiting = await context.create({ image, model: "expression-2" });
      t.equal(await context.balance(), 4000);
      await context.runJob(waiting, { isLastAttempt: true });
      const parked = await context.load(waiting);
      t.match(parked, { status: "generating", progress: 0.35, currentStep: "awaiting_face_marking" });
      t.match(parked.portraitSize, { widthPx: 400, heightPx: 300 });
      t.ok(parked.suggestedFaceMarks?.chin, "an average face to start from");
      await sql`delete from graphile_worker._private_jobs`.execute(services.database);
      await settleOrphans(services);
      await giveUpWaiting(services);
      t.match(await context.load(waiting), { status: "generating", models: [{ state: "pending" }] });

      const again = await context.create({ image, model: "expression-2", agentCode: waiting.code });
      t.match(again, {
        id: waiting.id,
        revision: 2,
        status: "processing",
        waitingSince: null,
        suggestedFaceMarks: null,
      });
      t.equal(await context.balance(), 4000, "what was never made was given back, and the new one charged");
      await context.runJob(waiting, { isLastAttempt: true });
      t.match(await context.load(again), { status: "processing" }, "the job of the earlier revision stops");
      await context.runJob(again, { isLastAttempt: true });

      const nextWeek = { ...services, now: () => Date.now() + 7 * 24 * 3_600_000 };
      await Promise.all([giveUpWaiting(nextWeek), giveUpWaiting(nextWeek)]);
      t.match(await context.load(again), {
        status: "failed",
        errorMessage: "Failed at face marking: the face was not marked within seven days",
        waitingSince: null,
        models: [{ state: "failed" }],
      });
      t.equal(await context.balance(), 6000);

      await deleteAgent(services, await context.load(again));
      await purgeDeletedAgents({ ...services, now: () => Date.now() + 29 * 24 * 3_600_000 });
      t.match(await context.load(again), { purgedAt: null, prompt: "You are Nova." });
      await purgeDeletedAgents({ ...services, now: () => Date.now() + 31 * 24 * 3_600_000 });
      const purged = await context.load(again);
      t.match(purged, {
        name: "",
        prompt: "",
        systemPrompt: "",
        greeting: "",
        portraitKey: null,
        code: waiting.code,
        suggestedFaceMarks: null,
      });
      t.throws(() => requireModelFile(purged, "expression-2", services.offeredModels), { code: "AGENT_PURGED" });
    });
  },
);

t.test("a shutdown during a bake is not a failure, even at the last attempt", async (t) => {
  const work = async (context: AgentsContext) => {
    const agent = await context.create();
    const stopping = new AbortController();
    const run = context.runJob(agent, { isLastAttempt: true, signal: stopping.signal });
    const outcome = t.rejects(run, /restarting/);
    await untilAgent(context, agent, ({ progress }) => progress >= 0.7);
    stopping.abort();
    await context.services.baker.close();
    await outcome;
    t.match(await context.load(agent), { status: "generating", models: [{ state: "pending" }] });
    t.equal(await context.balance(), 500);
  };
  await withAgents(t, work, { baker: "real" });
});
