// Decides whether a launch may start, and inserts its session: one transaction, so that two requests cannot both take
// the last slot or the last credit, and a repeated request finds the first one's session.
import { randomBytes } from "node:crypto";
import { sql, type Transaction } from "kysely";
import { ServiceError } from "../../../shared/errors.ts";
import { DEVICES, GPU_MODELS, resolveModel } from "../../../shared/models.ts";
import type { Account } from "../../accounts/account.ts";
import type { BillingLinks } from "../../accounts/credits/billing-links.ts";
import { PLAN_LIMITS } from "../../accounts/plans/plans.ts";
import { requireOwnAgent } from "../../agents/agent-access.ts";
import type { ChosenModel } from "../../agents/models/model-availability.ts";
import type { Queryable, Tables } from "../../kernel/database/database.ts";
import type { SessionMachine } from "../life/session-machine.ts";
import type { AvatarSession } from "../record/avatar-session.ts";
import { insertVisit } from "../record/public-visits.ts";
import {
  countModelsOnWorkers,
  countOnWorkers,
  countRunning,
  findRunningAt,
  listRunningOfAgent,
} from "../record/session-queries.ts";
import type { SessionServices } from "../session-services.ts";
import { listProviders, readCapacity, readGpuCapacity, readLightCapacity } from "../workers/worker-registry.ts";
import { type Admission, assertMayStart, assertSame, currentAccount } from "./entry-rules.ts";
import type { Launch } from "./launch.ts";
import { chooseAwaitedModel, chooseModel, choosePhotoModel } from "./launch-model.ts";
import { noCapacity } from "./no-capacity.ts";
import { assertMayVisit, holdSharing, type PublicVisit } from "./public-visit-rules.ts";
import { SlotsTakenError } from "./slots-taken.ts";

const SESSION_ID_BYTES = 12;
/** `Retry-After` when an agent's sessions are at their cap. */
const BUSY_RETRY_AFTER_SECONDS = 30;
/** `Retry-After` for a model that pins a tier. */
const TIER_RETRY_AFTER_SECONDS = 30;
/** Advisory lock of the decision whether a worker has a free slot; any number that no other lock has. */
const CAPACITY_LOCK = 7_300_013;

/** What is made for a launch before its admission. */
export interface LaunchParts {
  id: string;
  sealedLivekitToken: Buffer;
  /** Stored image of a photo session. */
  portraitKey: string | null;
}

/** A new unique session id. */
export function newSessionId(): string {
  return `cs_${randomBytes(SESSION_ID_BYTES).toString("hex")}`;
}

/** Admits a session. Throws the contract's refusals, in its order: agent and model, suspension and credits,
 *  concurrency; the last as SlotsTakenError. */
export function admit(
  services: SessionServices,
  machine: SessionMachine,
  launch: Launch,
  parts: LaunchParts,
): Promise<Admission> {
  return services.database.transaction().execute(async (transaction) => {
    const account = await currentAccount(transaction, launch.account, { lock: true });
    const now = new Date(services.now());
    // Held, so that a sharing that ends meanwhile finds the session.
    const visit = await openVisit(transaction, launch);
    const { running, model } = await judge(services, transaction, { account, launch, now });
    if (visit && !running) await assertMayVisit(transaction, { ...visit, now });
    if (running) return { session: running, isNew: false };
    const session = await machine.admit(transaction, {
      ...launch,
      ...parts,
      userId: account.userId,
      transactionId: null,
      model: model.name,
      family: model.family,
      isSelfHosted: false,
      createdAt: now,
    });
    if (visit) await insertVisit(transaction, session, visit.visitor);
    return { session, isNew: true };
  });
}

/** The visit of a launch by a visitor of a public agent; null for any other launch. Throws NOT_FOUND if the agent is
 *  not public any more. */
