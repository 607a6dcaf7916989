// Runs one `avatar` command. Each command is a file that registers itself; only the one that was typed is loaded. Its
// action imports what does the work, so that the help, which registers all commands, is quick.
import { Command, CommanderError } from "commander";
import packageJson from "../package.json" with { type: "json" };
import { provideParts } from "./commands/parts/provide-parts.ts";
import { CliError, reportCliError, toCliError } from "./terminal/cli-error.ts";
import type { Environment } from "./terminal/environment.ts";
import { HELP_FORMAT } from "./terminal/help-format.ts";
import { orderWords } from "./terminal/order-words.ts";
import { hasLostReader } from "./terminal/standard-streams.ts";

type Register = (program: Command, environment: Environment) => void;

const ABOUT_PROGRAM = "This program:";

/** By the headings of the help, in its order. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, () => Promise<Register>>>>> = {
  "Your agents at a service:": {
    login: async () => (await import("./commands/account/login.ts")).registerLogin,
    logout: async () => (await import("./commands/account/logout.ts")).registerLogout,
    account: async () => (await import("./commands/account/account.ts")).registerAccount,
    agents: async () => (await import("./commands/agents/agents.ts")).registerAgents,
    sessions: async () => (await import("./commands/sessions/sessions.ts")).registerSessions,
    speak: async () => (await import("./commands/sessions/speak.ts")).registerSpeak,
    talk: async () => (await import("./commands/talk/talk.ts")).registerTalk,
    token: async () => (await import("./commands/agents/token.ts")).registerToken,
    mcp: async () => (await import("./commands/mcp/mcp.ts")).registerMcp,
  },
  "Faces on this computer:": {
    run: async () => (await import("./commands/run/run.ts")).registerRun,
    render: async () => (await import("./commands/bundle/render.ts")).registerRender,
    pull: async () => (await import("./commands/models/pull.ts")).registerPull,
    list: async () => (await import("./commands/models/list.ts")).registerList,
    bake: async () => (await import("./commands/bundle/bake.ts")).registerBake,
    inspect: async () => (await import("./commands/bundle/inspect.ts")).registerInspect,
    engine: async () => (await import("./commands/engine/engine.ts")).registerEngine,
    voices: async () => (await import("./commands/voices/voices.ts")).registerVoices,
    hear: async () => (await import("./commands/hear/hear.ts")).registerHear,
    sheet: async () => (await import("./commands/sheet/sheet.ts")).registerSheet,
    "gallery-sheet": async () => (await import("./commands/sheet/gallery-sheet.ts")).registerGallerySheet,
    "gesture-sheet": async () => (await import("./commands/sheet/gesture-sheet.ts")).registerGestureSheet,
  },
  "A service of your own:": {
    start: async () => (await import("./commands/start/start.ts")).registerStart,
    worker: async () => (await import("./commands/worker/worker.ts")).registerWorker,
    room: async () => (await import("./commands/room/room.ts")).registerRoom,
    backup: async () => (await import("./commands/backup/backup.ts")).registerBackup,
    restore: async () => (await import("./commands/backup/restore.ts")).registerRestore,
    accounts: async () => (await import("./commands/accounts/accounts.ts")).registerAccounts,
  },
  [ABOUT_PROGRAM]: {
    doctor: async () => (await import("./commands/doctor/doctor.ts")).registerDoctor,
    version: async () => (await import("./commands/program/program.ts")).registerVersion,
    completion: async () => (await import("./commands/program/program.ts")).registerCompletion,
    __schema: async () => (await import("./commands/program/program.ts")).registerSchema,
  },
};

const COMMANDS = Object.assign({}, ...Object.values(GROUPS)) as Record<string, () => Promise<Register>>;

const ALIASES: Readonly<Record<string, string>> = { open: "inspect", info: "inspect", whoami: "account" };

const HELP_OPTIONS: readonly string[] = ["-h", "--help"];
const HELP_COMMAND = ["help [command]", "Explain a command"] as const;

/** These say something about all commands. */
const ABOUT_ALL: readonly string[] = ["completion", "__schema"];

