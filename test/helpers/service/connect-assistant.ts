// Assistants: the official clients of each generation of the protocol, which check answers against the tools' schemas.
import { Client, type ProgressCallback, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as FirstHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** `first`: the first SDK. The others: the present SDK, as a client of the 2025 revisions and of 2026-07-28. */
export const GENERATIONS = ["first", "2025", "2026-07-28"] as const;
export type Generation = (typeof GENERATIONS)[number];

export interface ListedTool {
  name: string;
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean; idempotentHint?: boolean };
  inputSchema: { properties?: Record<string, unknown>; required?: string[] };
  outputSchema?: object;
}

export interface CallOptions {
  signal?: AbortSignal;
  onprogress?: ProgressCallback;
}

/** What a tool answered. */
export interface Outcome {
  isError: boolean;
  /** The structured content; of an error, its error object. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely, and a wrong shape fails them anyway
  data: any;
  content: { type: string; text?: string; data?: string; mimeType?: string }[];
}

export interface Assistant {
  list(): Promise<ListedTool[]>;
  call(name: string, args?: object, options?: CallOptions): Promise<Outcome>;
  /** The present SDK's client; null for the first. */
  client: Client | null;
  close(): Promise<void>;
}

/** How a process of `avatar mcp` is started. */
export interface ServerProcess {
  command: string;
  args: string[];
  cwd?: string;
  env: Record<string, string>;
}

const INFO = { name: "test-assistant", version: "1.0.0" };

/** Connects to an address. */
export function connectHttp(
  generation: Generation,
  baseUrl: string,
  headers: Record<string, string>,
): Promise<Assistant> {
  const url = new URL("/mcp", baseUrl);
  const options = { requestInit: { headers } };
  if (generation === "first") return connectFirst(new FirstHttp(url, options));
  return connectPresent(generation, new StreamableHTTPClientTransport(url, options));
}

/** Starts a process and connects to it. */
export function connectStdio(generation: Generation, server: ServerProcess): Promise<Assistant> {
  const options = { ...server, stderr: "ignore" as const };
  if (generation === "first") return connectFirst(new FirstStdio(options));
  return connectPresent(generation, new StdioClientTransport(options));
}

async function connectFirst(transport: FirstStdio | FirstHttp): Promise<Assistant> {
  const client = new FirstClient(INFO);
  await client.connect(transport as FirstStdio);
  return {
    list: async () => (await client.listTools()).tools as ListedTool[],
    async call(name, args = {}, options = {}) {
      return outcomeOf(await client.callTool({ name, arguments: { ...args } }, undefined, options));
    },
    client: null,
    close: () => client.close(),
  };
}

async function connectPresent(
  generation: "2025" | "2026-07-28",
  transport: StdioClientTransport | StreamableHTTPClientTransport,
): Promise<Assistant> {
  const mode = generation === "2025" ? ("legacy" as const) : { pin: generation };
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    list: async () => (await client.listTools()).tools as ListedTool[],
    async call(name, args = {}, options = {}) {
      return outcomeOf(await client.callTool({ name, arguments: { ...args } }, options));
    },
    client,
    close: () => client.close(),
  };
}

function outcomeOf(result: object): Outcome {
  const { isError = false, structuredContent, content } = result as Partial<Outcome> & { structuredContent?: object };
  const text = content?.find(({ type }) => type === "text")?.text ?? "{}";
  return { isError, data: isError ? JSON.parse(text).error : structuredContent, content: content ?? [] };
}
