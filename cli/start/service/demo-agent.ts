// The agent that a fresh service shows: the best-known face of the bundled gallery.
import { NotFoundError } from "../../../sdk/client/index.ts";
import type { ServiceClient } from "../../service/service-client.ts";

/** Code of the demo agent: the page `/demo` shows it. */
export const DEMO_AGENT_CODE = "demo";
const PROMPT = "You are Mona Lisa, a friendly host who explains in short sentences how this avatar service works.";
const CREATION_TIMEOUT_MS = 120_000;

/** Creates the demo agent unless there is one that did not fail; waits until it is ready. Returns its code. */
export async function ensureDemoAgent(client: ServiceClient): Promise<string> {
  if (!(await hasAgent(client))) {
    await client.generateAgent({ prompt: PROMPT, agentId: DEMO_AGENT_CODE, model: "essence-2" });
    // Only a new one: the operator may decide otherwise later.
    await client.allowLocalRendering(DEMO_AGENT_CODE);
  }
  await client.waitForAgent(DEMO_AGENT_CODE, CREATION_TIMEOUT_MS);
  return DEMO_AGENT_CODE;
}

async function hasAgent(client: ServiceClient): Promise<boolean> {
  try {
    return (await client.getAgentStatus(DEMO_AGENT_CODE)).status !== "failed";
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}
