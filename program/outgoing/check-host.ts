// Checks the host of a URL that is stored, before anything connects to it.
import { isServiceError } from "../../shared/errors.ts";
import type { AddressGuard } from "./address-guard.ts";

/** Limit of the name look-up, so that a slow name server does not hold up the caller. */
const RESOLVE_TIMEOUT_MS = 2_000;

/** Throws the guard's VALIDATION_ERROR if the name has a private address now. A name that does not resolve within
 *  `timeoutMs` (default 2 s) passes: each connection resolves it again. `owner`: the account that names it. */
export async function checkHost(
  guard: AddressGuard,
  url: URL,
  owner: string,
  timeoutMs = RESOLVE_TIMEOUT_MS,
): Promise<void> {
  try {
    await guard.resolveFor(owner, url, timeoutMs);
  } catch (error) {
    if (isServiceError(error)) throw error;
  }
}
