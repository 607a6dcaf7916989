// Decides whether an avatar session may start, and inserts it: one transaction, so that two requests cannot both take
// the last slot or the last credit, and a repeated request finds the first one's session.
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { ServiceError } from "../../../shared/errors.ts";
import { DEVICES, GPU_MODELS, type ModelFamily, resolveModel } from "../../../shared/models.ts";
import type { Account } from "../../accounts/account.ts";
import { findAccount } from "../../accounts/account-store.ts";
import type { BillingLinks } from "../../accounts/credits/billing-links.ts";
import { assertMaySpend, balanceOf } from "../../accounts/credits/ledger.ts";
import { PLAN_LIMITS } from "../../accounts/plans/plans.ts";
import type { Agent } from "../../agents/agent.ts";
import { requireOwnAgent } from "../../agents/agent-access.ts";
import { assertNotPaused, type ChosenModel, requireModel } from "../../agents/models/model-availability.ts";
import type { Database, Queryable } from "../../kernel/database/database.ts";
import type { AvatarSession } from "../avatar-session.ts";
import type { SessionMachine } from "../session-machine.ts";
import {
  countModelsOnWorkers,
  countOnWorkers,
  countRunning,
  countUnserved,
  findRunningAt,
  findRunningOfToken,
  listRunningOfAgent,
  wasTokenUsed,
} from "../session-queries.ts";
import { listProviders, readCapacity, readGpuCapacity } from "../workers/worker-registry.ts";
import { chooseModel, choosePhotoModel } from "./launch-model.ts";
import { noCapacity } from "./no-capacity.ts";
import { SlotsTakenError } from "./slots-taken.ts";
import { tokenUsed } from "./token-used.ts";

const SESSION_ID_BYTES = 12;
/** Minimum balance to start a session. The session ends when the balance is used up. */
const ENTRY_CREDITS = 1;
/** `Retry-After` when an agent's sessions are at their cap. */
const BUSY_RETRY_AFTER_SECONDS = 30;
/** `Retry-After` for a model that pins a tier. */
const TIER_RETRY_AFTER_SECONDS = 30;
/** Advisory lock of the decision whether a worker has room; any number that no other lock has. */
const CAPACITY_LOCK = 7_300_013;
/** Maximum number of an account's running self-hosted sessions that have served nothing yet. */
const MAX_UNSERVED_SESSIONS = 1_000;
/** `Retry-After` at that number: by then all of them have reported, or have ended. */
const UNSERVED_RETRY_AFTER_SECONDS = 60;

/** The input of an admission decision. */
export interface AdmissionRequest {
  account: Account;
  secretId: string;
  /** Null for a photo session without an agent. */
  agentCode: string | null;
  /** Null: chosen by the agent and the kind of session. */
  model: string | null;
  mode: string;
  /** Whether the request brings an image for the face. */
  hasImage: boolean;
  hasConversation: boolean;
  isSelfHosted: boolean;
  /** Whether the room is one of ours. Default false. */
  isHosted?: boolean;
  /** The caller's own id of the person in front of the avatar. Default: none. */
  endUserId?: string | null;
  /** Whether the visitor's conversations are remembered. Default false. */
  remembersVisitor?: boolean;
  /** Normalised. */
  livekitUrl: string;
  roomName: string;
  avatarIdentity: string;
  launchTokenId: string | null;
  /** Of the token exchange of the request's token. Default: none. */
  transactionId?: string | null;
  /** Refuses a new session if this many of the account's sessions with the agent run. Default: no such limit. */
  maxRunningOfAgent?: number;
  /** Models for which no new session starts. */
  pausedModels: readonly ModelFamily[];
  /** Models that callers may name. */
  offeredModels: readonly ModelFamily[];
  links: BillingLinks;
  now: Date;
}

/** An admitted launch with the values to store. */
export interface NewSession extends AdmissionRequest {
  id: string;
  sealedLivekitToken: Buffer | null;
  /** Stored image of a photo session. */
  portraitKey: string | null;
}

