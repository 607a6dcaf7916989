// Implements `avatar mcp tools`.
import type { z } from "zod";
import { listTools, type ToolList } from "../../../mcp/create-tool-server.ts";
import type { Environment } from "../../terminal/environment.ts";
import { fittingTable } from "../../terminal/text-table.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { assistantTools } from "./assistant-tools.ts";
import { RootedFiles } from "./rooted-files.ts";
import type { mcpToolsShape } from "./shapes.ts";

/** The tools as assistants get them. */
export async function listAssistantTools(environment: Environment): Promise<ToolList["listed"]> {
  return listTools(assistantTools({ files: await RootedFiles.open("."), environment }).tools).listed;
}

export async function printTools(isJson: boolean, environment: Environment): Promise<void> {
  const listed = await listAssistantTools(environment);
  if (isJson) return writeJson({ tools: [...listed] } satisfies z.input<typeof mcpToolsShape>);
  const rows = listed.map(({ name, title = "", annotations }) => [name, kindOf(annotations), title]);
  process.stdout.write(`${fittingTable(["tool", "does", "what"], rows)}\n`);
}

function kindOf(annotations: { readOnlyHint?: boolean; destructiveHint?: boolean } = {}): string {
  if (annotations.readOnlyHint) return "reads";
  return annotations.destructiveHint ? "deletes" : "changes";
}
