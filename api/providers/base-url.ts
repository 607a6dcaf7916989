// The base URL of a provider, in its normal form.

import type { AddressGuard } from "../../program/outgoing/address-guard.ts";
import { checkHost } from "../../program/outgoing/check-host.ts";
import { ServiceError } from "../../shared/errors.ts";
import { RUNNABLE_PLATFORM } from "./provider.ts";

const PROTOCOLS = ["https:", "http:", "wss:", "ws:"];
/** Routes of the OpenAI protocol, which are often pasted with the base. */
const PASTED_ROUTE =
  /\/+(?:chat\/completions|completions|audio\/(?:transcriptions|translations|speech)|realtime(?:\/calls)?|responses|models)$/i;

/** How a host is checked. */
export interface HostCheck {
  guard: AddressGuard;
  /** The account that names it. */
  userId: string;
  /** Until when its name may take to resolve, on `performance.now()`'s clock. */
  untilMs: number;
}

/** Returns the URL with https or http, without a route of the OpenAI protocol and without a trailing slash. Throws
 *  VALIDATION_ERROR for anything that is no such URL, has a user name, query or fragment, or a private address. */
export async function normaliseBaseUrl(text: string, platform: string, check: HostCheck): Promise<string> {
  const { guard, userId, untilMs } = check;
  const url = guard.parseUrl(text, PROTOCOLS);
  const path = url.pathname.replace(/\/+$/, "");
  const base = platform === RUNNABLE_PLATFORM ? path.replace(PASTED_ROUTE, "") : path;
  // The query of a pasted route goes with it, such as `?model=`.
  if (base === path && (url.search !== "" || url.hash !== "")) {
    throw new ServiceError("VALIDATION_ERROR", "The URL must not have a query or a fragment");
  }
  await checkHost(guard, url, userId, Math.max(0, Math.ceil(untilMs - performance.now())));
  const scheme = url.protocol === "https:" || url.protocol === "wss:" ? "https" : "http";
  return `${scheme}://${url.host}${base.replace(/\/+$/, "")}`;
}
