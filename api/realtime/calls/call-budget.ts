// What the open realtime calls of an account may still cost, to a tenth of a second. Accruals are whole credits, so
// many calls at once would otherwise spend a credit each more than there is.
import { UNITS_PER_CREDIT } from "../../accounts/credits/time-charge.ts";
import { CALL_KINDS, type CallKindName } from "./call-kinds.ts";

/** A call that is not settled yet. */
export interface UnsettledCall {
  kind: CallKindName;
  servedDeciseconds: number;
  isEnded: boolean;
}

/** Cost so far, in units of `UNITS_PER_CREDIT`. */
export function unitsOf({ kind, servedDeciseconds }: Pick<UnsettledCall, "kind" | "servedDeciseconds">): number {
  return servedDeciseconds * CALL_KINDS[kind].creditsPerMinute;
}

/** Whole credits so far, which are accrued. */
export function creditsOf(call: Pick<UnsettledCall, "kind" | "servedDeciseconds">): number {
  return Math.floor(unitsOf(call) / UNITS_PER_CREDIT);
}

export interface CallBudget {
  /** What is left for all calls, in units. Below zero if more was spent than there was. */
  leftUnits: number;
  /** Open calls that cost something. */
  openCalls: number;
}

/** `spendableCredits`: the balance less all accruals, those of the calls included. */
export function budgetOf(spendableCredits: number, calls: readonly UnsettledCall[]): CallBudget {
  const notAccrued = calls.reduce((sum, call) => sum + (unitsOf(call) % UNITS_PER_CREDIT), 0);
  return {
    leftUnits: spendableCredits * UNITS_PER_CREDIT - notAccrued,
    openCalls: calls.filter(({ kind, isEnded }) => !isEnded && CALL_KINDS[kind].creditsPerMinute > 0).length,
  };
}

/** The longest call. Source: the contract. */
const LONGEST_SECONDS = 3_600;

/** What a relay is told about a call that may last until then; undefined if that is longer than any call. */
export function limitSeconds(deciseconds: number): number | undefined {
  return deciseconds < LONGEST_SECONDS * 10 ? deciseconds / 10 : undefined;
}

/** Further deciseconds that one of `openCalls` may last: an equal share of what is left. Infinity for a free call. */
export function shareOf({ leftUnits, openCalls }: CallBudget, kind: CallKindName): number {
  const { creditsPerMinute } = CALL_KINDS[kind];
  if (creditsPerMinute === 0) return Number.POSITIVE_INFINITY;
  return Math.max(0, Math.floor(leftUnits / Math.max(1, openCalls) / creditsPerMinute));
}
