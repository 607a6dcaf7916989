// What a failed call of the service means on a command line.

import packageJson from "../../package.json" with { type: "json" };
import { ApiError, type AvatarError, ConnectionError, InvalidResponseError } from "../../sdk/client/errors.ts";

export interface ClientFailure {
  kind: "generic" | "usage" | "no_input" | "unavailable" | "no_permission";
  code: string;
  message: string;
  hint?: string;
}

const KIND_OF_STATUS: Readonly<Record<number, ClientFailure["kind"]>> = {
  401: "no_permission",
  402: "no_permission",
  403: "no_permission",
  404: "no_input",
  410: "no_input",
  429: "unavailable",
};

/** `error`: as the client throws it. */
export function clientFailure(error: AvatarError): ClientFailure {
  if (error instanceof ConnectionError) {
    return {
      kind: "unavailable",
      code: "SERVICE_UNREACHABLE",
      // The client's message begins with the call.
      message: sentence(error.message.replace(/^[A-Z]+ \S+: /, "The service did not answer: ")),
      hint: "Is it running, and is its address right? AVATAR_API_URL, or avatar login --url, names another one.",
    };
  }
  if (error instanceof InvalidResponseError || (error instanceof ApiError && error.code.startsWith("HTTP_"))) {
    return {
      kind: "unavailable",
      code: "NOT_THE_SERVICE",
      message: sentence(error.message),
      hint: "Something else may listen at this address. AVATAR_API_URL, or avatar login --url, names another one.",
    };
  }
  if (!(error instanceof ApiError)) return { kind: "generic", code: codeOf(error), message: sentence(error.message) };
  if (error.code === "NOT_FOUND" && error.message.startsWith("No endpoint ")) return otherVersion(error.message);
  const kind = KIND_OF_STATUS[error.httpStatus] ?? (error.httpStatus >= 500 ? "unavailable" : "generic");
  return { kind, code: error.code, message: sentence(error.message), hint: hintOf(error) };
}

/** A service that does not know what this program asks, or answers in another way. */
export function otherVersion(what: string): ClientFailure {
  return {
    kind: "unavailable",
    code: "OTHER_VERSION",
    message: `The service is of another version than this program (${packageJson.version}): ${sentence(what)}`,
    hint: "Update the older of the two. GET /openapi.json tells the version of the service.",
  };
}

function hintOf({ httpStatus, upgradeUrl, topupUrl, requestId, code }: ApiError): string | undefined {
  if (httpStatus === 401) return "avatar login signs you in again; AVATAR_API_SECRET, where it is set, wins.";
  if (topupUrl !== undefined) return `Credits are added at ${topupUrl}`;
  if (upgradeUrl !== undefined) return `Plans: ${upgradeUrl}`;
  if (code === "RATE_LIMITED") return undefined;
  if (httpStatus >= 500 && requestId !== undefined) return `The service's log has it as request ${requestId}.`;
  return undefined;
}

function codeOf({ name }: AvatarError): string {
  return name
    .replace(/Error$/, "")
    .replace(/(?<=[a-z])(?=[A-Z])/g, "_")
    .toUpperCase();
}

function sentence(text: string): string {
  return /[.?)!]$/.test(text) ? text : `${text}.`;
}
