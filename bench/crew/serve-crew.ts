// The helper's side of a crew process: answers commands until its parent is gone.
import type { CrewCommands, CrewReply, CrewRequest } from "./crew-messages.ts";

/** Answers each command with its result, or with the message of what it threw. Commands run side by side. */
export function serveCrew(commands: CrewCommands): void {
  const reply = (message: CrewReply): void => {
    process.send?.(message, undefined, undefined, () => undefined);
  };
  process.on("message", async ({ id, command, argument }: CrewRequest) => {
    try {
      reply({ id, result: await commands[command](argument as never) });
    } catch (error) {
      reply({ id, error: error instanceof Error ? error.message : String(error) });
    }
  });
  process.on("disconnect", () => process.exit());
}
