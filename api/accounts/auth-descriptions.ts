// How each way to authenticate is shown in the OpenAPI document.
import type { ErrorCode } from "../../shared/errors.ts";
import type { AuthKind } from "../kernel/http/caller.ts";
import type { AuthDescription } from "../kernel/http/openapi.ts";

/** Too many failures from one address are limited, also on routes without a limit of their own. */
const COMMON_ERRORS: readonly ErrorCode[] = ["MISSING_AUTH", "UNAUTHORIZED", "PLAN_REQUIRED", "RATE_LIMITED"];

export const AUTH_DESCRIPTIONS: Readonly<Record<AuthKind, AuthDescription>> = Object.freeze({
  none: { schemes: [], errors: [] },
  secret: { schemes: ["apiSecret"], errors: COMMON_ERRORS },
  "token-secret": { schemes: ["apiSecret"], errors: [...COMMON_ERRORS, "RUNTIME_SUSPENDED"] },
  launch: { schemes: ["apiSecret", "bearer"], errors: [...COMMON_ERRORS, "RUNTIME_SUSPENDED"] },
  "secret-or-model-download": { schemes: ["apiSecret", "bearer"], errors: COMMON_ERRORS },
  embed: { schemes: ["bearer"], errors: COMMON_ERRORS },
  runtime: { schemes: ["bearer"], errors: COMMON_ERRORS },
  "runtime-session": { schemes: ["bearer"], errors: COMMON_ERRORS },
});