export interface Admission {
  session: AvatarSession;
  /** False if the request repeats one whose session still runs. */
  isNew: boolean;
}

/** A new unique session id. */
export function newSessionId(): string {
  return `cs_${randomBytes(SESSION_ID_BYTES).toString("hex")}`;
}

/** Admits a session. Throws the contract's refusals, in its order: agent and model, suspension and credits,
 *  concurrency; the last as SlotsTakenError. */
export function admit(database: Database, machine: SessionMachine, request: NewSession): Promise<Admission> {
  return database.transaction().execute(async (transaction) => {
    // Admissions of one account queue up on its row.
    const account = await findAccount(transaction, request.account.userId, { lock: true });
    if (!account) throw new ServiceError("UNAUTHORIZED", "The account no longer exists");
    const { running, model } = await judge(transaction, account, request);
    if (running) return { session: running, isNew: false };
    const session = await machine.admit(transaction, {
      ...request,
      userId: account.userId,
      model: model.name,
      family: model.family,
      createdAt: request.now,
    });
    return { session, isNew: true };
  });
}

/** Throws as `admit` would, without admitting anything and without a lock. Called before an image is fetched, so that
 *  errors come early. */
export async function assertAdmissible(database: Database, request: AdmissionRequest): Promise<void> {
  const account = await findAccount(database, request.account.userId);
  if (!account) throw new ServiceError("UNAUTHORIZED", "The account no longer exists");
  await judge(database, account, request);
}

/** The model of a request that may start, or the running session that the request repeats. */
async function judge(
  database: Queryable,
  account: Account,
  request: AdmissionRequest,
): Promise<{ model: ChosenModel; running: AvatarSession | null }> {
  const agent = request.agentCode === null ? null : await requireOwnAgent(database, account, request.agentCode);
  const model = modelOf(agent, request);
  const running = request.isSelfHosted
    ? await findRunningOfToken(database, request)
    : await findRunningAt(database, { ...request, userId: account.userId });
  if (running) return { running: assertSame(running, request, model), model };
  assertNotPaused(model.family, request.pausedModels);
  if (request.launchTokenId !== null && (await wasTokenUsed(database, request.launchTokenId))) {
    throw tokenUsed();
  }
  await assertAffordable(database, account, request.links);
  if (request.isSelfHosted) await assertServing(database, account);
  else await assertSlot(database, account, request.links);
  await assertBelowAgentLimit(database, request);
  if (!request.isSelfHosted) await assertProvider(database, model, request.now);
  if (!request.isSelfHosted) await assertCapacity(database, model, request.now);
  return { model, running: null };
}

function modelOf(agent: Agent | null, request: AdmissionRequest): ChosenModel {
  if (!request.hasImage && agent) return chooseModel(agent, request.model, request.offeredModels, request.mode);
  if (!request.hasImage && request.isSelfHosted && request.model !== null) {
    return requireModel(request.model, request.offeredModels);
  }
  if (!request.hasImage) throw new ServiceError("VALIDATION_ERROR", "agent_id or image is required");
  return choosePhotoModel(request.model, request.offeredModels);
}

/** The running session, if the request names the same agent, model and kind of face. Throws CONFLICT otherwise. */
function assertSame(running: AvatarSession, request: AdmissionRequest, model: ChosenModel): AvatarSession {
  const isSame =
    running.agentCode === request.agentCode &&
    running.family === model.family &&
    (running.portraitKey !== null) === request.hasImage;
  if (isSame) return running;
  throw new ServiceError(
    "CONFLICT",
    "Another agent or model already runs in this room with this avatar identity. End that session first.",
  );
}

async function assertAffordable(database: Queryable, account: Account, links: BillingLinks): Promise<void> {
  if (account.isRuntimeSuspended) {
    throw new ServiceError("RUNTIME_SUSPENDED", "Runtime access of this account is suspended");
  }
  const balance = await balanceOf(database, account.userId);
  assertMaySpend(account, balance.total, ENTRY_CREDITS, links);
}

