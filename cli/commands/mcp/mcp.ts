// `avatar mcp`: a server for assistants on standard input and output.
import type { Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";

export function registerMcp(program: Command, environment: Environment): void {
  const mcp = program
    .command("mcp")
    .description("Serve an assistant over standard input and output (MCP); docs/mcp.md has the settings of assistants")
    .option(
      "--root <folder>",
      "folder that the assistant may read files of and add files to (default: the current one)",
    )
    .action(async ({ root = "." }: { root?: string }) => {
      const { serveAssistant } = await import("./serve-assistant.ts");
      await serveAssistant(root, program.version() ?? "", environment);
    });
  mcp
    .command("tools")
    .description("Print the tools that an assistant gets")
    .option("--json", "print one JSON object: tools, with their schemas")
    .action(async ({ json }: { json?: boolean }) => {
      const { printTools } = await import("./print-tools.ts");
      await printTools(json === true, environment);
    });
}
