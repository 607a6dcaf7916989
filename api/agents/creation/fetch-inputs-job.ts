// The job that fetches the image and the voice sample of an agent. Their servers may be slow, so it takes no place of a
// creation.
import type { JobKind } from "../../kernel/jobs/job-runner.ts";
import type { AgentServices } from "../agent-services.ts";
import { isBeingCreated, withDraft } from "../record/agent.ts";
import { deleteFiles } from "../record/agent-files.ts";
import { findAgentById, updateCreation } from "../record/agent-store.ts";
import { creationPayloadSchema, enqueueCreation, FETCH_INPUTS } from "./agent-queue.ts";
import { failAgent, mayRetry, reasonOf } from "./creation-job.ts";
import { fetchInput, type MissingInput, missingInputs } from "./fetch-inputs.ts";

/** They mostly wait. */
const CONCURRENT_JOBS = 16;
/** Of one account: slow servers leave the rest to the others. */
const PER_ACCOUNT = 2;

/** The job kind. It fails the agent, with a full refund, if a file cannot be fetched; only a server that may be able to
 *  answer later is tried again. */
export function fetchInputsJob(services: AgentServices): JobKind {
  return {
    name: FETCH_INPUTS,
    concurrency: CONCURRENT_JOBS,
    perOwner: PER_ACCOUNT,
    async run(payload, context) {
      const { agentId, revision } = creationPayloadSchema.parse(payload);
      const found = await findAgentById(services.database, agentId);
      if (!found || found.deletedAt || found.revision !== revision || !isBeingCreated(found)) return;
      const agent = withDraft(found);
      const patch: Partial<Record<MissingInput["field"], string>> = {};
      try {
        for (const input of missingInputs(agent))
          patch[input.field] = await fetchInput(services, input, context.signal);
        const isStored = await services.database.transaction().execute(async (transaction) => {
          if (!(await updateCreation(transaction, agent, patch, new Date(services.now())))) return false;
          await enqueueCreation(transaction, agent);
          return true;
        });
        if (!isStored) await deleteFiles(services, Object.values(patch));
      } catch (error) {
        await deleteFiles(services, Object.values(patch));
        if (mayRetry(error, context)) throw error;
        services.logger.warn({ err: error, agentCode: agent.code }, "files of an agent not fetched");
        await failAgent(services, agentId, revision, "voice_image", reasonOf(error));
      }
    },
  };
}
