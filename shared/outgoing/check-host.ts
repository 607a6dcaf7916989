// Checks the host of a URL that is stored, before anything connects to it.
import { setTimeout as wait } from "node:timers/promises";
import { portOf } from "../address-rules.ts";
import { isServiceError } from "../errors.ts";
import type { AddressGuard } from "./address-guard.ts";

/** Limit of the name look-up, so that a slow name server does not hold up the caller. */
const RESOLVE_TIMEOUT_MS = 2_000;

/** Throws the guard's VALIDATION_ERROR if the name has a private address now. A name that does not resolve passes: each
 *  connection resolves it again. */
export async function checkHost(guard: AddressGuard, url: URL): Promise<void> {
  const resolving = guard.resolve(url.hostname, portOf(url)).catch((error: unknown) => {
    if (isServiceError(error)) throw error;
  });
  await Promise.race([resolving, wait(RESOLVE_TIMEOUT_MS, undefined, { ref: false })]);
}