/** Runs the command that `typed` names, with results on standard output and errors on standard error. Never throws: a
 *  failure sets `process.exitCode`. */
export async function runAvatar(typed: readonly string[], environment: Environment): Promise<void> {
  const words = withHelpLast(typed);
  const first = words.find((word) => !word.startsWith("-"));
  const name = first === undefined ? undefined : (ALIASES[first] ?? first);
  const typedCommand = name !== undefined && Object.hasOwn(COMMANDS, name) ? name : undefined;
  let isJson = words.includes("--json");
  let help = "";
  let ran = typedCommand ?? "";
  provideParts(environment);
  try {
    const program = await createProgram(typedCommand, environment, (text) => {
      help += text;
    });
    const isUnknown = first !== undefined && typedCommand === undefined;
    const line = orderWords(isUnknown ? words.filter((word) => !HELP_OPTIONS.includes(word)) : words, program);
    isJson = line.isJson;
    ran = line.command;
    await program.parseAsync(line.words, { from: "user" });
  } catch (error) {
    const failure = error instanceof CommanderError ? usageError(error, ran) : toCliError(error);
    if (!failure || hasLostReader()) return;
    process.exitCode = failure.exitCode;
    // Without a command, people get the help and nothing else.
    if (help && !isJson) process.stderr.write(help);
    else reportCliError(failure, ran, { isJson, showsStack: environment.AVATAR_LOG_LEVEL === "debug" });
  }
}

/** `help agents create` and `-h agents create` as `agents create --help`, which says so if there is no such command. */
function withHelpLast(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !word.startsWith("-"));
  if (at === -1) return words;
  const before = words.slice(0, at).filter((word) => !HELP_OPTIONS.includes(word));
  if (words[at] === "help") return [...before, ...words.slice(at + 1), "--help"];
  return before.length < at ? [...before, ...words.slice(at), "--help"] : words;
}

async function createProgram(
  typedCommand: string | undefined,
  environment: Environment,
  writeHelp: (text: string) => void,
): Promise<Command> {
  const program = new Command("avatar")
    .description("Talking faces: make them, talk with them and film them, here or at a service; or run a service.")
    .usage("<command> [options]")
    .version(packageJson.version, "-V, --version", "print the version of this program")
    .helpOption("-h, --help", "print this help")
    .commandsGroup(ABOUT_PROGRAM)
    .helpCommand(...HELP_COMMAND)
    .configureHelp(HELP_FORMAT)
    .exitOverride()
    .configureOutput({ writeErr: writeHelp, outputError: () => undefined });
  const isAlone = typedCommand !== undefined && !ABOUT_ALL.includes(typedCommand);
  const names = isAlone ? [typedCommand] : Object.keys(COMMANDS);
  for (const register of await Promise.all(names.map((name) => COMMANDS[name]()))) register(program, environment);
  for (const [heading, group] of Object.entries(GROUPS)) {
    for (const command of program.commands) if (Object.hasOwn(group, command.name())) command.helpGroup(heading);
  }
  for (const command of program.commands) {
    command.exitOverride().copyInheritedSettings(program);
    // Otherwise it shares the one of the program, with its heading.
    if (command.commands.length > 0) command.helpCommand(...HELP_COMMAND);
  }
  return program;
}

/** Null for --help and --version, which commander also throws. */
function usageError(error: CommanderError, command: string): CliError | null {
  if (error.exitCode === 0) return null;
  const hint = command ? `avatar ${command} --help shows how it is used.` : "avatar --help lists the commands.";
  if (error.code === "commander.help") return new CliError("usage", "No command was given.", { hint });
  const message = error.message.replace(/^error: /, "").replaceAll("\n", " ");
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
  return new CliError("usage", /[.?)]$/.test(sentence) ? sentence : `${sentence}.`, { hint });
}