async function openVisit(transaction: Transaction<Tables>, { visit, agentCode }: Launch): Promise<PublicVisit | null> {
  if (!visit || agentCode === null) return null;
  return { agentCode, visitor: visit, sharing: await holdSharing(transaction, agentCode) };
}

/** Throws as `admit` would, without admitting anything and without a lock. Called before an image is fetched, so that
 *  errors come early. */
export async function assertAdmissible(services: SessionServices, launch: Launch): Promise<void> {
  const account = await currentAccount(services.database, launch.account);
  await judge(services, services.database, { account, launch, now: new Date(services.now()) });
}

/** The model of a launch that may start, or the running session that it repeats. */
async function judge(
  services: SessionServices,
  database: Queryable,
  { account, launch, now }: { account: Account; launch: Launch; now: Date },
): Promise<{ model: ChosenModel; running: AvatarSession | null }> {
  const { agentCode, launchTokenId } = launch;
  const hasImage = launch.readImage !== null;
  const model = await modelOf(services, database, account, launch);
  const running = await findRunningAt(database, { ...launch, userId: account.userId });
  if (running) return { running: assertSame(running, { agentCode, hasImage }, model), model };
  await assertMayStart(services, database, { account, model, launchTokenId, isConsole: launch.isConsole });
  await assertSlot(database, account, services.links);
  await assertBelowAgentLimit(database, launch);
  await assertProvider(database, model, now);
  await assertCapacity(database, { model, viewersRender: launch.viewersRender }, now);
  return { model, running: null };
}

async function modelOf(
  { offeredModels, findSampleAgent }: SessionServices,
  database: Queryable,
  account: Account,
  { agentCode, model, mode, readImage, isHosted }: Launch,
): Promise<ChosenModel> {
  const agent =
    agentCode === null
      ? null
      : ((await findSampleAgent(agentCode)) ?? (await requireOwnAgent(database, account, agentCode)));
  if (readImage !== null) return choosePhotoModel(model, offeredModels);
  if (agent && isHosted) return chooseAwaitedModel(agent, model, offeredModels);
  if (agent) return chooseModel(agent, model, offeredModels, mode);
  throw new ServiceError("VALIDATION_ERROR", "agent_id or image is required");
}

async function assertBelowAgentLimit(
  database: Queryable,
  { account, agentCode, maxRunningOfAgent }: Launch,
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
    `No avatar worker with the device ${DEVICES[provider]} is connected. Try again later, or use the model ${model.family}, which every worker renders.`,
    { retryAfterSeconds: TIER_RETRY_AFTER_SECONDS },
  );
}

/** Throws SERVICE_UNAVAILABLE if no worker has a free slot. Sessions that viewers render have slots of their own, where
 *  a worker says how many. Without any worker, the launch waits for one instead. */
async function assertCapacity(
  database: Queryable,
  { model, viewersRender }: { model: ChosenModel; viewersRender: boolean },
  now: Date,
): Promise<void> {
  // Launches that arrive together take turns, so that they cannot all take the last slot.
  await sql`select pg_advisory_xact_lock(${CAPACITY_LOCK})`.execute(database);
  const lightCapacity = await readLightCapacity(database, now);
  // Null: workers of the version before count all sessions together.
  const kind = lightCapacity === null ? undefined : viewersRender;
  const capacity = kind ? lightCapacity : await readCapacity(database, now);
  if (capacity !== null && (await countOnWorkers(database, kind)) >= capacity) {
    throw new SlotsTakenError(noCapacity(), kind === undefined ? {} : { viewersRender: kind }, true);
  }
  if (!GPU_MODELS.includes(model.name)) return;
  // Null: workers of the version before measure no GPU.
  const gpuCapacity = await readGpuCapacity(database, now);
  if (gpuCapacity !== null && (await countModelsOnWorkers(database, GPU_MODELS)) >= gpuCapacity) {
    throw new SlotsTakenError(noCapacity(), { models: GPU_MODELS }, true);
  }
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
