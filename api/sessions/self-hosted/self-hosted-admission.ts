// Decides whether a session on the caller's own machine may begin, and inserts it, in one transaction.
import { ServiceError } from "../../../shared/errors.ts";
import type { Account } from "../../accounts/account.ts";
import { requireOwnAgent } from "../../agents/agent-access.ts";
import { type ChosenModel, requireModel } from "../../agents/models/model-availability.ts";
import type { Queryable } from "../../kernel/database/database.ts";
import { newSessionId } from "../launch/admission.ts";
import { type Admission, assertMayStart, assertSame, currentAccount } from "../launch/entry-rules.ts";
import { chooseModel, choosePhotoModel } from "../launch/launch-model.ts";
import type { SessionMachine } from "../life/session-machine.ts";
import type { SessionServices } from "../session-services.ts";
import { countUnserved, findRunningOfToken } from "./self-hosted-store.ts";

/** Maximum number of an account's running self-hosted sessions that have served nothing yet. */
const MAX_UNSERVED_SESSIONS = 1_000;
/** `Retry-After` at that number: by then all of them have reported, or have ended. */
const UNSERVED_RETRY_AFTER_SECONDS = 60;

/** A session that the caller runs on its own machine. */
export interface SelfHostedRequest {
  account: Account;
  secretId: string;
  /** Null if the runtime shows no agent. */
  agentCode: string | null;
  /** Null: the model of a launch without one. */
  model: string | null;
  /** Whether the face is an image of the caller. */
  hasImage: boolean;
  /** Of the launch token that begins it, and of its exchange. */
  launchTokenId: string | null;
  transactionId: string | null;
  roomName: string;
  host: string;
}

/** Admits a session, or finds the one that the same exchange of a launch token has begun. Throws the contract's
 *  refusals, in its order: agent and model, suspension and credits, unserved sessions. */
export function admitSelfHosted(
  services: SessionServices,
  machine: SessionMachine,
  request: SelfHostedRequest,
): Promise<Admission> {
  return services.database.transaction().execute(async (transaction) => {
    const account = await currentAccount(transaction, request.account, { lock: true });
    const model = await modelOf(services, transaction, account, request);
    const running = await findRunningOfToken(transaction, request);
    if (running) return { session: assertSame(running, request, model), isNew: false };
    const { secretId, agentCode, launchTokenId, transactionId, roomName, host } = request;
    await assertMayStart(services, transaction, { account, model, launchTokenId });
    await assertActive(transaction, account);
    const session = await machine.admit(transaction, {
      id: newSessionId(),
      userId: account.userId,
      secretId,
      transactionId,
      agentCode,
      model: model.name,
      family: model.family,
      mode: "self_hosted",
      portraitKey: null,
      isSelfHosted: true,
      isHosted: false,
      endUserId: null,
      hasConversation: false,
      remembersVisitor: false,
      viewersMayRender: false,
      viewersRender: false,
      livekitUrl: "",
      roomName,
      avatarIdentity: host,
      createdAt: new Date(services.now()),
      launchTokenId,
      sealedLivekitToken: null,
    });
    return { session, isNew: true };
  });
}

async function modelOf(
  { offeredModels }: SessionServices,
  database: Queryable,
  account: Account,
  { agentCode, model, hasImage }: SelfHostedRequest,
): Promise<ChosenModel> {
  const agent = agentCode === null ? null : await requireOwnAgent(database, account, agentCode);
  if (hasImage) return choosePhotoModel(model, offeredModels);
  if (agent) return chooseModel(agent, model, offeredModels);
  if (model !== null) return requireModel(model, offeredModels);
  throw new ServiceError("VALIDATION_ERROR", "agent_id or image is required");
}

/** Bounds sessions that cost nothing because they never serve. Self-hosted sessions that serve are not bounded: they
 *  are paid for. */
async function assertActive(database: Queryable, account: Account): Promise<void> {
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
