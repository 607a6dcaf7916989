// The refusal of a launch token that has started a session.
import { ServiceError } from "../../../shared/errors.ts";

/** FORBIDDEN. */
export function tokenUsed(): ServiceError {
  return new ServiceError("FORBIDDEN", "This token has already started its avatar session. Mint one per session.");
}
