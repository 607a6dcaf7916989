import { ServiceError } from "../../shared/errors.ts";

/** The refusal of visits without a token, in the same words whether the agent is not shared or does not exist. */
export function notShared(): ServiceError {
  return new ServiceError("NOT_FOUND", "No agent is shared at this address");
}
