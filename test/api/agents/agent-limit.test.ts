// The plan's limit of agents, under any sequence of requests and outcomes.
import t from "tap";
import { PLAN_LIMITS } from "../../../api/accounts/plans/plans.ts";
import { deleteAgent } from "../../../api/agents/delete-agent.ts";
import { type Agent, generatedModels, isBeingCreated } from "../../../api/agents/record/agent.ts";
import { listAgents } from "../../../api/agents/record/agent-store.ts";
import { createSeededRandom } from "../../../lab/soak/seeded-random.ts";
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import { type AgentsContext, withAgents } from "../../helpers/service/with-agents.ts";

const LIMIT = PLAN_LIMITS.creator.agents;
const STEPS = 120;
const MODELS = ["expression-1", "essence-1", "essence-2"];

const works = (agent: Agent): boolean => generatedModels(agent).length > 0;

/** The account's agents that exist. */
async function agentsOf({ services, account }: AgentsContext): Promise<Agent[]> {
  const { agents } = await listAgents(services.database, account.userId, { limit: 1000, offset: 0 });
  return agents.filter(({ deletedAt }) => deletedAt === null);
}

for (const seed of [1, 2]) {
  t.test(`no sequence of requests passes the limit of agents (seed ${seed})`, async (t) => {
    const random = createSeededRandom(seed);
    const outcomes = { made: 0, failed: 0, overLimit: 0 };

    async function runJob(context: AgentsContext, agent: Agent): Promise<void> {
      const { bake } = context.services.baker;
      const isGood = random.next() < 0.5;
      if (!isGood) context.services.baker.bake = () => Promise.reject(new ServiceError("IMAGE_FACE_UNSUITABLE", "No."));
      await context.runJob(agent);
      context.services.baker.bake = bake;
      outcomes[isGood ? "made" : "failed"] += 1;
    }

    async function order(context: AgentsContext, agentCode?: string): Promise<void> {
      try {
        await context.create({ agentCode, model: random.pick(MODELS) });
      } catch (error) {
        if (!isServiceError(error) || !/^(AGENT_LIMIT_REACHED|AGENT_NOT_READY)$/.test(error.code)) throw error;
        if (error.code === "AGENT_LIMIT_REACHED") outcomes.overLimit += 1;
      }
    }

    const work = async (context: AgentsContext) => {
      await context.grant(1_000_000);
      for (let step = 0; step < STEPS; step++) {
        const agents = await agentsOf(context);
        const running = agents.filter(isBeingCreated);
        const choice = random.weighted({ run: 4, regenerate: 2, create: 4, delete: 0.5 });
        if (choice === "run" && running.length > 0) await runJob(context, random.pick(running));
        else if (choice === "regenerate" && agents.length > 0) await order(context, random.pick(agents).code);
        else if (choice === "delete" && agents.length > LIMIT) await deleteAgent(context.services, random.pick(agents));
        else await order(context);

        const after = await agentsOf(context);
        const held = after.filter((agent) => works(agent) || isBeingCreated(agent));
        if (held.length > LIMIT) t.fail(`${held.length} agents after step ${step}`);
        const wrong = after.filter((agent) => works(agent) && agent.status === "failed");
        if (wrong.length > 0) t.fail(`${wrong.length} agents work and are failed after step ${step}`);
      }
      t.ok(Math.min(...Object.values(outcomes)) > 5, `each outcome occurs: ${JSON.stringify(outcomes)}`);
    };
    await withAgents(t, work, { plan: "creator" });
  });
}
