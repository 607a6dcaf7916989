// `avatar agents …`: lists, shows, makes, changes and deletes the agents of the account.
import { type Command, Option } from "commander";
import type { Environment } from "../../terminal/environment.ts";
import type { CreateRequest } from "./create-agent.ts";

const MODEL = "essence-2";
const AGENT = ["<agent>", "its code"] as const;

interface JsonOption {
  json?: boolean;
}

export function registerAgents(program: Command, environment: Environment): void {
  const agents = program.command("agents").description("Agents of your account");
  const loadActions = () => import("./agent-actions.ts");
  agents
    .command("list")
    .description("List your agents, newest first")
    .option("--search <text>", "only those with this text in their name or code")
    .option("--limit <n>", "most agents to list", "50")
    .option("--json", "print one object: agents, has_more")
    .action(async (options: { search?: string; limit: string } & JsonOption) =>
      (await loadActions()).listAgents(environment, options),
    );
  agents
    .command("show")
    .description("Show an agent")
    .argument(...AGENT)
    .option("--json", "print one object")
    .action(async (code: string, options: JsonOption) => (await loadActions()).showAgent(environment, code, options));
  agents
    .command("create")
    .description("Make an agent from a portrait, a prompt or both, and wait until it is ready")
    .option("--image <file or URL>", "portrait with one face (default: one that suits the prompt)")
    .option("--prompt <text>", "who it is and how it talks")
    .option("--name <text>", "what it is called")
    .option("--voice <id>", "M1 to M5, F1 to F5, or a designed voice")
    .option("--model <name>", "model of its face", MODEL)
    .addOption(new Option("--aspect-ratio <ratio>", "of its frames").choices(["16:9", "9:16", "1:1"]))
    .option("--no-wait", "return as soon as it is ordered")
    .option("--json", "print one object: code, status, name, model")
    .action(async (options: CreateRequest) => {
      const { createAgent } = await import("./create-agent.ts");
      await createAgent(environment, options);
    });
  agents
    .command("prompt")
    .description("Show the prompt of an agent, or replace it")
    .argument(...AGENT)
    .argument("[text]", "the new prompt; - reads it from standard input")
    .option("--json", "print one object: code, system_prompt, updated")
    .action(async (code: string, text: string | undefined, options: JsonOption) =>
      (await loadActions()).promptAgent(environment, { code, text, ...options }),
    );
  agents
    .command("delete")
    .description("Delete an agent for good; its usage is kept")
    .argument(...AGENT)
    .option("--yes", "do not ask for its code again")
    .option("--json", "print one object: code, deleted")
    .action(async (code: string, options: { yes?: boolean } & JsonOption) =>
      (await loadActions()).deleteAgent(environment, code, options),
    );
}
