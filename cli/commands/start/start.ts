// `avatar start`: the whole service on this machine, as `npm start` runs it.
import type { Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";
import type { StartFlags } from "./run-start.ts";
import { addStartOptions } from "./start-options.ts";

export function registerStart(program: Command, environment: Environment): void {
  addStartOptions(program.command("start")).action(async (flags: StartFlags) => {
    const { runStart } = await import("./run-start.ts");
    await runStart(flags, environment);
    // What a service leaves in this process, such as idle connections, must not keep it.
    process.exit();
  });
}
