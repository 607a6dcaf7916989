// `avatar speak`: lets an avatar in a running session say a text.
import type { Command } from "commander";
import { EXPRESSION_NAMES } from "../../../shared/expressions.ts";
import type { Environment } from "../../terminal/environment.ts";

interface SpeakOptions {
  emotion?: string;
  json?: boolean;
}

export function registerSpeak(program: Command, environment: Environment): void {
  program
    .command("speak")
    .description("Let an avatar say a text, in all sessions of an agent or in one session")
    .argument("<agent or session>", "code of the agent, or id of the session (cs_…)")
    .argument("<text>", "what to say; - reads it from standard input")
    .option("--emotion <name[:0..1]>", `what the face shows meanwhile: ${EXPRESSION_NAMES.join(", ")}`)
    .option("--json", "print one object: agent_code, delivered_to_rooms, rooms")
    .action(async (target: string, text: string, options: SpeakOptions) => {
      const { speak } = await import("./session-actions.ts");
      await speak(environment, { target, text, ...options });
    });
}
