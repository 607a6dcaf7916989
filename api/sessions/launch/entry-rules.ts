// The rules of every new session, on our workers or on the caller's machine.
import { ServiceError } from "../../../shared/errors.ts";
import type { Account } from "../../accounts/account.ts";
import { findAccount } from "../../accounts/account-store.ts";
import { assertMaySpend, balanceOf, maySpend } from "../../accounts/credits/ledger.ts";
import { assertNotPaused, type ChosenModel } from "../../agents/models/model-availability.ts";
import type { Queryable } from "../../kernel/database/database.ts";
import type { AvatarSession } from "../record/avatar-session.ts";
import { wasTokenUsed } from "../record/session-queries.ts";
import type { SessionServices } from "../session-services.ts";
import { tokenUsed } from "./token-used.ts";

/** Minimum balance to start a session. The session ends when the balance is used up. */
const ENTRY_CREDITS = 1;

export interface Admission {
  session: AvatarSession;
  /** False if the request repeats one of a session that still runs. */
  isNew: boolean;
}

/** The account of a request as it is now. With `lock`, admissions of one account queue up on its row. */
export async function currentAccount(
  database: Queryable,
  { userId }: Account,
  options: { lock?: boolean } = {},
): Promise<Account> {
  const account = await findAccount(database, userId, options);
  if (!account) throw new ServiceError("UNAUTHORIZED", "The account no longer exists");
  return account;
}

/** The running session, if the request names the same agent, model and kind of face. Throws CONFLICT otherwise. */
export function assertSame(
  running: AvatarSession,
  { agentCode, hasImage }: { agentCode: string | null; hasImage: boolean },
  model: ChosenModel,
): AvatarSession {
  const isSame =
    running.agentCode === agentCode && running.family === model.family && (running.portraitKey !== null) === hasImage;
  if (isSame) return running;
  throw new ServiceError(
    "CONFLICT",
    "Another agent or model already runs in this room with this avatar identity. End that session first.",
  );
}

/** Throws for a paused model, a launch token that has started a session, and an account that is suspended or has no
 *  credits: INSUFFICIENT_BALANCE, or PAYWALL for a person in the console. */
export async function assertMayStart(
  { config, links }: SessionServices,
  database: Queryable,
  {
    account,
    model,
    launchTokenId,
    isConsole = false,
  }: { account: Account; model: ChosenModel; launchTokenId: string | null; isConsole?: boolean },
): Promise<void> {
  assertNotPaused(model.family, config.avatars.pausedModels);
  if (launchTokenId !== null && (await wasTokenUsed(database, launchTokenId))) throw tokenUsed();
  if (account.isRuntimeSuspended) {
    throw new ServiceError("RUNTIME_SUSPENDED", "Runtime access of this account is suspended");
  }
  const balance = await balanceOf(database, account.userId);
  if (isConsole && !maySpend(account, balance.total, ENTRY_CREDITS)) {
    const details = { topup_url: links.topupUrl };
    throw new ServiceError("PAYWALL", "No minutes are left to talk with. Buy credits to go on.", { details });
  }
  assertMaySpend(account, balance.total, ENTRY_CREDITS, links);
}
