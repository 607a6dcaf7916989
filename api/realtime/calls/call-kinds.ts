// Kinds of realtime calls: what a minute of each costs, and how many of each an account may have open.

import { REALTIME_CREDITS_PER_MINUTE, REALTIME_PRICING_CODE } from "../../accounts/credits/price-list.ts";
import type { Plan } from "../../accounts/plans/plans.ts";
import { PLAN_LIMITS } from "../../accounts/plans/plans.ts";

export interface CallKind {
  /** 0 for a kind that is free. */
  creditsPerMinute: number;
  /** Of its charges in the ledger; a free kind has none. */
  pricingCode: string;
  /** Most open calls of this kind of an account; Infinity for no limit. */
  mostOpen(plan: Plan): number;
}

const KINDS = {
  /** As many as the plan has avatar sessions; they are counted apart from those. */
  conversation: {
    creditsPerMinute: REALTIME_CREDITS_PER_MINUTE,
    pricingCode: REALTIME_PRICING_CODE,
    mostOpen: (plan) => PLAN_LIMITS[plan].concurrentSessions,
  },
  /** Writes down what is said. One beside each conversation of an agent that thinks and speaks elsewhere. */
  transcription: {
    creditsPerMinute: 0,
    pricingCode: REALTIME_PRICING_CODE,
    mostOpen: (plan) => PLAN_LIMITS[plan].concurrentSessions,
  },
} as const satisfies Record<string, CallKind>;

export type CallKindName = keyof typeof KINDS;
export const CALL_KINDS: Readonly<Record<CallKindName, CallKind>> = Object.freeze(KINDS);

/** The kind of a call, by the query at its opening. OpenAI's clients ask for transcription in this way. */
export function kindOf(query: Readonly<Record<string, string>>): CallKindName {
  return query.intent === "transcription" ? "transcription" : "conversation";
}
