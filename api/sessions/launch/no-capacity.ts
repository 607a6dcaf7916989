// The refusal of a launch for which no worker has a free slot.
import { ServiceError } from "../../../shared/errors.ts";

const RETRY_AFTER_SECONDS = 5;

/** SERVICE_UNAVAILABLE with `Retry-After`. */
export function noCapacity(): ServiceError {
  return new ServiceError("SERVICE_UNAVAILABLE", "No avatar worker has a free slot right now. Try again.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
