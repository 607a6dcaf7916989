// Converts served time to credits: exact to a tenth of a second, floored per session, the rest carried to the account's
// next session.
import type { Transaction } from "kysely";
import type { Account } from "../../accounts/account.ts";
import type { BillingLinks } from "../../accounts/credits/billing-links.ts";
import { lockBalance, setAccrued } from "../../accounts/credits/ledger.ts";
import {
  CAMERA_CREDITS_PER_MINUTE,
  CAMERA_PRICING_CODE,
  CHAT_CREDITS_PER_MINUTE,
  CHAT_PRICING_CODE,
  rateOf,
} from "../../accounts/credits/price-list.ts";
import { chargeTime, UNITS_PER_CREDIT } from "../../accounts/credits/time-charge.ts";
import type { Tables } from "../../kernel/database/database.ts";
import type { AvatarSession } from "../record/avatar-session.ts";
import { type ModelTime, modelCharges, pricedAs } from "./viewer-time.ts";

type ChatTime = Pick<AvatarSession, "chatDeciseconds" | "cameraDeciseconds">;
type Metered = ModelTime & ChatTime;

/** Whole credits that a running session has cost so far, without the account's carry: of its model, its chat line and
 *  its camera line. */
export function accruedCredits(session: Metered): number {
  return accruedModelCredits(session) + accruedChatCredits(session) + accruedCameraCredits(session);
}

/** Of these, the credits of the model: with video, and without. */
function accruedModelCredits(session: ModelTime): number {
  return modelCharges(session).reduce((credits, { units }) => credits + Math.floor(units / UNITS_PER_CREDIT), 0);
}

/** Of these, the credits of the chat line. */
export function accruedChatCredits({ chatDeciseconds }: Pick<Metered, "chatDeciseconds">): number {
  return Math.floor((chatDeciseconds * CHAT_CREDITS_PER_MINUTE) / UNITS_PER_CREDIT);
}

/** Of these, the credits of the camera line. */
export function accruedCameraCredits({ cameraDeciseconds }: Pick<Metered, "cameraDeciseconds">): number {
  return Math.floor((cameraDeciseconds * CAMERA_CREDITS_PER_MINUTE) / UNITS_PER_CREDIT);
}

/** How the lines of the conversation grow with `moreDeciseconds` of served time, if a language model answers: time in
 *  which a camera was watched belongs to the camera line, the rest to the chat line. `watchedSeconds`: as the worker
 *  reports it, of the whole session. */
export function chatTimePatch(
  { mind, chatDeciseconds, cameraDeciseconds }: ChatTime & Pick<AvatarSession, "mind">,
  moreDeciseconds: number,
  watchedSeconds: number | undefined,
): Partial<ChatTime> {
  if (mind !== "model" || moreDeciseconds <= 0) return {};
  const reported = Math.round((watchedSeconds ?? 0) * 10) - cameraDeciseconds;
  const watched = Math.min(moreDeciseconds, Math.max(0, reported));
  return {
    chatDeciseconds: chatDeciseconds + moreDeciseconds - watched,
    cameraDeciseconds: cameraDeciseconds + watched,
  };
}

/** Credits per minute of a session as it is billed now, at most: once video was streamed, the rate of the stream. Of
 *  its conversation, the chat line. */
export function burnRateOf(session: ModelTime & Pick<AvatarSession, "mind">): number {
  return rateOf(pricedAs(session)) + (session.mind === "model" ? CHAT_CREDITS_PER_MINUTE : 0);
}

/** Records the cost of a running session so far, so that no other charge spends those credits. */
export function accrueSession(transaction: Transaction<Tables>, session: AvatarSession): Promise<void> {
  const { userId } = session;
  return setAccrued(transaction, { userId, reference: referenceOf(session), credits: accruedCredits(session) });
}

export interface Settlement {
  session: AvatarSession;
  account: Account;
  links: BillingLinks;
  at: Date;
}

/** Charges an ended session, once, and returns its credits. Time without video, chat line and camera line are charges
 *  of their own, each with its own carry. The balance may go below zero: the time was served. */
export async function settleSession(
  transaction: Transaction<Tables>,
  { session, account, links, at }: Settlement,
): Promise<number> {
  const { userId } = session;
  // Serialises sessions of one account that end together: the carry row may not exist yet, so it cannot be locked.
  await lockBalance(transaction, userId);
  await setAccrued(transaction, { userId, reference: referenceOf(session), credits: 0 });
  const charge = (pricingCode: string, reference: string, units: number): Promise<number> =>
    chargeTime(transaction, { account, pricingCode, reference, units, agentCode: session.agentCode, at, links });
  const { chatDeciseconds, cameraDeciseconds } = session;
  let credits = 0;
  for (const { line, pricingCode, units } of modelCharges(session)) {
    const reference = line === "model" ? referenceOf(session) : `${referenceOf(session)}:${line}`;
    credits += await charge(pricingCode, reference, units);
  }
  if (chatDeciseconds > 0) {
    const units = chatDeciseconds * CHAT_CREDITS_PER_MINUTE;
    credits += await charge(CHAT_PRICING_CODE, `${referenceOf(session)}:chat`, units);
  }
  if (cameraDeciseconds > 0) {
    const units = cameraDeciseconds * CAMERA_CREDITS_PER_MINUTE;
    credits += await charge(CAMERA_PRICING_CODE, `${referenceOf(session)}:camera`, units);
  }
  return credits;
}

/** Ledger reference of a session's charge; its lines append `:viewers`, `:chat` and `:camera`. `usage-store.ts` knows
 *  them too. */
function referenceOf({ id }: AvatarSession): string {
  return `session:${id}`;
}
