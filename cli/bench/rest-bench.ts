// The control plane: how long requests and the making of an agent take.
import type { ServiceAccess } from "../service-access.ts";
import { DEMO_AGENT_CODE } from "../start/demo-agent.ts";
import { summarize } from "./percentile.ts";

const REQUESTS = 100;
const AGENT_TIMEOUT_MS = 120_000;

/** Times in ms of reads, one after the other. */
export async function benchRest({ client }: ServiceAccess) {
  const times: number[] = [];
  for (let index = 0; index < REQUESTS; index++) {
    const startedMs = performance.now();
    await client.getAgentStatus(DEMO_AGENT_CODE);
    times.push(performance.now() - startedMs);
  }
  return { requests: REQUESTS, agent_status_ms: summarize(times) };
}

/** Times in s from the request to `ready`, one agent after the other, each from a portrait of the gallery. */
export async function benchCreate({ client }: ServiceAccess, agents: number) {
  const times: number[] = [];
  for (let index = 0; index < agents; index++) {
    const startedMs = performance.now();
    const code = await client.generateAgent({ prompt: `A guide, number ${index}.`, model: "essence-2" });
    await client.waitForAgent(code, AGENT_TIMEOUT_MS);
    times.push((performance.now() - startedMs) / 1000);
    await client.deleteAgent(code);
  }
  return { agents, ready_s: summarize(times) };
}
