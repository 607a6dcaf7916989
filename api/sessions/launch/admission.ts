// Decides whether an avatar session may start, and writes it down: one transaction, so that two requests cannot both take the
// last slot or the last credit, and a repeat of the same request finds the first one's session.
import { randomBytes } from "node:crypto";
import type { Transaction } from "kysely";
import { ServiceError } from "../../../shared/errors.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import type { Account } from "../../accounts/account.ts";
import { findAccount } from "../../accounts/account-store.ts";
import type { BillingLinks } from "../../accounts/credits/billing-links.ts";
import { assertMaySpend, balanceOf } from "../../accounts/credits/ledger.ts";
import { PLAN_LIMITS } from "../../accounts/plans/plans.ts";
import type { Agent } from "../../agents/agent.ts";
import { requireOwnAgent } from "../../agents/agent-access.ts";
import { assertNotPaused, type ChosenModel, requireModel } from "../../agents/models/model-availability.ts";
import type { Database, Tables } from "../../kernel/database/database.ts";
import type { AvatarSession } from "../avatar-session.ts";
import {
  countRunning,
  findRunningAt,
  insertAvatarSession,
  listRunningOfAgent,
  wasTokenUsed,
} from "../avatar-session-store.ts";
import { chooseModel, choosePhotoModel } from "./launch-model.ts";

const SESSION_ID_BYTES = 12;
/** A session needs at least this much to start; it ends by itself when the balance is gone. */
const ENTRY_CREDITS = 1;
/** Sent with the refusal of an agent whose sessions are capped. */
const BUSY_RETRY_AFTER_SECONDS = 30;

export interface AdmissionRequest {
  account: Account;
  secretId: string;
  /** Null for a photo session without an agent. */
  agentCode: string | null;
  /** Null lets the agent and the kind of session decide. */
  model: string | null;
  mode: string;
  /** Whether the face is a picture that comes with the request. */
  hasImage: boolean;
  hasConversation: boolean;
  isSelfHosted: boolean;
  /** Normalised. */
  livekitUrl: string;
  roomName: string;
  avatarIdentity: string;
  launchTokenId: string | null;
  sealedLivekitToken: Buffer | null;
  /** Refuses a new session if this many of the account's sessions with the agent run. Default: no such limit. */
  maxRunningOfAgent?: number;
  /** Models that start nothing new for now. */
  pausedModels: readonly ModelFamily[];
  /** Models that callers may ask for. */
  offeredModels: readonly ModelFamily[];
  links: BillingLinks;
  now: Date;
}

export interface Admission {
  session: AvatarSession;
  /** False when the request repeats one whose session still runs. */
  isNew: boolean;
}

/** Admits a session. `storePortrait` is called for a new photo session only, with its id, and returns the picture's key. Throws
 *  the contract's refusals, in its order: agent and model, suspension and credits, concurrency. */
export function admit(
  database: Database,
  request: AdmissionRequest,
  storePortrait: (sessionId: string) => Promise<string | null>,
): Promise<Admission> {
  return database.transaction().execute(async (transaction) => {
    // Admissions of one account queue up on its row.
    const account = await findAccount(transaction, request.account.userId, { lock: true });
    if (!account) throw new ServiceError("UNAUTHORIZED", "The account no longer exists");
    const agent = request.agentCode === null ? null : await requireOwnAgent(transaction, account, request.agentCode);
    const model = modelOf(agent, request);
    const running = request.isSelfHosted
      ? null
      : await findRunningAt(transaction, { ...request, userId: account.userId });
    if (running) return { session: assertSame(running, request, model), isNew: false };
    assertNotPaused(model.family, request.pausedModels);
    if (request.launchTokenId !== null && (await wasTokenUsed(transaction, request.launchTokenId))) {
      throw new ServiceError("FORBIDDEN", "This token has already started its avatar session. Mint one per session.");
    }
    await assertAffordable(transaction, account, request.links);
    if (!request.isSelfHosted) await assertSlot(transaction, account, request.links);
    await assertBelowAgentLimit(transaction, request);
    const id = `cs_${randomBytes(SESSION_ID_BYTES).toString("hex")}`;
    const session = await insertAvatarSession(transaction, {
      ...request,
      id,
      userId: account.userId,
      model: model.name,
      family: model.family,
      portraitKey: request.hasImage ? await storePortrait(id) : null,
      createdAt: request.now,
    });
    return { session, isNew: true };
  });
}

function modelOf(agent: Agent | null, request: AdmissionRequest): ChosenModel {
  if (!request.hasImage && agent) return chooseModel(agent, request.model, request.offeredModels);
  if (!request.hasImage && request.isSelfHosted && request.model !== null) {
    return requireModel(request.model, request.offeredModels);
  }
  if (!request.hasImage) throw new ServiceError("VALIDATION_ERROR", "agent_id or image is required");
  return choosePhotoModel(request.model, request.offeredModels);
}

/** A repeat must ask for what runs; anything else would silently get another face than it named. */
function assertSame(running: AvatarSession, request: AdmissionRequest, model: ChosenModel): AvatarSession {
  const isSame =
    running.agentCode === request.agentCode &&
    running.family === model.family &&
    (running.portraitKey !== null) === request.hasImage;
  if (isSame) return running;
  throw new ServiceError(
    "CONFLICT",
    "Another agent or model already runs for this room and avatar identity. End it first.",
  );
}

async function assertAffordable(
  transaction: Transaction<Tables>,
  account: Account,
  links: BillingLinks,
): Promise<void> {
  if (account.isRuntimeSuspended) {
    throw new ServiceError("RUNTIME_SUSPENDED", "Runtime access of this account is suspended");
  }
  const balance = await balanceOf(transaction, account.userId);
  assertMaySpend(account, balance.total, ENTRY_CREDITS, links);
}

async function assertBelowAgentLimit(
  transaction: Transaction<Tables>,
  { account, agentCode, maxRunningOfAgent }: AdmissionRequest,
): Promise<void> {
  if (maxRunningOfAgent === undefined || agentCode === null) return;
  const running = await listRunningOfAgent(transaction, account.userId, agentCode);
  if (running.length < maxRunningOfAgent) return;
  throw new ServiceError(
    "SERVICE_UNAVAILABLE",
    `All ${maxRunningOfAgent} places of this avatar are taken. Try again.`,
    {
      retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS,
    },
  );
}

async function assertSlot(transaction: Transaction<Tables>, account: Account, links: BillingLinks): Promise<void> {
  const { concurrentSessions: limit, title } = PLAN_LIMITS[account.plan];
  const running = await countRunning(transaction, account.userId);
  if (running < limit) return;
  throw new ServiceError(
    "CONCURRENCY_LIMIT_REACHED",
    `The ${title} plan allows ${limit} concurrent avatar sessions; ${running}/${limit} are running. End one or upgrade.`,
    { details: { upgrade_url: links.upgradeUrl, details: { upgrade_url: links.upgradeUrl, limit, running } } },
  );
}
