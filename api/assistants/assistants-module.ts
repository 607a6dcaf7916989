// Wires /mcp into the api: the tools of assistants. Their calls come back to the routes of the api.
import type { RequestListener } from "node:http";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { cloudTools } from "../../mcp/cloud-tools.ts";
import { createToolServer, listTools } from "../../mcp/create-tool-server.ts";
import { openAccess } from "../../mcp/open-access.ts";
import { requirePart } from "../../program/parts/find-part.ts";
import { VERSION } from "../../program/version.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Module } from "../kernel/module.ts";
import { type Assistant, assistantRoutes, MESSAGE_LIMIT_BYTES } from "./assistant-routes.ts";
import { createInnerFetch } from "./inner-fetch.ts";

/** Streams by which clients may wait for changes of the list. It does not change while the program runs. */
const MAX_SUBSCRIPTIONS = 100;

export interface AssistantsModuleOptions extends Kernel {
  /** Answers a request as if it came from outside. */
  answer: RequestListener;
}

export function createAssistantsModule({ answer, config, limiter, logger }: AssistantsModuleOptions): Module {
  const { publicUrl, trustProxy } = config.http;
  const tools = listTools(cloudTools({ hasPaths: false, lipSyncFolder: () => requirePart("model-lip-sync") }));
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const assistant = authInfo?.extra?.assistant as Assistant | undefined;
      if (!assistant) throw new Error("the route names the assistant");
      const { secret, userId, ip, requestId } = assistant;
      const fetch = createInnerFetch({ answer, publicUrl, ip, trustProxy });
      // A refusal goes to the assistant: it decides whether to try again.
      const access = openAccess({ baseUrl: publicUrl, apiSecret: secret, userId, files: null, fetch, maxRetries: 0 });
      return createToolServer({
        tools,
        version: VERSION,
        access: async () => access,
        onFailure: (tool, error) => logger.error({ err: error, requestId, tool }, "tool failed"),
      });
    },
    {
      maxSubscriptions: MAX_SUBSCRIPTIONS,
      maxRequestBodySize: MESSAGE_LIMIT_BYTES,
      onerror: (error) => logger.debug({ err: error }, "assistant refused"),
    },
  );
  return {
    routes: assistantRoutes({ handler, publicUrl, limiter }),
    jobs: [],
    loops: [],
    close: () => handler.close(),
  };
}
