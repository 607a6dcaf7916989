// Accepts a creation request. All checks come before any charge or write.
import { ServiceError } from "../../shared/errors.ts";
import type { Manner } from "../../shared/manners.ts";
import { MODEL_CATALOGUE, type ModelFamily } from "../../shared/models.ts";
import type { Account } from "../accounts/account.ts";
import { PLAN_LIMITS } from "../accounts/plans/plans.ts";
import { answerOnce, type IdempotentRequest, type KeepAnswer } from "../kernel/http/idempotency.ts";
import type { AgentServices } from "./agent-services.ts";
import type { ApiWarning } from "./api-warning.ts";
import { plainlyAsksForNonHuman, subjectOf } from "./creation/persona.ts";
import { assertNotPaused } from "./models/model-availability.ts";
import { autoFamily, chooseCreationModel } from "./models/model-choice.ts";
import { type AgentOrder, assertMayRegenerate, placeAgent, receivedKeys } from "./place-agent.ts";
import { type ReceivedPortrait, receivePortrait } from "./portraits/portrait-store.ts";
import { warnOfPortrait } from "./portraits/portrait-warnings.ts";
import type { AspectRatio, Framing } from "./record/agent.ts";
import { isChosenCode } from "./record/agent-code.ts";
import { deleteFiles } from "./record/agent-files.ts";
import { findAgentByCode } from "./record/agent-store.ts";
import { receiveVoiceSample } from "./voices/voice-sample.ts";

export interface AgentRequest {
  account: Account;
  /** The API secret that orders it; null if that is not known. */
  secretId: string | null;
  prompt?: string;
  /** Empty for an agent without a name. Default: that of the persona. */
  name?: string;
  /** Default: that of the voice sample or the portrait, else chosen. */
  voiceId?: string;
  /** URL, base64 or data URI. */
  image?: string;
  /** A voice sample, in the same forms. */
  audio?: string;
  /** Whether the body has a `video` field with any value. */
  hasVideo: boolean;
  agentCode?: string;
  model?: string;
  version?: string;
  aspectRatio: AspectRatio;
  framing: Framing;
  transparency: boolean;
  /** What its face shows by default, and how lively it is. Default: unchanged; neutral and natural for a new agent. */
  emotion?: string;
  manner?: Manner;
  /** Fires if the client disconnects; its files are then checked no further. */
  signal?: AbortSignal;
}

export interface CreationAnswer {
  success: true;
  message: string;
  agent_id: string;
  status: "processing";
  warnings?: ApiWarning[];
}

export interface Creation {
  answer: CreationAnswer;
  /** True for the stored answer to an earlier request with the same idempotency key. */
  isReplay: boolean;
}

/** Accepts a creation request. Throws the contract's errors, in the contract's order, before any charge or write. */
export function createAgent(
  services: AgentServices,
  request: AgentRequest,
  idempotency: IdempotentRequest | null,
): Promise<Creation> {
  const now = new Date(services.now());
  return answerOnce<CreationAnswer>(services.database, idempotency, now, async (keep) => {
    return acceptOrder(services, await checkRequest(services, request, idempotency, now), keep);
  });
}

interface CheckedRequest {
  order: AgentOrder;
  warnings: ApiWarning[];
  /** The caller did not choose a model. */
  isAuto: boolean;
}