async function assertBelowAgentLimit(
  database: Queryable,
  { account, agentCode, maxRunningOfAgent }: AdmissionRequest,
): Promise<void> {
  if (maxRunningOfAgent === undefined || agentCode === null) return;
  const running = await listRunningOfAgent(database, account.userId, agentCode);
  if (running.length < maxRunningOfAgent) return;
  const refusal = new ServiceError(
    "SERVICE_UNAVAILABLE",
    `This agent already runs ${maxRunningOfAgent} avatar sessions, which is its limit. Try again later.`,
    { retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS },
  );
  throw new SlotsTakenError(refusal, { userId: account.userId, agentCode }, false);
}

/** A model that pins a tier needs a worker that reports it; every worker has a CPU. The launch is refused at once. */
async function assertProvider(database: Queryable, model: ChosenModel, now: Date): Promise<void> {
  const provider = resolveModel(model.name)?.provider ?? "cpu";
  if (provider === "cpu" || (await listProviders(database, now)).has(provider)) return;
  throw new ServiceError(
    "SERVICE_UNAVAILABLE",
    `No avatar worker with the device ${DEVICES[provider]} is connected. Try again later, or use the model ${model.family}, which every worker serves.`,
    { retryAfterSeconds: TIER_RETRY_AFTER_SECONDS },
  );
}

/** Refuses a session that no worker has room for. Without any worker, the launch waits for one instead. */
async function assertCapacity(database: Queryable, model: ChosenModel, now: Date): Promise<void> {
  // Launches that arrive together take turns, so that they cannot all have the last place.
  await sql`select pg_advisory_xact_lock(${CAPACITY_LOCK})`.execute(database);
  const capacity = await readCapacity(database, now);
  if (capacity !== null && (await countOnWorkers(database)) >= capacity) {
    throw new SlotsTakenError(noCapacity(), {}, true);
  }
  if (!GPU_MODELS.includes(model.name)) return;
  // Null: workers of the version before measure no GPU.
  const gpuCapacity = await readGpuCapacity(database, now);
  if (gpuCapacity !== null && (await countModelsOnWorkers(database, GPU_MODELS)) >= gpuCapacity) {
    throw new SlotsTakenError(noCapacity(), { models: GPU_MODELS }, true);
  }
}

/** Bounds sessions that cost nothing because they never serve. Self-hosted sessions that serve are not bounded: they
 *  are paid for. */
async function assertServing(database: Queryable, account: Account): Promise<void> {
  const unserved = await countUnserved(database, account.userId);
  if (unserved < MAX_UNSERVED_SESSIONS) return;
  throw new ServiceError(
    "SERVICE_UNAVAILABLE",
    `${unserved} self-hosted sessions of this account have served nothing yet; ${MAX_UNSERVED_SESSIONS} are allowed. ` +
      "Report their served seconds, or stop them.",
    {
      retryAfterSeconds: UNSERVED_RETRY_AFTER_SECONDS,
      details: { details: { limit: MAX_UNSERVED_SESSIONS, running: unserved } },
    },
  );
}

async function assertSlot(database: Queryable, account: Account, links: BillingLinks): Promise<void> {
  const { concurrentSessions: limit, title } = PLAN_LIMITS[account.plan];
  const running = await countRunning(database, account.userId);
  if (running < limit) return;
  const refusal = new ServiceError(
    "CONCURRENCY_LIMIT_REACHED",
    `The ${title} plan allows ${limit} concurrent avatar sessions; ${running}/${limit} are running. End one or upgrade.`,
    { details: { upgrade_url: links.upgradeUrl, details: { upgrade_url: links.upgradeUrl, limit, running } } },
  );
  throw new SlotsTakenError(refusal, { userId: account.userId }, false);
}
