// `avatar list`: the sample avatars of the service, or the agents of the account.
import type { Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";

export function registerList(program: Command, environment: Environment): void {
  program
    .command("list")
    .description("List the sample avatars of the service, or your agents")
    .option("--mine", "your agents, newest first; needs avatar login")
    .option("--json", "print one JSON object: samples or agents")
    .action(async ({ mine, json }: { mine?: boolean; json?: boolean }) => {
      const { listAgents, listSamples } = await import("./list-avatars.ts");
      await (mine ? listAgents : listSamples)({ json }, environment);
    });
}
