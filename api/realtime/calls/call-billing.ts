// What a realtime call costs: its rate times its time, while it runs and once it has ended.
import type { Transaction } from "kysely";
import { findAccount } from "../../accounts/account-store.ts";
import { lockBalance, setAccrued, setAllAccrued } from "../../accounts/credits/ledger.ts";
import { chargeTime } from "../../accounts/credits/time-charge.ts";
import type { Tables } from "../../kernel/database/database.ts";
import type { RealtimeServices } from "../realtime-services.ts";
import { creditsOf, unitsOf } from "./call-budget.ts";
import { CALL_KINDS } from "./call-kinds.ts";
import { type Due, deleteCall, lockDueCall, type RealtimeCall } from "./call-store.ts";

/** Records the cost of calls so far, so that no other charge spends those credits. The calls must be locked. */
export function accrueCalls(transaction: Transaction<Tables>, calls: readonly RealtimeCall[]): Promise<void> {
  return setAllAccrued(
    transaction,
    calls.flatMap((call) => {
      const credits = creditsOf(call);
      return credits > 0 ? [{ userId: call.userId, reference: referenceOf(call.id), credits }] : [];
    }),
  );
}

export interface SettledCall {
  id: string;
  /** Charged credits. */
  credits: number;
}

/** Charges one due call, once, and removes it. Returns null if there is none. */
export function settleDueCall(
  { database, links, now }: Pick<RealtimeServices, "database" | "links" | "now">,
  due: Due,
): Promise<SettledCall | null> {
  return database.transaction().execute(async (transaction) => {
    const call = await lockDueCall(transaction, due);
    const account = call && (await findAccount(transaction, call.userId));
    if (!call || !account) return null;
    const { id, userId } = call;
    // Serialises calls of one account that end together: the carry row may not exist yet, so it cannot be locked.
    await lockBalance(transaction, userId);
    const reference = referenceOf(id);
    await setAccrued(transaction, { userId, reference, credits: 0 });
    const credits = await chargeTime(transaction, {
      account,
      pricingCode: CALL_KINDS[call.kind].pricingCode,
      reference,
      units: unitsOf(call),
      agentCode: null,
      secretId: call.secretId,
      deciseconds: call.servedDeciseconds,
      at: new Date(now()),
      links,
    });
    await deleteCall(transaction, id);
    return { id, credits };
  });
}

/** Ledger reference of a call's charge. */
function referenceOf(id: string): string {
  return `realtime:${id}`;
}
