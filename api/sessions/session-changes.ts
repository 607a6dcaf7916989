// What every change of an avatar session is made of: its row held, the one way into `ended`, the worker asked for, the control room closed.
import type { Transaction } from "kysely";
import { ServiceError } from "../../shared/errors.ts";
import type { DispatchMetadata, EndReason } from "../../shared/runtime-api.ts";
import type { Account } from "../accounts/account.ts";
import { findAccount } from "../accounts/account-store.ts";
import type { Queryable, Tables } from "../kernel/database/database.ts";
import type { AvatarSession } from "./avatar-session.ts";
import { findAvatarSession, markEnded } from "./avatar-session-store.ts";
import type { FamilyHealth } from "./family-health.ts";
import { settleSession } from "./metering.ts";
import type { SessionServices } from "./session-services.ts";

/** Ends that are ours to answer for, as opposed to the caller's doing. */
const OWN_FAILURES: readonly EndReason[] = ["worker_lost", "model_failed"];

export interface SessionChanges {
  /** Runs a change with the session's row held. Throws NOT_FOUND for a session that is none. */
  change<T>(id: string, work: (transaction: Transaction<Tables>, session: AvatarSession) => Promise<T>): Promise<T>;
  /** The one way into `ended`: settles what was served and frees the slot. */
  enterEnded(transaction: Transaction<Tables>, session: AvatarSession, reason: EndReason): Promise<AvatarSession>;
  /** Asks for the worker of the session's present dispatch. Throws SERVICE_UNAVAILABLE while LiveKit is away. */
  sendWorker(session: AvatarSession): Promise<void>;
  /** The control room goes with its session; left over, it would only wait for LiveKit's own empty-room timeout. Never throws. */
  closeControlRoom(id: string): Promise<void>;
}

export interface SessionChangesOptions {
  services: SessionServices;
  health: FamilyHealth;
}

export function createSessionChanges({ services, health }: SessionChangesOptions): SessionChanges {
  const { database, livekit, links, logger, tokens, config } = services;

  return {
    change: (id, work) =>
      database.transaction().execute(async (transaction) => {
        const session = await findAvatarSession(transaction, id, { lock: true });
        if (!session) throw new ServiceError("NOT_FOUND", `No avatar session ${id}`);
        return work(transaction, session);
      }),

    async enterEnded(transaction, session, reason) {
      const at = new Date(services.now());
      const account = await requireAccount(transaction, session.userId);
      const credits = await settleSession(transaction, session, account, links, at);
      await markEnded(transaction, session.id, { reason, at, credits });
      logger.info(
        { avatarSessionId: session.id, reason, servedSeconds: session.servedDeciseconds / 10 },
        "avatar session ended",
      );
      if (OWN_FAILURES.includes(reason)) health.record(session.family, false);
      return { ...session, status: "ended", endReason: reason, endedAt: at, credits };
    },

    async sendWorker(session) {
      const claims = { sub: session.id, dispatch: session.dispatchNumber };
      const metadata: DispatchMetadata = {
        avatar_session_id: session.id,
        runtime_token: (await tokens.runtimeSession.mint(claims)).token,
        api_url: config.apiUrl,
      };
      await livekit.dispatchWorker(session.id, JSON.stringify(metadata));
      logger.info({ avatarSessionId: session.id, dispatchNumber: session.dispatchNumber }, "avatar worker asked for");
    },

    async closeControlRoom(id) {
      await livekit.closeControlRoom(id).catch((error: unknown) => {
        logger.warn({ err: error, avatarSessionId: id }, "control room not closed");
      });
    },
  };
}

/** The account of a session, which outlives it. */
export async function requireAccount(database: Queryable, userId: string): Promise<Account> {
  const account = await findAccount(database, userId);
  if (!account) throw new Error(`account ${userId} of a running avatar session is gone`);
  return account;
}
