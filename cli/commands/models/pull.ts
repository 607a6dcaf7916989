// `avatar pull`: fetches the model file of a sample avatar or an agent.
import type { Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";
import type { PullRequest } from "./pull-command.ts";

export function registerPull(program: Command, environment: Environment): void {
  program
    .command("pull")
    .description("Fetch the model file of a sample or of your agent, and print where it is")
    .argument("<name>", "slug of a sample (avatar list), or code of an agent (avatar list --mine)")
    .option("--model <name>", "one of its models, such as essence-2 (default: its own)")
    .option("--force", "fetch it although it is here already")
    .option("--json", "print one JSON object about the file")
    .action(async (name: string, options: PullRequest) => {
      const { pull } = await import("./pull-command.ts");
      await pull(name, options, environment);
    });
}
