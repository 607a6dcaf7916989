// Runs one `avatar` command. Each command is a file that registers itself; only the one that was typed is loaded.
import { Command, CommanderError } from "commander";
import packageJson from "../package.json" with { type: "json" };
import { CliError, reportCliError, toCliError } from "./terminal/cli-error.ts";
import type { Environment } from "./terminal/environment.ts";

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
};

/** Runs the command that `words` name, with results on standard output and errors on standard error. Never throws: a
 *  failure sets `process.exitCode`. */
export async function runAvatar(words: readonly string[], environment: Environment): Promise<void> {
  const typedCommand = words.find((word) => Object.hasOwn(COMMANDS, word));
  const isJson = words.includes("--json");
  try {
    const program = await createProgram(typedCommand, { isJson, environment });
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    const failure = error instanceof CommanderError ? usageError(error) : toCliError(error);
    if (!failure) return;
    // Commander has already printed its message for people; scripts get the JSON object.
    if (!(error instanceof CommanderError) || isJson) {
      reportCliError(failure, typedCommand ?? "", { isJson, showsStack: environment.AVATAR_LOG_LEVEL === "debug" });
    }
    process.exitCode = failure.exitCode;
  }
}

async function createProgram(
  typedCommand: string | undefined,
  { isJson, environment }: { isJson: boolean; environment: Environment },
): Promise<Command> {
  const program = new Command("avatar")
    .description("Bake, inspect and film talking avatars; manage voices, accounts and backups of the service.")
    .version(packageJson.version)
    .exitOverride()
    .showHelpAfterError()
    .configureOutput({ writeErr: (text) => void (isJson || process.stderr.write(text)) });
  for (const name of typedCommand ? [typedCommand] : Object.keys(COMMANDS)) {
    const register = await COMMANDS[name]();
    register(program, environment);
  }
  for (const command of program.commands) command.exitOverride().copyInheritedSettings(program);
  return program;
}

/** Null for --help and --version, which commander also throws. */
function usageError(error: CommanderError): CliError | null {
  if (error.exitCode === 0) return null;
  return new CliError("usage", error.message.replace(/^error: /, ""), { hint: "avatar --help lists the commands." });
}
