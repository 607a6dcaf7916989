// Commands about the command line itself: `version`, `completion` and `__schema`.
import { Argument, type Command } from "commander";
import { EXIT_CODES } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { completionScript, SHELLS, type Shell } from "./completion-script.ts";
import { describeProgram } from "./describe-program.ts";

interface JsonOption {
  json?: boolean;
}

export function registerVersion(program: Command): void {
  program
    .command("version")
    .description("Print the version of this program")
    .option("--json", "print one object: version and node")
    .action(({ json }: JsonOption) => {
      const version = program.version() ?? "";
      if (json) writeJson({ version, node: process.versions.node });
      else process.stdout.write(`${version}\n`);
    });
}

/** Needs the program with all of its commands. */
export function registerCompletion(program: Command): void {
  program
    .command("completion")
    .description("Print the completions of a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .option("--json", "print one object: shell and script")
    .action((shell: Shell, { json }: JsonOption) => {
      const script = completionScript(shell, describeProgram(program));
      if (json) writeJson({ shell, script });
      else process.stdout.write(script);
    });
}

/** Needs the program with all of its commands. */
export function registerSchema(program: Command, environment: Environment): void {
  program
    .command("__schema", { hidden: true })
    .description("Print commands, flags, shapes of --json, exit codes and the tools of assistants as one object")
    .option("--json", "accepted everywhere; this command prints nothing else")
    .action(async () => {
      const { errorSchema, outputSchemaOf } = await import("../shapes.ts");
      const { listAssistantTools } = await import("../mcp/print-tools.ts");
      writeJson({
        version: program.version(),
        commands: describeProgram(program).map((each) => ({ ...each, output: outputSchemaOf(each.name) })),
        errors: errorSchema(),
        exit_codes: { ok: 0, ...EXIT_CODES },
        mcp_tools: (await listAssistantTools(environment)).map(({ name, title, annotations }) => {
          return { name, title, annotations };
        }),
      });
    });
}
