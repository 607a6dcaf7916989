// Accepts orders of gestures. All checks come before any charge or write.
import type { Transaction } from "kysely";
import { ServiceError } from "../../shared/errors.ts";
import type { Account } from "../accounts/account.ts";
import { chargeCredits } from "../accounts/credits/ledger.ts";
import { DYNAMICS_CREDITS, DYNAMICS_PRICING_CODE } from "../accounts/credits/price-list.ts";
import { requireFilms } from "../accounts/plans/require-films.ts";
import { agentNotFound, assertNotDeleted } from "../agents/agent-access.ts";
import { assertNotPaused } from "../agents/models/model-availability.ts";
import { type Agent, isBeingCreated } from "../agents/record/agent.ts";
import { findAgentByCode, findAgentById } from "../agents/record/agent-store.ts";
import type { Queryable, Tables } from "../kernel/database/database.ts";
import { answerOnce, type IdempotentRequest } from "../kernel/http/idempotency.ts";
import { requireMediaProgram } from "../kernel/media/require-media-program.ts";
import { chargeReference, isInProgress, ownModels } from "./dynamics.ts";
import { enqueueRun } from "./dynamics-job.ts";
import type { DynamicsServices } from "./dynamics-services.ts";
import { findDynamics, startRun } from "./dynamics-store.ts";

export interface DynamicsOrder {
  account: Account;
  /** The API secret that orders it. */
  secretId: string;
  agentCode: string;
  /** Length of each gesture. */
  seconds: number;
  /** A portrait, as the caller gave it. */
  imageUrl: string | null;
}

export interface DynamicsAnswer {
  success: true;
  message: string;
  agent_id: string;
  status: "processing";
}

const STARTED = "The gestures of this agent are being generated.";
const ALREADY_STARTED = "The gestures of this agent are being generated already. Nothing was charged.";

/** The caller's agent. Throws NOT_FOUND for a missing agent or another account's, AGENT_DELETED or AGENT_PURGED for a
 *  deleted one. */
export async function requireAgent(database: Queryable, { userId }: Account, code: string): Promise<Agent> {
  const agent = await findAgentByCode(database, code);
  if (!agent || agent.userId !== userId) throw agentNotFound(code);
  assertNotDeleted(agent);
  return agent;
}

/** Accepts an order: charges it and queues its job. An agent with gestures in progress is not charged again.
 *  Throws the contract's errors before any charge: VALIDATION_ERROR, PLAN_REQUIRED, NOT_FOUND, AGENT_DELETED,
 *  AGENT_NOT_READY, MODEL_NOT_GENERATED, MODEL_NOT_YET_AVAILABLE, SERVICE_UNAVAILABLE without a media program, and the
 *  errors of charging. */
export function orderDynamics(
  services: DynamicsServices,
  { account, secretId, agentCode, seconds, imageUrl }: DynamicsOrder,
  idempotency: IdempotentRequest | null,
): Promise<{ answer: DynamicsAnswer; isReplay: boolean }> {
  const at = new Date(services.now());
  return answerOnce<DynamicsAnswer>(services.database, idempotency, at, async (keep) => {
    requireFilms(account, services.billingLinks, "gesture generation");
    const found = await requireAgent(services.database, account, agentCode);
    if (imageUrl !== null) assertOwnPortrait(services, found, imageUrl);
    const { id } = found;
    requireMediaProgram(services.config.rendering);
    return services.database.transaction().execute(async (transaction) => {
      // A deletion waits for this lock, and then finds the run.
      const agent = await findAgentById(transaction, id, { lock: true });
      if (!agent) throw agentNotFound(agentCode);
      assertMayMove(services, agent);
      const earlier = await findDynamics(transaction, id, { lock: true });
      const isRunning = earlier !== null && isInProgress(earlier);
      if (!isRunning) {
        const run = (earlier?.run ?? 0) + 1;
        await startRun(transaction, { ...identify(agent), run, isCharged: true, seconds, updatedAt: at });
        await charge(services, transaction, { account, secretId, agent, run, at });
        await enqueueRun(transaction, { agentId: id, run });
      }
      const answer: DynamicsAnswer = {
        success: true,
        message: isRunning ? ALREADY_STARTED : STARTED,
        agent_id: agent.code,
        status: "processing",
      };
      await keep(transaction, answer);
      return answer;
    });
  });
}

/** What a run keeps of its agent. */
export function identify({ id, userId, code, revision }: Agent) {
  return { agentId: id, userId, agentCode: code, revision };
}

function charge(
  { billingLinks: links }: DynamicsServices,
  transaction: Transaction<Tables>,
  { account, secretId, agent, run, at }: { account: Account; secretId: string; agent: Agent; run: number; at: Date },
): Promise<boolean> {
  return chargeCredits(transaction, {
    account,
    amountCredits: DYNAMICS_CREDITS,
    reason: DYNAMICS_PRICING_CODE,
    reference: chargeReference({ agentId: agent.id, run }),
    agentCode: agent.code,
    secretId,
    at,
    links,
  });
}

function assertMayMove({ config }: DynamicsServices, agent: Agent): void {
  assertNotDeleted(agent);
  const [filmed] = ownModels(agent);
  if (filmed) {
    assertNotPaused(filmed.family, config.avatars.pausedModels);
    return;
  }
  if (isBeingCreated(agent)) {
    throw new ServiceError("AGENT_NOT_READY", `Agent ${agent.code} is still being generated. Wait until it is ready.`);
  }
  throw new ServiceError(
    "MODEL_NOT_GENERATED",
    `Agent ${agent.code} has no model with a file, which gestures need. Add one with POST /v1/agent/${agent.code}/models.`,
  );
}

/** Gestures move the agent's own face, so they cannot be made for another image. */
function assertOwnPortrait({ fileLinks }: DynamicsServices, { portraitKey, imageUrl }: Agent, url: string): void {
  if (url === imageUrl || (portraitKey !== null && fileLinks.keyOf(url) === portraitKey)) return;
  throw new ServiceError(
    "VALIDATION_ERROR",
    "image_url must be the agent's own portrait, because gestures move its own face. Leave it out.",
  );
}
