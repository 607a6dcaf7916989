// The Koa application: everything before and after a request's handler.
import { randomUUID } from "node:crypto";
import Koa, { type Context, type Middleware } from "koa";
import { bodyTypeOf, DEFAULT_BODY_LIMIT_BYTES, readBody } from "../../../program/http/body.ts";
import { drain } from "../../../program/http/drain.ts";
import { toErrorAnswer } from "../../../program/http/error-answer.ts";
import { parsePart } from "../../../program/http/parse-part.ts";
import { createProxyWarning } from "../../../program/http/proxy-warning.ts";
import type { Logger } from "../../../program/log.ts";
import { parseTraceparent } from "../../../program/telemetry/trace-context.ts";
import { epochMs, NO_SPAN, NO_TRACER, type Span, type Tracer } from "../../../program/telemetry/tracer.ts";
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import { databaseFailure } from "../database/database-failure.ts";
import type { BucketState, RateLimiter } from "../limits/token-bucket.ts";
import type { Metrics } from "../monitoring/metrics.ts";
import { Answer } from "./answer.ts";
import type { AuthKind, Callers } from "./caller.ts";
import { createDispatch, type Endpoint } from "./dispatch.ts";
import { rateHeaders, rateRefusal, takeAddressRate } from "./rate-headers.ts";
import { isOpenedByPerson, type RefusalPage } from "./refusal.ts";
import type { RateTier, RequestInfo, Route, RouteAccess } from "./route.ts";

/** The parts of a request that authentication reads. */
export interface Credentials {
  headers: RequestInfo["headers"];
  ip: string;
  /** Whether the body is a form; clients that send forms may be able to send their secret only as Bearer. */
  isForm: boolean;
}

export interface Authenticated<A extends AuthKind> {
  caller: Callers[A];
  /** The caller's bucket after this request; null if the tier does not count per caller. */
  rate: BucketState | null;
}

/** Authenticates the caller and counts the request against the caller's rate tier. Throws the contract's error if the
 *  credential is missing, wrong or refused. A request over its limit is returned in `rate`, not thrown. */
export interface Authenticator {
  authenticate<A extends AuthKind>(kind: A, credentials: Credentials, route: RouteAccess): Promise<Authenticated<A>>;
}

export interface AppOptions {
  routes: readonly Route[];
  authenticator: Authenticator;
  limiter: RateLimiter;
  metrics: Metrics;
  /** Default: requests are not traced. */
  tracer?: Tracer;
  logger: Logger;
  /** Take the client's address from the nearest proxy's `X-Forwarded-For`. Default false. */
  trustProxy?: boolean;
  /** What a person gets instead of JSON at an unknown address, and where a page is refused. Default: JSON. */
  refusalPage?: RefusalPage;
  /** Free disk space that uploads must leave, in bytes. Default: no limit. */
  minFreeBytes?: number;
}

/** On every answer. Answers may contain secrets, tokens or links, so they are not stored; files and pages override
 *  this. */
const SECURITY_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
};
/** Paths that programs request every few seconds. */
const POLLED_PATHS = /^\/(v1\/runtime\/|readyz$)/;
const CORS_MAX_AGE_SECONDS = 600;

/** Builds the application; it listens only once its callback is given to a server. */
export function createApp(options: AppOptions): Koa {
  const app = new Koa();
  app.proxy = options.trustProxy ?? false;
  // Only the last entry, which our own proxy appended, is trusted.
  app.maxIpsCount = 1;
  app.on("error", (error: unknown, context?: Context) => {
    if (!context?.state.isOpenEnded) options.logger.warn({ err: error }, "answer was cut short");
  });
  app.use(observe(options));
  app.use(answerErrors(options));
  app.use(createDispatch(options.routes.flatMap((route) => endpointsOf(route, options))));
  return app;
}

function endpointsOf(route: Route, options: AppOptions): Endpoint[] {
  const endpoint = { method: route.method, path: route.path, handler: handle(route, options) };
  return route.cors ? [endpoint, { ...endpoint, method: "options", handler: answerPreflight(route) }] : [endpoint];
}

/** Request id, security headers, metrics and one log line. The line holds the route's pattern instead of the URL, which
 *  may contain tokens in its query and keys in its path. */
function observe({ logger, metrics, trustProxy = false }: AppOptions): Middleware {
  const warnOfProxy = createProxyWarning({ trustProxy, logger });
  return async (context, next) => {
    warnOfProxy(context.headers);
    const startedMs = performance.now();
    const requestId = randomUUID();
    context.state.requestId = requestId;
    context.set({ ...SECURITY_HEADERS, "X-Request-Id": requestId });
    context.state.startMs = epochMs();
    await next();
    endSpan(context);
    const durationMs = Math.round(performance.now() - startedMs);
    const pattern: string | null = context.state.routePath ?? null;
    metrics.observeRequest({ method: context.method, route: pattern ?? "none", status: context.status, durationMs });
    logger.debug(
      { requestId, method: context.method, route: pattern, status: context.status, durationMs },
      "request answered",
    );
  };
}

