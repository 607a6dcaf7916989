import { log } from "@livekit/agents";

type AgentLog = Pick<ReturnType<typeof log>, "debug" | "warn">;

const SILENT: AgentLog = { debug: () => undefined, warn: () => undefined };

/** The logger of the agents framework. A program that runs without its command line has none, and needs none. */
export function agentLog(): AgentLog {
  try {
    return log();
  } catch {
    return SILENT;
  }
}
