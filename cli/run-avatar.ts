// Runs one `avatar` command. Each command is a file that registers itself; only the one that was typed is loaded.
import { Command, CommanderError } from "commander";
import packageJson from "../package.json" with { type: "json" };
import { CliError, reportCliError, toCliError } from "./terminal/cli-error.ts";
import type { Environment } from "./terminal/environment.ts";
import { orderWords } from "./terminal/order-words.ts";

type Register = (program: Command, environment: Environment) => void;

const COMMANDS: Record<string, () => Promise<Register>> = {
  render: async () => (await import("./commands/bundle/render.ts")).registerRender,
  bake: async () => (await import("./commands/bundle/bake.ts")).registerBake,
  inspect: async () => (await import("./commands/bundle/inspect.ts")).registerInspect,
  sheet: async () => (await import("./commands/sheet/sheet.ts")).registerSheet,
  "gallery-sheet": async () => (await import("./commands/sheet/gallery-sheet.ts")).registerGallerySheet,
  "gesture-sheet": async () => (await import("./commands/sheet/gesture-sheet.ts")).registerGestureSheet,
  hear: async () => (await import("./commands/hear/hear.ts")).registerHear,
  voices: async () => (await import("./commands/voices/voices.ts")).registerVoices,
  doctor: async () => (await import("./commands/doctor/doctor.ts")).registerDoctor,
  backup: async () => (await import("./commands/backup/backup.ts")).registerBackup,
  restore: async () => (await import("./commands/backup/restore.ts")).registerRestore,
  room: async () => (await import("./commands/room/room.ts")).registerRoom,
  worker: async () => (await import("./commands/worker/worker.ts")).registerWorker,
  accounts: async () => (await import("./commands/accounts/accounts.ts")).registerAccounts,
  account: async () => (await import("./commands/accounts/accounts.ts")).registerAccount,
  version: async () => (await import("./commands/program/program.ts")).registerVersion,
  completion: async () => (await import("./commands/program/program.ts")).registerCompletion,
  __schema: async () => (await import("./commands/program/program.ts")).registerSchema,
};

const ALIASES: Readonly<Record<string, string>> = { open: "inspect", info: "inspect" };

/** These say something about all commands. */
const ABOUT_ALL: readonly string[] = ["completion", "__schema"];

/** Runs the command that `words` name, with results on standard output and errors on standard error. Never throws: a
 *  failure sets `process.exitCode`. */
export async function runAvatar(words: readonly string[], environment: Environment): Promise<void> {
  const first = words.find((word) => !word.startsWith("-"));
  const name = first === undefined ? undefined : (ALIASES[first] ?? first);
  const typedCommand = name !== undefined && Object.hasOwn(COMMANDS, name) ? name : undefined;
  let isJson = words.includes("--json");
  let help = "";
  try {
    const program = await createProgram(typedCommand, environment, (text) => {
      help += text;
    });
    const line = orderWords(words, program);
    isJson = line.isJson;
    await program.parseAsync(line.words, { from: "user" });
  } catch (error) {
    const failure = error instanceof CommanderError ? usageError(error, typedCommand) : toCliError(error);
    if (!failure) return;
    process.exitCode = failure.exitCode;
    // Without a command, people get the help and nothing else.
    if (help && !isJson) process.stderr.write(help);
    else reportCliError(failure, typedCommand ?? "", { isJson, showsStack: environment.AVATAR_LOG_LEVEL === "debug" });
  }
}

async function createProgram(
  typedCommand: string | undefined,
  environment: Environment,
  writeHelp: (text: string) => void,
): Promise<Command> {
  const program = new Command("avatar")
    .description("Bake, inspect and film talking avatars; manage voices, accounts and backups of the service.")
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({ writeErr: writeHelp, outputError: () => undefined });
  const isAlone = typedCommand !== undefined && !ABOUT_ALL.includes(typedCommand);
  for (const name of isAlone ? [typedCommand] : Object.keys(COMMANDS)) {
    const register = await COMMANDS[name]();
    register(program, environment);
  }
  for (const command of program.commands) command.exitOverride().copyInheritedSettings(program);
  return program;
}

/** Null for --help and --version, which commander also throws. */
function usageError(error: CommanderError, command: string | undefined): CliError | null {
  if (error.exitCode === 0) return null;
  const hint = command ? `avatar ${command} --help shows how it is used.` : "avatar --help lists the commands.";
  if (error.code === "commander.help") return new CliError("usage", "No command was given.", { hint });
  const message = error.message.replace(/^error: /, "").replaceAll("\n", " ");
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
  return new CliError("usage", /[.?)]$/.test(sentence) ? sentence : `${sentence}.`, { hint });
}
