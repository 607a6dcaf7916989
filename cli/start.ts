// `npm start`: starts the whole service with one command and stops it on Ctrl-C.
import { Command } from "commander";
import { runStart, type StartFlags } from "./commands/start/run-start.ts";
import { addStartOptions } from "./commands/start/start-options.ts";

const program = addStartOptions(new Command("npm start --")).parse();

await runStart(program.opts<StartFlags>(), process.env);
process.exit();
