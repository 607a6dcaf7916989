// The protocol's server over a list of tools. One is made for each request or connection, of both generations.
import {
  type CallToolRequestParams,
  type CallToolResult,
  type Tool as ListedTool,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { ToolAccess } from "./open-access.ts";
import { readSpeakingFacePage, SPEAKING_FACE_RESOURCE, SPEAKING_FACE_URI } from "./speaking-face-page.ts";
import type { Tool, ToolContext } from "./tool.ts";
import { toErrorObject } from "./tool-error.ts";
import { toErrorResult, toResult } from "./tool-result.ts";

/** Longest call, ms. Source: the contract. */
const TIMEOUT_MS = 120_000;
/** How long clients may keep the lists and the page, ms: they change with the program only. */
const LIST_HINT = { ttlMs: 3_600_000, cacheScope: "public" } as const;
/** Source: the specification of MCP Apps. */
const APPS_EXTENSION = "io.modelcontextprotocol/ui";
/** Where hosts of the first draft of MCP Apps look for the page of a tool. */
const FORMER_KEY = "ui/resourceUri";
/** Wrong arguments that an answer names. */
const MAX_ISSUES = 5;
const MAX_SHOWN_CHARACTERS = 200;

const INSTRUCTIONS = `Makes talking faces (agents), gives them knowledge, lets people talk with them, and films them.
Long work returns an id at once: ask get_agent_status, get_video or get_dynamics, which can wait. A failed call has isError and {"error": {code, message, hint}}.
Making agents, films and gestures costs credits: tell the person the price (list_models_and_prices) before.`;

export interface ToolServerOptions {
  tools: ToolList;
  /** Of this program. */
  version: string;
  /** What the tools of one call work with. */
  access(): Promise<ToolAccess>;
  /** Longest call, ms. Default 120,000. */
  timeoutMs?: number;
  /** Gets what a tool failed with unexpectedly. */
  onFailure?(name: string, error: unknown): void;
}

/** Tools, and how they are listed. */
export interface ToolList {
  byName: ReadonlyMap<string, Tool>;
  listed: readonly ListedTool[];
}

/** The list as clients get it: made once, because schemas take longer to describe than most calls. */
export function listTools(tools: readonly Tool[]): ToolList {
  return { byName: new Map(tools.map((tool) => [tool.name, tool])), listed: tools.map(describeTool) };
}

function describeTool({ name, title, description, input, output, annotations, app, visibility }: Tool): ListedTool {
  const inputSchema = jsonSchemaOf(input, "input");
  const outputSchema = jsonSchemaOf(output, "output");
  return {
    name,
    title,
    description,
    inputSchema,
    outputSchema,
    annotations,
    ...((app || visibility) && {
      _meta: { ui: { resourceUri: app, visibility: visibility && [...visibility] }, ...(app && { [FORMER_KEY]: app }) },
    }),
  };
}

/** Without what says nothing: assistants read the whole list. */
function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): ListedTool["inputSchema"] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (io === "output") delete jsonSchema.additionalProperties;
    },
  });
  return rest as ListedTool["inputSchema"];
}

/** A server for one connection or request. */
export function createToolServer(options: ToolServerOptions): Server {
  const { tools, version, onFailure } = options;
  const server = new Server(
    { name: "open-avatar-service", title: "Open Avatar Service", version },
    {
      capabilities: { tools: {}, resources: {}, extensions: { [APPS_EXTENSION]: {} } },
      instructions: INSTRUCTIONS,
      cacheHints: { "tools/list": LIST_HINT, "resources/list": LIST_HINT, "resources/read": LIST_HINT },
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: [...tools.listed] }));
  server.setRequestHandler("resources/list", () => ({ resources: [SPEAKING_FACE_RESOURCE] }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    if (uri !== SPEAKING_FACE_URI) throw new ResourceNotFoundError(uri.slice(0, MAX_SHOWN_CHARACTERS));
    try {
      return await readSpeakingFacePage();
    } catch (error) {
      onFailure?.("resources/read", error);
      throw new ProtocolError(ProtocolErrorCode.InternalError, toErrorObject(error).message);
    }
  });
  server.setRequestHandler("tools/call", ({ params }, context) => callTool(params, context, options));
  return server;
}

async function callTool(
  { name, arguments: given = {}, _meta }: CallToolRequestParams,
  { mcpReq }: ServerContext,
  { tools, access, timeoutMs = TIMEOUT_MS, onFailure }: ToolServerOptions,
): Promise<CallToolResult> {
  const tool = tools.byName.get(name);
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name)}.`);
  const parsed = tool.input.safeParse(given);
  if (!parsed.success) return toErrorResult({ code: "VALIDATION_ERROR", message: describeIssues(parsed.error) });
  const progressToken = _meta?.progressToken ?? mcpReq._meta?.progressToken;
  const signal = AbortSignal.any([mcpReq.signal, AbortSignal.timeout(timeoutMs)]);
  let reported = 0;
  const report: ToolContext["report"] = (progress, message) => {
    // The protocol wants each report to be further than the one before.
    if (progressToken === undefined || progress <= reported) return;
    reported = progress;
    const params = { progressToken, progress, total: 1, ...(message && { message }) };
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
  let secrets: readonly string[] = [];
  try {
    const { client, files, userId, ...rest } = await access();
    secrets = rest.secrets;
    return toResult(await tool.run(parsed.data, { client, files, userId, signal, report }), secrets);
  } catch (error) {
    const shown = toErrorObject(error);
    if (shown.code === "INTERNAL_ERROR") onFailure?.(name, error);
    return toErrorResult(shown, secrets);
  }
}

function describeIssues({ issues }: z.ZodError): string {
  return issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message))
    .join("; ");
}