function answerErrors({ logger, refusalPage }: AppOptions): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const requestId: string = context.state.requestId;
      const { routePath, isForPeople, signal } = context.state;
      if (signal?.aborted && error === signal.reason) {
        logger.info({ requestId, route: routePath }, "client disconnected before its answer");
        return;
      }
      const shown = isServiceError(error) ? error : (databaseFailure(error) ?? internalError(requestId));
      if (!isServiceError(error)) {
        logger.error({ err: error, requestId, route: routePath, code: shown.code }, "request failed");
      }
      const answer = toErrorAnswer(shown);
      context.set(answer.headers);
      context.status = answer.status;
      context.body = answer.body;
      const isShown = routePath === undefined || isForPeople === true;
      if (isShown && isOpenedByPerson(context)) {
        const { path } = context;
        const refusal = { path, status: answer.status, message: shown.message, isUnknown: routePath === undefined };
        const page = await refusalPage?.(refusal);
        if (page) {
          context.body = page.html;
          context.set(page.headers);
        }
      }
      drain(context.req);
    }
  };
}

function internalError(requestId: string): ServiceError {
  return new ServiceError("INTERNAL_ERROR", `Internal error. Please report it with the request id ${requestId}.`);
}

function handle(route: Route, options: AppOptions): Middleware {
  const bodyOptions = {
    types: route.bodyTypes ?? (["json"] as const),
    requiresJsonType: route.requiresJsonType,
    limitBytes: route.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES,
    textLimitBytes: route.bodyTextLimitBytes,
    fileFields: route.fileFields,
    fileOrTextFields: route.fileOrTextFields,
    minFreeBytes: options.minFreeBytes,
  };
  const { tracer = NO_TRACER } = options;
  return async (context) => {
    context.state.routePath = route.path;
    // The routes of our pages; those of the API answer people too as the API does.
    context.state.isForPeople = route.internal && route.method === "get";
    const span = startSpan(tracer, route, context);
    if (route.cors) context.set({ "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Retry-After" });
    const bodyType = bodyTypeOf(context.req);
    const credentials = {
      headers: context.headers,
      ip: context.ip,
      isForm: bodyType === "form" || bodyType === "multipart",
    };
    // Limits per address are checked before authentication, because they bound failed attempts; limits per account
    // need a caller.
    if (route.tier === "address") applyRate(context, route.tier, await takeAddressRate(options.limiter, context.ip));
    const { caller, rate } = await options.authenticator.authenticate(route.auth, credentials, route);
    if (rate !== null) applyRate(context, route.tier, rate);
    const params = parsePart(route.params, context.params, "path");
    const query = parsePart(route.query, { ...context.query }, "query");
    const request: RequestInfo = {
      get signal() {
        return watchDisconnect(context);
      },
      ip: context.ip,
      requestId: context.state.requestId,
      span,
      headers: context.headers,
    };
    if (!route.body) return send(context, await route.handler({ params, query, body: undefined, caller, request }));
    const release = await route.beforeBody?.(caller);
    const received = await readBody(context.req, bodyOptions).finally(() => release?.());
    try {
      const body = parsePart(route.body, received.value, "body");
      send(context, await route.handler({ params, query, body, caller, request }));
    } finally {
      await received.discard();
    }
  };
}

/** Begins the span of a request. What programs poll is traced only if the request names a trace. */
function startSpan(tracer: Tracer, route: Route, context: Context): Span {
  if (!tracer.isOn) return NO_SPAN;
  const parent = parseTraceparent(context.headers.traceparent);
  if ((route.internal || POLLED_PATHS.test(route.path)) && parent === undefined) return NO_SPAN;
  const span = tracer.start(`${context.method} ${route.path}`, {
    parent,
    kind: "server",
    startMs: context.state.startMs,
    attributes: { "http.request.method": context.method, "http.route": route.path },
  });
  context.state.span = span;
  return span;
}

function endSpan({ state, status }: Context): void {
  const span: Span | undefined = state.span;
  if (!span) return;
  span.set({ "http.response.status_code": status, "avatar.request.id": state.requestId });
  if (status >= 500) span.fail(String(status));
  span.end();
}

/** A signal that fires when the client disconnects before its answer. Created for handlers that use it. */
function watchDisconnect(context: Context): AbortSignal {
  const known: AbortSignal | undefined = context.state.signal;
  if (known) return known;
  const gone = new AbortController();
  const { res } = context;
  const onClose = () => {
    if (!res.writableFinished) gone.abort();
  };
  if (res.closed) onClose();
  else res.once("close", onClose);
  context.state.signal = gone.signal;
  return gone.signal;
}

/** Sets the rate limit headers. Throws RATE_LIMITED for a request over the limit. */
function applyRate(context: Context, tier: RateTier, state: BucketState): void {
  context.set(rateHeaders(state));
  if (!state.isAllowed) throw rateRefusal(tier, state);
}

function send(context: Context, result: unknown): void {
  if (!(result instanceof Answer)) {
    context.status = 200;
    context.body = result;
    return;
  }
  context.state.isOpenEnded = result.isOpenEnded;
  context.status = result.status;
  context.set(result.headers);
  if (result.json !== undefined) context.body = result.json;
  else if (result.stream !== undefined) context.body = result.stream;
  else if (result.bytes !== undefined)
    context.body = typeof result.bytes === "string" ? result.bytes : Buffer.from(result.bytes);
  // Koa turns a null body into 204 and drops the type, which is right for answers without content.
  else context.body = result.status === 302 ? "" : null;
  // Koa derives a type from the body when it is set; the handler's headers win.
  context.set(result.headers);
}

function answerPreflight(route: Route): Middleware {
  return async (context) => {
    context.state.routePath = route.path;
    context.set({
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Allow-Methods": route.method.toUpperCase(),
      "Access-Control-Allow-Headers": "authorization, content-type",
      "Access-Control-Max-Age": String(CORS_MAX_AGE_SECONDS),
    });
    context.status = 204;
  };
}
