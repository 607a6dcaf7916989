// Waits until an agent is created.
import { waitFor } from "../wait-for.ts";
import type { TestAnswer, TestApi } from "./with-api.ts";

const DEADLINE_MS = 240_000;

type AgentStatus = TestAnswer["body"];

/** Polls the status of an agent until `isThere` returns true, and returns the status. Default: the agent is ready or
 *  failed, and no model is pending. Throws Error on timeout. */
export function untilAgent(
  api: TestApi,
  secret: string,
  code: string,
  isThere: (agent: AgentStatus) => boolean = isSettled,
): Promise<AgentStatus> {
  return waitFor(
    async () => {
      const { data } = (await api.call("GET", `/v1/agent/status/${code}`, { secret })).body;
      return isThere(data) && data;
    },
    `the agent ${code}`,
    DEADLINE_MS,
  );
}

function isSettled({ status, model_status: models }: AgentStatus): boolean {
  const isPending = Object.values<{ state: string }>(models).some(({ state }) => state === "pending");
  return (status === "ready" || status === "failed") && !isPending;
}
