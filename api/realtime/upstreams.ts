// Where a realtime call leads: a configured server, or a worker's own.
import type { RealtimePlan, RealtimeUpstream } from "../../program/config/realtime-settings.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { OpenedCall } from "../../shared/realtime-api.ts";
import { DEFAULT_REALTIME_MODEL, HEADER_REALTIME_SESSION, SERVICE_REALTIME_MODEL } from "../../shared/wire-names.ts";
import { mintRealtimeToken } from "../../shared/worker-token.ts";
import { refusalOf, type SessionQuery } from "../../src/conversation/realtime/session-query.ts";
import type { Account } from "../accounts/account.ts";
import { PLANS } from "../accounts/plans/plans.ts";
import { findRealtimeServer } from "../sessions/workers/worker-registry.ts";
import { kindOf } from "./calls/call-kinds.ts";
import type { RealtimeServices } from "./realtime-services.ts";
import { describeServiceSession } from "./service-session.ts";

/** `Retry-After` while no worker takes calls. */
const WORKER_RETRY_AFTER_SECONDS = 10;
/** `Retry-After` of a model that the operator has not configured. */
const UNCONFIGURED_RETRY_AFTER_SECONDS = 60;
/** Of the caller's query, what our own server reads. */
const SERVICE_QUERY = ["voice", "language"] as const;

export interface RequestedCall {
  account: Account;
  /** Null: the default. */
  model: string | null;
  query: Readonly<Record<string, string>>;
}

/** The model of a call as the caller names it, known to exist here. Throws VALIDATION_ERROR, SERVICE_UNAVAILABLE for
 *  the contract's default model without a server, and PLAN_REQUIRED. */
export function chooseModel(services: RealtimeServices, { account, model, query }: RequestedCall): string {
  // Clients name a model of OpenAI's, or none; there is one recogniser.
  if (kindOf(query) === "transcription") return assertQuery({ language: query.language });
  const name = model ?? (query.mode === "text" ? SERVICE_REALTIME_MODEL : defaultModel(services));
  if (name === SERVICE_REALTIME_MODEL) return assertQuery(query);
  const { upstreams: known } = services.config.realtime;
  const upstream = known.find((candidate) => candidate.name === name);
  if (upstream === undefined && name === DEFAULT_REALTIME_MODEL) {
    throw new ServiceError(
      "SERVICE_UNAVAILABLE",
      `No server of ${name} is configured here. The model ${SERVICE_REALTIME_MODEL} needs none.`,
      { retryAfterSeconds: UNCONFIGURED_RETRY_AFTER_SECONDS },
    );
  }
  if (upstream === undefined) {
    const names = [...new Set([DEFAULT_REALTIME_MODEL, ...known.map((entry) => entry.name), SERVICE_REALTIME_MODEL])];
    throw new ServiceError(
      "VALIDATION_ERROR",
      `Unknown realtime model "${name.slice(0, 100)}". Models: ${names.join(", ")}.`,
    );
  }
  if (upstream.plan !== undefined && !includesPlan(account, upstream.plan)) {
    throw new ServiceError("PLAN_REQUIRED", `The model ${name} needs the plan ${upstream.plan} or higher`, {
      details: { upgrade_url: services.links.upgradeUrl },
    });
  }
  return name;
}

/** Returns the name of our own model. Throws VALIDATION_ERROR for a query that it refuses. */
function assertQuery(query: SessionQuery): string {
  const refusal = refusalOf(query);
  if (refusal !== undefined) throw new ServiceError("VALIDATION_ERROR", `${refusal}.`);
  return SERVICE_REALTIME_MODEL;
}

/** Names that an account may call: our own model, and those of the operator's servers. */
export function realtimeModels(
  { config }: RealtimeServices,
  account: Account,
): { own: readonly string[]; configured: readonly string[] } {
  const callable = config.realtime.upstreams.filter(({ plan }) => plan === undefined || includesPlan(account, plan));
  return { own: [SERVICE_REALTIME_MODEL], configured: callable.map(({ name }) => name) };
}

/** The model of a call that names none: the contract's default if it has a server, else the first that has one, else
 *  our own. */
function defaultModel({
  config: {
    realtime: { upstreams: known },
  },
}: RealtimeServices): string {
  const upstream = known.find(({ name }) => name === DEFAULT_REALTIME_MODEL) ?? known.at(0);
  return upstream?.name ?? SERVICE_REALTIME_MODEL;
}

/** The server of a chosen model. Throws SERVICE_UNAVAILABLE if no worker takes calls of our own. */
export async function findUpstream(
  services: RealtimeServices,
  call: RequestedCall & { model: string },
): Promise<OpenedCall["upstream"]> {
  const configured = services.config.realtime.upstreams.find(({ name }) => name === call.model);
  return configured ? toCloud(configured) : findOwn(services, call);
}

/** Nothing of the caller's query goes there: with some parameters a server joins another call of the operator's. */
function toCloud({ baseUrl, apiKey, model }: RealtimeUpstream): OpenedCall["upstream"] {
  const url = new URL(`${baseUrl}/realtime`);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.searchParams.set("model", model);
  return { url: url.href, headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }, model };
}

async function findOwn(services: RealtimeServices, call: RequestedCall): Promise<OpenedCall["upstream"]> {
  const { database, livekit, now } = services;
  const server = await findRealtimeServer(database, new Date(now()));
  if (server === null) {
    throw new ServiceError("SERVICE_UNAVAILABLE", "No avatar worker takes realtime calls now. Try again later.", {
      retryAfterSeconds: WORKER_RETRY_AFTER_SECONDS,
    });
  }
  const url = new URL(server.url);
  for (const name of SERVICE_QUERY) if (call.query[name]) url.searchParams.set(name, call.query[name]);
  const session = JSON.stringify(await describeServiceSession(database, call));
  return {
    url: url.href,
    headers: {
      authorization: `Bearer ${await mintRealtimeToken(livekit, server)}`,
      [HEADER_REALTIME_SESSION]: Buffer.from(session).toString("base64url"),
    },
    model: SERVICE_REALTIME_MODEL,
  };
}

/** Plans are listed from the lowest; the operator's own is the last. */
function includesPlan({ plan }: Account, needed: RealtimePlan): boolean {
  return PLANS.indexOf(plan) >= PLANS.indexOf(needed);
}
