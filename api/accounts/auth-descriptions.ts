// How each authentication method is described in the OpenAPI document.
import type { ErrorCode } from "../../shared/errors.ts";
import type { AuthKind } from "../kernel/http/caller.ts";
import type { AuthDescription } from "../kernel/http/openapi.ts";

/** Failures are limited by address, also on routes without a limit of their own. */
const COMMON_ERRORS: readonly ErrorCode[] = ["MISSING_AUTH", "UNAUTHORIZED", "PLAN_REQUIRED", "RATE_LIMITED"];
/** Of routes that suspended accounts may not call. */
const SUSPENDED: readonly ErrorCode[] = ["ACCOUNT_SUSPENDED"];

const TOKEN_SECRET: AuthDescription = {
  schemes: ["apiSecret"],
  errors: [...COMMON_ERRORS, "RUNTIME_SUSPENDED"],
  suspendedErrors: SUSPENDED,
};
const SECRET: AuthDescription = { schemes: ["apiSecret"], errors: COMMON_ERRORS, suspendedErrors: SUSPENDED };

/** The start page's own token is not described, because no one else can get it. */
export const AUTH_DESCRIPTIONS: Readonly<Record<AuthKind, AuthDescription>> = Object.freeze({
  none: { schemes: [], errors: [], suspendedErrors: [] },
  console: { schemes: [], errors: COMMON_ERRORS, suspendedErrors: SUSPENDED },
  secret: SECRET,
  "secret-or-bearer": { ...SECRET, schemes: ["apiSecret", "apiSecretBearer"] },
  "secret-or-page": SECRET,
  "token-secret": TOKEN_SECRET,
  "token-secret-or-page": TOKEN_SECRET,
  launch: {
    schemes: ["apiSecret", "bearer"],
    errors: [...COMMON_ERRORS, "RUNTIME_SUSPENDED"],
    suspendedErrors: SUSPENDED,
  },
  "secret-or-model-download": { schemes: ["apiSecret", "bearer"], errors: COMMON_ERRORS, suspendedErrors: SUSPENDED },
  "self-hosted-download": {
    schemes: ["apiSecret", "apiSecretBearer", "bearer"],
    errors: COMMON_ERRORS,
    suspendedErrors: SUSPENDED,
  },
  embed: { schemes: ["bearer"], errors: COMMON_ERRORS, suspendedErrors: SUSPENDED },
  runtime: { schemes: ["bearer"], errors: COMMON_ERRORS, suspendedErrors: SUSPENDED },
  "runtime-session": { schemes: ["bearer"], errors: COMMON_ERRORS, suspendedErrors: SUSPENDED },
});
