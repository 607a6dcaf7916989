// How many realtime calls an account may have open at once: by its plan, by its credits, and a share of what is scarce,
// so that no account takes the slots of all others. Calls that are being connected count from their opening.
import { ServiceError } from "../../../shared/errors.ts";
import { SERVICE_REALTIME_MODEL } from "../../../shared/wire-names.ts";
import type { Account } from "../../accounts/account.ts";
import { UNITS_PER_CREDIT } from "../../accounts/credits/time-charge.ts";
import { PLAN_LIMITS } from "../../accounts/plans/plans.ts";
import { budgetOf } from "./call-budget.ts";
import { CALL_KINDS } from "./call-kinds.ts";
import type { HeldCall, NewCall } from "./call-store.ts";

/** Credits that are left for each open call when another one begins: six seconds. Reports are two seconds apart, so the
 *  limits of all calls are known before these are used up. */
const CREDITS_PER_CALL = 1;
/** `Retry-After` of an account that has all the calls that it may have. */
const RETRY_AFTER_SECONDS = 10;

export interface SlotRequest {
  account: Account;
  call: Pick<NewCall, "model" | "kind" | "relayId" | "transport">;
  /** The account's calls, settled or not. */
  held: readonly HeldCall[];
  /** Balance of the account, less what has accrued. */
  spendableCredits: number;
  /** Realtime sessions that all present workers can run; null if none says. */
  workerSlots: number | null;
  /** UDP ports of the call's relay; null if it may use any. */
  relayPorts: number | null;
}

/** Throws SERVICE_UNAVAILABLE if the account may not open this call beside those that it has. */
export function assertSlot({ account, call, held, spendableCredits, workerSlots, relayPorts }: SlotRequest): void {
  const open = held.filter(({ isEnded }) => !isEnded);
  const { mostOpen, creditsPerMinute } = CALL_KINDS[call.kind];
  const assertBelow = (limit: number, running: number, what: string): void => {
    if (running < limit) return;
    const message = `${what}: ${limit}; ${running}/${limit} are open. End one, or try again later.`;
    const details = { details: { limit, running } };
    throw new ServiceError("SERVICE_UNAVAILABLE", message, { retryAfterSeconds: RETRY_AFTER_SECONDS, details });
  };
  const { title, isAdmissionFree } = PLAN_LIMITS[account.plan];
  const ofKind = open.filter(({ kind }) => kind === call.kind);
  assertBelow(mostOpen(account.plan), ofKind.length, `Realtime calls of the ${title} plan at once`);
  // The operator's own plan is bounded by the machines alone.
  if (isAdmissionFree) return;
  if (call.model === SERVICE_REALTIME_MODEL && workerSlots !== null) {
    const ofWorkers = open.filter(({ model }) => model === SERVICE_REALTIME_MODEL);
    assertBelow(shareOf(workerSlots), ofWorkers.length, `Calls to ${SERVICE_REALTIME_MODEL} of one account at once`);
  }
  if (call.transport === "webrtc" && relayPorts !== null) {
    const ofRelay = open.filter(({ transport, relayId }) => transport === "webrtc" && relayId === call.relayId);
    assertBelow(shareOf(relayPorts), ofRelay.length, "Calls over WebRTC of one account at once");
  }
  if (creditsPerMinute === 0) return;
  const { leftUnits, openCalls } = budgetOf(spendableCredits, held);
  const most = Math.floor(leftUnits / (CREDITS_PER_CALL * UNITS_PER_CREDIT));
  assertBelow(Math.max(1, most), openCalls, "Realtime calls at once that the credits are enough for");
}

/** Half of what there is, and one at least. */
function shareOf(total: number): number {
  return Math.max(1, Math.floor(total / 2));
}
