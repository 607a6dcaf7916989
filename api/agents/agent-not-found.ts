// The contract's answer for an unknown agent, and for one that is not the caller's.
import { ServiceError } from "../../shared/errors.ts";

export function agentNotFound(code: string): ServiceError {
  return new ServiceError("NOT_FOUND", `Agent not found for code: ${code.slice(0, 100)}`);
}
