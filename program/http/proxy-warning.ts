import type { IncomingHttpHeaders } from "node:http";
import type { Logger } from "../log.ts";

export interface ProxyWarningOptions {
  /** Whether the header is believed. */
  trustProxy: boolean;
  logger: Logger;
}

/** Returns a function that looks at the headers of each request, and logs a warning at the first `X-Forwarded-For` that
 *  is not believed: if a proxy of the operator sets it, all its clients share the limits of one address. */
export function createProxyWarning({
  trustProxy,
  logger,
}: ProxyWarningOptions): (headers: IncomingHttpHeaders) => void {
  let hasWarned = trustProxy;
  return (headers) => {
    if (hasWarned || headers["x-forwarded-for"] === undefined) return;
    hasWarned = true;
    logger.warn(
      { setting: "AVATAR_TRUST_PROXY" },
      "X-Forwarded-For was ignored: if your own proxy sets it, all its clients share one address's limits, " +
        "and AVATAR_TRUST_PROXY=1 tells them apart",
    );
  };
}
