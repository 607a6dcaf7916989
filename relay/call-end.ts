// Why a realtime call ends, and what its client is told: a close code of WebSocket and a short reason.
import type { StopReason } from "../shared/realtime-api.ts";

/** Ends of the service's own making. The api's stops are among them. */
const OWN_ENDS = {
  balance_exhausted: [4402, "The balance is used up"],
  duration_limit: [4408, "A call lasts one hour at most"],
  secret_revoked: [4401, "The API secret was revoked"],
  account_suspended: [4401, "The account is suspended"],
  hung_up: [1000, "The call was hung up"],
  /** The api has settled the call while it could not be reached. */
  unknown: [1013, "The call was settled; connect again"],
  draining: [1013, "The relay stops; connect again"],
  /** The relay's memory for all calls is used up, and this one keeps most of it. */
  no_memory: [1013, "The relay keeps too much of this call; connect again"],
  too_large: [1009, "An event has more than 16 MiB"],
  upstream_lost: [1011, "The connection to the model was lost"],
} as const satisfies Record<
  StopReason | "duration_limit" | "draining" | "no_memory" | "too_large" | "upstream_lost",
  unknown
>;

export type OwnEnd = keyof typeof OWN_ENDS;

/** All reasons, as metrics and logs name them. */
const CALL_ENDS = [...(Object.keys(OWN_ENDS) as OwnEnd[]), "client_closed", "upstream_closed"] as const;
export type CallEndReason = (typeof CALL_ENDS)[number];

export interface CallEnd {
  reason: CallEndReason;
  /** 1000 to 4999; 1005 if the other side gave none, and 1006 if it vanished. */
  code: number;
  /** At most 123 bytes. */
  text: string;
}

export function ownEnd(reason: OwnEnd): CallEnd {
  const [code, text] = OWN_ENDS[reason];
  return { reason, code, text };
}

/** Whether a close frame may carry the code. Source: RFC 6455, section 7.4. */
export function isSendable(code: number): boolean {
  return (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999);
}
