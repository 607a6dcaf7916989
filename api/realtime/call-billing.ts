// What a realtime call costs: its rate times its time, while it runs and once it has ended.
import { findAccount } from "../accounts/account-store.ts";
import { lockBalance, setAccrued } from "../accounts/credits/ledger.ts";
import { REALTIME_CREDITS_PER_MINUTE, REALTIME_PRICING_CODE } from "../accounts/credits/price-list.ts";
import { chargeTime, UNITS_PER_CREDIT } from "../accounts/credits/time-charge.ts";
import { deleteCall, lockCall, type ToldCall } from "./call-store.ts";
import type { RealtimeServices } from "./realtime-services.ts";

type Billing = Pick<RealtimeServices, "database" | "links" | "now">;

/** Whole credits of a call of this length, without the account's carry. */
export function creditsOf(deciseconds: number): number {
  return Math.floor((deciseconds * REALTIME_CREDITS_PER_MINUTE) / UNITS_PER_CREDIT);
}

/** Records the cost of a running call so far, so that no other charge spends those credits. Nothing if it has ended. */
export function accrueCall({ database }: Billing, id: string): Promise<void> {
  return database.transaction().execute(async (transaction) => {
    const call = await lockCall(transaction, id);
    if (!call) return;
    const { userId, servedDeciseconds } = call;
    await setAccrued(transaction, { userId, reference: referenceOf(id), credits: creditsOf(servedDeciseconds) });
  });
}

/** Charges a call, once, and removes it. A call that was settled before stays as it was charged. Returns the charged
 *  credits, or null if it was settled before. */
export function settleCall({ database, links, now }: Billing, told: ToldCall): Promise<number | null> {
  return database.transaction().execute(async (transaction) => {
    const call = await lockCall(transaction, told.id);
    const account = call && (await findAccount(transaction, call.userId));
    if (!call || !account) return null;
    const { id, userId } = call;
    // Serialises calls of one account that end together: the carry row may not exist yet, so it cannot be locked.
    await lockBalance(transaction, userId);
    const reference = referenceOf(id);
    await setAccrued(transaction, { userId, reference, credits: 0 });
    const credits = await chargeTime(transaction, {
      account,
      pricingCode: REALTIME_PRICING_CODE,
      reference,
      units: Math.max(call.servedDeciseconds, told.deciseconds) * REALTIME_CREDITS_PER_MINUTE,
      agentCode: null,
      at: new Date(now()),
      links,
    });
    await deleteCall(transaction, id);
    return credits;
  });
}

/** Ledger reference of a call's charge. */
function referenceOf(id: string): string {
  return `realtime:${id}`;
}
