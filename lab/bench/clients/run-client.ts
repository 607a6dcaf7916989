// The helper's side of a client process: answers commands until its parent is gone.
import type { ClientCommands, ClientReply, ClientRequest } from "./client-messages.ts";

/** Answers each command with its result, or with the message of what it threw. Commands run side by side. */
export function runClient(commands: ClientCommands): void {
  const reply = (message: ClientReply): void => {
    process.send?.(message, undefined, undefined, () => undefined);
  };
  process.on("message", async ({ id, command, argument }: ClientRequest) => {
    try {
      reply({ id, result: await commands[command](argument as never) });
    } catch (error) {
      reply({ id, error: error instanceof Error ? error.message : String(error) });
    }
  });
  process.on("disconnect", () => process.exit());
}
