// Lets a page open the session of an agent while its face is still being made.
import { setTimeout as delay } from "node:timers/promises";
import { ServiceError } from "../../../shared/errors.ts";
import type { Queryable } from "../../kernel/database/database.ts";
import { type Agent, generatedModels, isBeingCreated } from "../record/agent.ts";
import { findAgentByCode } from "../record/agent-store.ts";
import { VOICE_IMAGE } from "./agent-creation.ts";

const POLL_MS = 60;
/** Without a language model that writes, both steps take a moment. */
const TIMEOUT_MS = 5_000;
const RETRY_AFTER_SECONDS = 2;

/** The agent once its persona and voice are chosen, which a session needs at its beginning; at once if it has a working
 *  model. Throws AGENT_NOT_READY if a person must mark the face first, and SERVICE_UNAVAILABLE if it takes too long. */
export async function whenCast(database: Queryable, given: Agent): Promise<Agent> {
  const deadlineMs = performance.now() + TIMEOUT_MS;
  for (let agent = given; ; ) {
    if (!isBeingCreated(agent) || generatedModels(agent).length > 0) return agent;
    if (agent.waitingSince) {
      throw new ServiceError("AGENT_NOT_READY", `Agent ${agent.code} waits for the marks of its face.`);
    }
    if (agent.progress >= VOICE_IMAGE) return agent;
    if (performance.now() > deadlineMs) {
      throw new ServiceError("SERVICE_UNAVAILABLE", `Agent ${agent.code} is still being made. Try again.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    await delay(POLL_MS);
    agent = (await findAgentByCode(database, agent.code)) ?? agent;
  }
}
