// The refusal of a launch that meets a limit of sessions.
import { ServiceError } from "../../../shared/errors.ts";
import type { VacantScope } from "../record/session-queries.ts";

export class SlotsTakenError extends ServiceError {
  /** A vacant session of this scope would make way for the launch. */
  readonly scope: VacantScope;
  /** Whether the limit is that of the workers, with slots that are soon free: then the launch may wait. */
  readonly isBrief: boolean;

  /** `refusal`: what the caller is told if no slot becomes free. */
  constructor(refusal: ServiceError, scope: VacantScope, isBrief: boolean) {
    const { code, message, details, retryAfterSeconds } = refusal;
    super(code, message, { details, retryAfterSeconds });
    this.scope = scope;
    this.isBrief = isBrief;
  }
}
