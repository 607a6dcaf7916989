// `avatar sessions …`: lists conversations, shows what was said, and ends them.
import { type Command, Option } from "commander";
import type { Environment } from "../../terminal/environment.ts";
import type { ListRequest } from "./session-actions.ts";

const SESSION = ["<session>", "its id, cs_…"] as const;

export function registerSessions(program: Command, environment: Environment): void {
  const sessions = program.command("sessions").description("Sessions of your agents");
  const loadActions = () => import("./session-actions.ts");
  sessions
    .command("list")
    .description("List sessions, newest first")
    .addOption(new Option("--window <window>", "which ones").choices(["live", "recent", "ended", "all"]).default("all"))
    .option("--agent <code>", "only those of this agent")
    .option("--limit <n>", "most sessions to list", "20")
    .option("--json", "print one object: sessions, has_more")
    .action(async (options: ListRequest) => (await loadActions()).listSessions(environment, options));
  sessions
    .command("show")
    .description("Show what was said in a session")
    .argument(...SESSION)
    .option("--json", "print one object: session_id, agent_code, started, ended, live, messages")
    .action(async (id: string, options: { json?: boolean }) =>
      (await loadActions()).showSession(environment, id, options),
    );
  sessions
    .command("end")
    .description("End a session now; its slot is free at once")
    .argument(...SESSION)
    .option("--json", "print one object: session_id, ended, note")
    .action(async (id: string, options: { json?: boolean }) =>
      (await loadActions()).endSession(environment, id, options),
    );
}
