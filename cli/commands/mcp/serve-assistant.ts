// Implements `avatar mcp`.
import { once } from "node:events";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { createToolServer, listTools } from "../../../mcp/create-tool-server.ts";
import { openAccess, type ToolAccess } from "../../../mcp/open-access.ts";
import { findCredentials, findServiceUrl } from "../../account/credentials.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { interruptible } from "../../terminal/interrupt.ts";
import { writeNote } from "../../terminal/write-note.ts";
import { parseCount } from "../parse-count.ts";
import { assistantTools } from "./assistant-tools.ts";
import { RootedFiles } from "./rooted-files.ts";

/** Longest message, bytes: a file of 4.5 MB in base64, and what is around it. */
const MESSAGE_LIMIT_BYTES = 8_000_000;

/** Largest `AVATAR_API_TIMEOUT`, s. */
const MOST_TIMEOUT_SECONDS = 3600;

/** Serves until standard input ends, or a signal tells it to. Throws CliError if the folder is missing, or the time
 *  limit is no number. */
export async function serveAssistant(root: string, version: string, environment: Environment): Promise<void> {
  const files = await RootedFiles.open(root).catch(() => {
    throw new CliError("no_input", `--root: there is no folder ${root}.`);
  });
  const { tools: all, close } = assistantTools({ files, environment });
  const tools = listTools(all);
  const timeoutMs = readTimeout(environment);
  // Assistants give it a pipe.
  if (process.stdin.isTTY) writeNote("Waiting for the messages of an assistant: docs/mcp.md. Ctrl-C ends it.");
  const log = (text: string) => process.stderr.write(`avatar mcp: ${text}\n`);
  let last: { key: string; access: ToolAccess } | undefined;
  // Read for each call: a person may sign in while the assistant runs.
  const access = async (): Promise<ToolAccess> => {
    const found = await findCredentials(environment);
    const baseUrl = found?.baseUrl ?? (await findServiceUrl(environment));
    const key = `${baseUrl} ${found?.apiSecret}`;
    if (last?.key !== key) last = { key, access: openAccess({ baseUrl, apiSecret: found?.apiSecret ?? null, files }) };
    return last.access;
  };
  const handle = serveStdio(
    () =>
      createToolServer({
        tools,
        version,
        access,
        timeoutMs,
        onFailure: (name, error) => log(`${name} failed: ${error instanceof Error ? error.message : String(error)}`),
      }),
    {
      transport: new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MESSAGE_LIMIT_BYTES }),
      onerror: (error) => log(error.message),
    },
  );
  try {
    await interruptible((signal) => once(process.stdin, "close", { signal }));
  } finally {
    await handle.close();
    await close();
    // An assistant that goes away in another way leaves it open.
    process.stdin.destroy();
  }
}

/** Milliseconds; undefined if none is set. */
function readTimeout({ AVATAR_API_TIMEOUT: text }: Environment): number | undefined {
  if (!text) return undefined;
  return parseCount(text, "AVATAR_API_TIMEOUT", MOST_TIMEOUT_SECONDS) * 1_000;
}
