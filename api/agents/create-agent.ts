// Accepting a creation: everything is checked first, and nothing is charged or stored if anything is wrong.
import { ServiceError } from "../../shared/errors.ts";
import type { ModelFamily } from "../../shared/models.ts";
import type { Account } from "../accounts/account.ts";
import { PLAN_LIMITS } from "../accounts/plans/plans.ts";
import { answerOnce, type IdempotentRequest, type KeepAnswer } from "../kernel/http/idempotency.ts";
import type { Agent, AspectRatio, Framing } from "./agent.ts";
import { isChosenCode } from "./agent-code.ts";
import { deleteAgentFiles } from "./agent-files.ts";
import type { AgentServices } from "./agent-services.ts";
import { findAgentByCode } from "./agent-store.ts";
import { subjectOf } from "./making/persona.ts";
import { assertNotPaused } from "./models/model-availability.ts";
import { type ApiWarning, chooseCreationModel } from "./models/model-choice.ts";
import { type AgentOrder, assertMayRegenerate, placeAgent } from "./place-agent.ts";
import { type ReceivedPortrait, receivePortrait } from "./portraits/portrait-store.ts";
import { receiveVoiceSample } from "./portraits/voice-sample.ts";

export interface AgentRequest {
  account: Account;
  prompt?: string;
  /** URL, base64 or data URI. */
  image?: string;
  /** A sample of the wanted voice, in the same forms. */
  audio?: string;
  /** Whether the body named a video at all, in whatever form. */
  hasVideo: boolean;
  agentCode?: string;
  model?: string;
  version?: string;
  aspectRatio: AspectRatio;
  framing: Framing;
  transparency: boolean;
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
  /** True when the answer is that of an earlier request with the same idempotency key. */
  isReplay: boolean;
}

/** Accepts a creation. Throws the contract's refusals, in its order, before anything is charged or stored. */
export function createAgent(
  services: AgentServices,
  request: AgentRequest,
  idempotency: IdempotentRequest | null,
): Promise<Creation> {
  const now = new Date(services.now());
  return answerOnce<CreationAnswer>(services.database, idempotency, now, async (keep) => {
    const { order, warnings } = await checkRequest(services, request, idempotency, now);
    return acceptOrder(services, order, warnings, keep);
  });
}

/** A request found good, with its picture stored. */
async function checkRequest(
  services: AgentServices,
  request: AgentRequest,
  idempotency: IdempotentRequest | null,
  now: Date,
): Promise<{ order: AgentOrder; warnings: ApiWarning[] }> {
  if (request.hasVideo) {
    throw new ServiceError("VIDEO_INPUT_NOT_SUPPORTED", "Agents are made from an image; video is not accepted");
  }
  const { family: choice, warnings } = chooseCreationModel(request.model, request.version, {
    now,
    offered: services.offeredModels,
  });
  for (const family of choice === "auto" ? AUTO_FAMILIES : [choice]) assertNotPaused(family, services.pausedModels);
  const plan = PLAN_LIMITS[request.account.plan];
  if (plan.agents === 0) {
    throw new ServiceError("PLAN_REQUIRED", `The ${plan.title} plan does not include agents`, {
      details: { upgrade_url: services.billingLinks.upgradeUrl },
    });
  }
  const { account, agentCode, prompt = "", aspectRatio, framing, transparency } = request;
  const existing = agentCode === undefined ? null : await findOwnCode(services, account, agentCode);
  const voice = request.audio === undefined ? null : await receiveVoiceSample(services, request.audio);
  // The picture comes last: it is stored, and nothing after it may refuse.
  const received = request.image === undefined ? null : await receivePortrait(services, request.image, choice);
  return {
    warnings,
    order: {
      account,
      agentCode,
      codeKey: idempotency?.key,
      prompt: prompt.trim(),
      family: choice === "auto" ? routeAuto(received, prompt) : choice,
      aspectRatio,
      framing,
      transparency,
      received,
      voice,
      superseded: existing,
      now,
    },
  };
}

async function acceptOrder(
  services: AgentServices,
  order: AgentOrder,
  warnings: ApiWarning[],
  keep: KeepAnswer<CreationAnswer>,
): Promise<CreationAnswer> {
  const { received, superseded } = order;
  let answer: CreationAnswer;
  try {
    answer = await services.database.transaction().execute(async (transaction) => {
      const agent = await placeAgent(transaction, services, order);
      const accepted: CreationAnswer = {
        success: true,
        message: "Agent creation started. Poll its status until it is ready.",
        agent_id: agent.code,
        status: "processing",
        ...(warnings.length > 0 && { warnings }),
      };
      await keep(transaction, accepted);
      return accepted;
    });
  } catch (error) {
    if (received && "portrait" in received) await services.storage.delete(received.portrait.key);
    throw error;
  }
  if (superseded) await deleteAgentFiles(services, superseded);
  return answer;
}

/** The agent that already has the code a caller chose, if it is one that they may make anew. */
async function findOwnCode(services: AgentServices, account: Account, code: string): Promise<Agent | null> {
  if (!isChosenCode(code)) {
    throw new ServiceError(
      "VALIDATION_ERROR",
      "agent_id must have 3 to 64 letters, digits, - or _, and must not be generate or status or begin with sample-",
    );
  }
  const existing = await findAgentByCode(services.database, code);
  if (existing) assertMayRegenerate(existing, account);
  return existing;
}

/** What `auto` chooses between: for people, and for anything else. */
const AUTO_FAMILIES = ["essence-2", "expression-2"] as const;

/** `auto`: by the picture if there is one, else by the prompt. */
function routeAuto(received: ReceivedPortrait | null, prompt: string): ModelFamily {
  const isPerson = received && "portrait" in received ? received.portrait.isPerson : subjectOf(prompt) === "person";
  return isPerson ? AUTO_FAMILIES[0] : AUTO_FAMILIES[1];
}
