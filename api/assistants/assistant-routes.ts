// /mcp: the tools of this service for assistants, as the protocol has it over HTTP.
import { Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { z } from "zod";
import { indexText, skillText } from "../../mcp/guide.ts";
import { isLoopbackHost } from "../../program/outgoing/loopback.ts";
import { OwnerSlots } from "../../program/owner-slots.ts";
import { ServiceError } from "../../shared/errors.ts";
import { HEADER_API_SECRET } from "../../shared/wire-names.ts";
import type { SecretCaller } from "../accounts/caller.ts";
import { ratePerMinute } from "../accounts/plans/plans.ts";
import { Answer } from "../kernel/http/answer.ts";
import { rateRefusal } from "../kernel/http/rate-headers.ts";
import { type HttpMethod, type RequestInfo, type Route, route } from "../kernel/http/route.ts";
import type { RateLimiter } from "../kernel/limits/token-bucket.ts";

/** A file of 4.5 MB in base64, and what is around it. */
export const MESSAGE_LIMIT_BYTES = 8_000_000;
/** Calls of an account that run at once: those that wait take a slot, too. */
const CALLS_AT_ONCE = 32;
const RETRY_AFTER_SECONDS = 1;
/** Of ours, and what a proxy would add to; the protocol's own headers and those of content go on. */
const FORWARDED_HEADERS = ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name"] as const;

/** For whom tools are called. */
export interface Assistant {
  secret: string;
  userId: string;
  ip: string;
  requestId: string;
}

export interface AssistantRoutesOptions {
  handler: McpHttpHandler;
  /** Base of the service's URLs, without a trailing slash. */
  publicUrl: string;
  limiter: RateLimiter;
}

/** The routes: messages are posted; the other methods are refused as clients of a session expect it. */
export function assistantRoutes({ handler, publicUrl, limiter }: AssistantRoutesOptions): Route[] {
  const slots = new OwnerSlots(CALLS_AT_ONCE);
  const shared = {
    path: "/mcp",
    tier: "none",
    auth: "secret-or-bearer",
    summary: "Tools for assistants (MCP, Streamable HTTP)",
    tags: ["Assistants"],
    internal: true,
    // A tool that a suspended account may not use is refused by its route.
    openToSuspended: true,
    errors: [],
  } as const;

  /** The calls that tools make are counted by their routes. This counts messages, in a bucket as large as that of
   *  reads. */
  async function takeRate({ account }: SecretCaller): Promise<void> {
    const state = await limiter.take(`mcp:${account.userId}`, ratePerMinute(account.plan, "read"));
    if (!state.isAllowed) throw rateRefusal("read", state);
  }

  async function answer(method: HttpMethod, body: string | undefined, caller: SecretCaller, request: RequestInfo) {
    assertOrigin(request, publicUrl);
    const { userId } = caller.account;
    const release = slots.take(userId);
    if (!release) {
      throw new ServiceError("RATE_LIMITED", `At most ${CALLS_AT_ONCE} calls of an account run at once.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    try {
      const { ip, requestId, signal } = request;
      const secret = secretOf(request);
      const init = { method: method.toUpperCase(), headers: headersOf(request), body, signal };
      const assistant: Assistant = { secret, userId, ip, requestId };
      const authInfo = { token: secret, clientId: userId, scopes: [], extra: { assistant } };
      return await toAnswer(await handler.fetch(new Request(`${publicUrl}/mcp`, init), { authInfo }), release);
    } catch (error) {
      release();
      throw error;
    }
  }

  const bodiless = (method: "get" | "delete") =>
    route({
      ...shared,
      method,
      operation: `assistants.${method}`,
      async handler({ caller, request }) {
        await takeRate(caller);
        return answer(method, undefined, caller, request);
      },
    });

  return [
    route({
      ...shared,
      method: "post",
      operation: "assistants.call",
      bodyTypes: ["text"],
      bodyLimitBytes: MESSAGE_LIMIT_BYTES,
      body: z.union([z.string(), z.object({}).transform(() => "")]),
      async beforeBody(caller) {
        await takeRate(caller);
        return () => undefined;
      },
      handler: async ({ body, caller, request }) => answer("post", body, caller, request),
    }),
    bodiless("get"),
    bodiless("delete"),
    guideRoute("/llms.txt", "text/plain", "Index for assistants", indexText(publicUrl)),
    guideRoute(
      "/skill.md",
      "text/markdown",
      "How to use this service in a program, for assistants",
      skillText(publicUrl),
    ),
  ];
}

function guideRoute(path: string, type: string, summary: string, text: string): Route {
  return route({
    method: "get",
    path,
    operation: `assistants.${path}`,
    tier: "none",
    auth: "none",
    summary,
    tags: ["Assistants"],
    internal: true,
    errors: [],
    handler: async () =>
      new Answer<undefined>({
        headers: { "Content-Type": `${type}; charset=utf-8`, "Cache-Control": "public, max-age=3600" },
        bytes: text,
      }),
  });
}

/** Throws FORBIDDEN for a page of another site: a browser would add no secret by itself, but a page may have one. A
 *  name that another site made lead to this machine is no name of this service. */
function assertOrigin({ headers }: RequestInfo, publicUrl: string): void {
  const { origin, host } = headers;
  if (origin === undefined || origin === new URL(publicUrl).origin) return;
  const own = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null;
  if (own !== null && origin === own.origin && isLoopbackHost(own.hostname)) return;
  throw new ServiceError("FORBIDDEN", "Pages of other sites may not send this request.");
}

/** As the authenticator finds it. */
function secretOf({ headers }: RequestInfo): string {
  const secret = headers[HEADER_API_SECRET];
  if (typeof secret === "string" && secret !== "") return secret;
  return String(headers.authorization ?? "").replace(/^bearer\s+/i, "");
}

function headersOf({ headers }: RequestInfo): [string, string][] {
  return FORWARDED_HEADERS.flatMap((name): [string, string][] => {
    const value = headers[name];
    return value === undefined ? [] : [[name, String(value)]];
  });
}

/** `release`: called once nothing more is sent. */
async function toAnswer(response: Response, release: () => void): Promise<Answer<undefined>> {
  const headers = Object.fromEntries(response.headers);
  const { status } = response;
  if (!response.body || !headers["content-type"]?.startsWith("text/event-stream")) {
    const bytes = new Uint8Array(await response.arrayBuffer());
    release();
    return new Answer({ status, headers, bytes });
  }
  const stream = Readable.fromWeb(response.body as WebStream);
  stream.once("close", release);
  // nginx would collect it.
  return new Answer({ status, headers: { ...headers, "X-Accel-Buffering": "no" }, stream, isOpenEnded: true });
}