/** Checks a request and stores its files. */
async function checkRequest(
  services: AgentServices,
  request: AgentRequest,
  idempotency: IdempotentRequest | null,
  now: Date,
): Promise<CheckedRequest> {
  if (request.hasVideo) {
    throw new ServiceError("VIDEO_INPUT_NOT_SUPPORTED", "video is not accepted. Create the agent from an image.");
  }
  const { family: choice, warnings } = chooseCreationModel(request.model, request.version, {
    now,
    offered: services.offeredModels,
  });
  if (choice !== "auto") assertNotPaused(choice, services.pausedModels);
  const plan = PLAN_LIMITS[request.account.plan];
  if (plan.agents === 0) {
    throw new ServiceError("PLAN_REQUIRED", `The ${plan.title} plan does not include agents`, {
      details: { upgrade_url: services.billingLinks.upgradeUrl },
    });
  }
  const { account, agentCode, prompt = "", aspectRatio, framing, transparency, signal } = request;
  const caller = { userId: account.userId, signal };
  if (agentCode !== undefined) await assertCodeIsFree(services, account, agentCode);
  if (request.image === undefined && choice !== "auto") assertPromptSuits(prompt, choice);
  const voice = request.audio === undefined ? null : await receiveVoiceSample(services, request.audio, caller);
  const received = request.image === undefined ? null : await receivePortrait(services, request.image, choice, caller);
  return {
    warnings: [
      ...warnings,
      ...(received && "portrait" in received ? warnOfPortrait(received.portrait, aspectRatio) : []),
    ],
    isAuto: choice === "auto",
    order: {
      account,
      secretId: request.secretId,
      agentCode,
      codeKey: idempotency?.key,
      prompt: prompt.trim(),
      name: request.name,
      voiceId: request.voiceId,
      family: choice === "auto" ? routeAuto(received, prompt) : choice,
      isAutoModel: choice === "auto" && received !== null && !("portrait" in received),
      aspectRatio,
      framing,
      transparency,
      emotion: request.emotion,
      manner: request.manner,
      received,
      voice,
      now,
    },
  };
}

async function acceptOrder(
  services: AgentServices,
  { order, warnings, isAuto }: CheckedRequest,
  keep: KeepAnswer<CreationAnswer>,
): Promise<CreationAnswer> {
  let unusedFiles: string[];
  let answer: CreationAnswer;
  try {
    if (isAuto) assertNotPaused(order.family, services.pausedModels);
    [answer, unusedFiles] = await services.database.transaction().execute(async (transaction) => {
      const { agent, unusedFiles } = await placeAgent(transaction, services, order);
      const accepted: CreationAnswer = {
        success: true,
        message: "Agent creation started. Poll its status until it is ready.",
        agent_id: agent.code,
        status: "processing",
        ...(warnings.length > 0 && { warnings }),
      };
      await keep(transaction, accepted);
      return [accepted, unusedFiles] as const;
    });
  } catch (error) {
    await deleteFiles(services, receivedKeys(order));
    throw error;
  }
  await deleteFiles(services, unusedFiles);
  return answer;
}

/** Throws unless the chosen code is free, or belongs to an agent that the caller may regenerate. */
async function assertCodeIsFree(services: AgentServices, account: Account, code: string): Promise<void> {
  if (!isChosenCode(code)) {
    throw new ServiceError(
      "VALIDATION_ERROR",
      "agent_id must have 3 to 64 letters, digits, - or _. It must not be generate, status or agent, or begin with sample-.",
    );
  }
  const existing = await findAgentByCode(services.database, code);
  if (existing) assertMayRegenerate(existing, account);
}

/** Throws MODEL_SUBJECT_MISMATCH if a prompt clearly describes no person and the model shows only people. */
function assertPromptSuits(prompt: string, family: ModelFamily): void {
  if (!MODEL_CATALOGUE[family].humanOnly || !plainlyAsksForNonHuman(prompt)) return;
  throw new ServiceError(
    "MODEL_SUBJECT_MISMATCH",
    `prompt describes an animal or an object, but ${family} supports people only. Use expression-2, or send an image of a person.`,
  );
}

/** Resolves `auto`: by the image if it was inspected, else by the prompt. */
function routeAuto(received: ReceivedPortrait | null, prompt: string): ModelFamily {
  const isPerson = received && "portrait" in received ? received.portrait.isPerson : subjectOf(prompt) === "person";
  return autoFamily({ isPerson });
}
