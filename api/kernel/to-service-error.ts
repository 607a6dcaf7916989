// Where errors of the engine become errors of the contract.

import type { EngineError, EngineErrorCode } from "../../shared/engine-error.ts";
import { type ErrorCode, ServiceError } from "../../shared/errors.ts";

/** The contract's code for each code of the engine. Jobs retry SERVICE_UNAVAILABLE and give up on the others. */
export const CONTRACT_CODES: Readonly<Record<EngineErrorCode, ErrorCode>> = {
  "invalid-input": "VALIDATION_ERROR",
  "unsupported-media": "UNSUPPORTED_TYPE",
  "too-large": "FILE_TOO_LARGE",
  "file-not-found": "NOT_FOUND",
  "no-face": "MODEL_SUBJECT_MISMATCH",
  "not-a-person": "MODEL_SUBJECT_MISMATCH",
  "face-unsuitable": "IMAGE_FACE_UNSUITABLE",
  "bundle-invalid": "VALIDATION_ERROR",
  "bundle-outdated": "MODEL_ARTIFACT_NOT_READY",
  "no-mouth-network": "MODEL_NOT_OFFERED",
  "unknown-voice": "VOICE_NOT_FOUND",
  unavailable: "SERVICE_UNAVAILABLE",
  timeout: "UPSTREAM_TIMEOUT",
  "upstream-unavailable": "UPSTREAM_UNAVAILABLE",
  "program-failed": "UPSTREAM_ERROR",
};

/** Codes of the engine about the subject of an image. The contract has fewer codes, so these are told as `reason`. */
const SUBJECT_CODES: readonly EngineErrorCode[] = ["no-face", "not-a-person", "face-unsuitable"];

/** The error for callers, with the engine's message. */
export function toServiceError(error: EngineError): ServiceError {
  const details = SUBJECT_CODES.includes(error.code) ? { reason: error.code } : {};
  return new ServiceError(CONTRACT_CODES[error.code], error.message, { cause: error, details });
}
