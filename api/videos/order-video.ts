// Accepts the order of a video. All checks come before any charge or write.
import { randomBytes } from "node:crypto";
import { ServiceError } from "../../shared/errors.ts";
import { EXPRESSION_PATTERN, EXPRESSION_RULE, parseExpression } from "../../shared/expressions.ts";
import { expressionTag, takeExpressionTags } from "../../src/speech/text/expression-tags.ts";
import type { Account } from "../accounts/account.ts";
import { chargeCredits } from "../accounts/credits/ledger.ts";
import { videoPricingCodeOf, videoRateOf } from "../accounts/credits/price-list.ts";
import { requireFilms } from "../accounts/plans/require-films.ts";
import { agentNotFound, assertNotDeleted } from "../agents/agent-access.ts";
import {
  assertGenerated,
  assertNotPaused,
  type ChosenModel,
  requireModel,
} from "../agents/models/model-availability.ts";
import { type Agent, artifactFor, supportedModels } from "../agents/record/agent.ts";
import { findAgentByCode, findAgentById } from "../agents/record/agent-store.ts";
import { requireVoice } from "../agents/voices/requested-voice.ts";
import { answerOnce, type IdempotentRequest } from "../kernel/http/idempotency.ts";
import { requireMediaProgram } from "../kernel/media/require-media-program.ts";
import { needsFetch } from "./making/fetch-recording.ts";
import { enqueueFilm, enqueueRecording } from "./making/video-queue.ts";
import { parseResolution } from "./parse-resolution.ts";
import { chargeReference, MAX_TEXT_CHARACTERS, UPFRONT_MINUTES, type VideoInput } from "./video.ts";
import type { VideoServices } from "./video-services.ts";
import { insertVideo } from "./video-store.ts";

/** The `input` of a request. Clients send what they do not use as null. */
export interface RequestedInput {
  type: "text" | "audio";
  text?: string | null;
  voice?: string | null;
  emotion?: string | null;
  audio_url?: string | null;
}

export interface VideoOrder {
  account: Account;
  /** The API secret that orders it. */
  secretId: string;
  agentCode: string;
  /** Name of a model or a force-tier slug. */
  model: string;
  input: RequestedInput;
  /** As `parseResolution` reads it; null: the agent's canvas. */
  resolution: string | null;
}

export interface VideoAnswer {
  success: true;
  job_id: string;
  status: "processing";
}

/** Accepts an order: charges the price of the longest video and queues its job. Throws the contract's errors before any
 *  charge: VALIDATION_ERROR and MISSING_PARAM, VOICE_NOT_FOUND, MODEL_NOT_OFFERED, PLAN_REQUIRED, NOT_FOUND,
 *  AGENT_DELETED, MODEL_NOT_GENERATED, MODEL_NOT_YET_AVAILABLE, SERVICE_UNAVAILABLE without a media program, and the
 *  errors of charging. */
export function orderVideo(
  services: VideoServices,
  order: VideoOrder,
  idempotency: IdempotentRequest | null,
): Promise<{ answer: VideoAnswer; isReplay: boolean }> {
  const createdAt = new Date(services.now());
  return answerOnce<VideoAnswer>(services.database, idempotency, createdAt, async (keep) => {
    const { account, agentCode } = order;
    const input = parseInput(services, order.input);
    const { family, name: model } = requireModel(order.model, services.offeredModels);
    requireFilms(account, services.billingLinks, "talking videos");
    const agent = await findAgentByCode(services.database, agentCode);
    if (!agent || agent.userId !== account.userId) throw agentNotFound(agentCode);
    assertMayFilm(services, agent, family);
    const canvas = order.resolution === null ? null : parseResolution(order.resolution, agent.aspectRatio);
    requireMediaProgram(services.config.rendering);
    const id = `vid_${randomBytes(10).toString("hex")}`;
    const rateCredits = videoRateOf(family);
    return services.database.transaction().execute(async (transaction) => {
      // A deletion waits for this lock, and then finds the video.
      const current = await findAgentById(transaction, agent.id, { lock: true });
      if (!current) throw agentNotFound(agentCode);
      assertMayFilm(services, current, family);
      const { userId } = account;
      const row = { id, userId, agentId: agent.id, agentCode, family, model, rateCredits, input, canvas, createdAt };
      await insertVideo(transaction, row);
      await chargeCredits(transaction, {
        account,
        amountCredits: UPFRONT_MINUTES * rateCredits,
        reason: videoPricingCodeOf(family),
        reference: chargeReference(id),
        agentCode,
        secretId: order.secretId,
        at: createdAt,
        links: services.billingLinks,
      });
      const enqueue = needsFetch(services.fileLinks, input) ? enqueueRecording : enqueueFilm;
      await enqueue(transaction, { id, userId });
      const answer: VideoAnswer = { success: true, job_id: id, status: "processing" };
      await keep(transaction, answer);
      return answer;
    });
  });
}

function parseInput({ outgoing, fileLinks }: VideoServices, input: RequestedInput): VideoInput {
  const { emotion } = input;
  if (emotion && !EXPRESSION_PATTERN.test(emotion)) {
    throw new ServiceError("VALIDATION_ERROR", `input.emotion ${EXPRESSION_RULE}`);
  }
  if (input.type === "audio") {
    const url = input.audio_url ?? "";
    if (url === "") throw missing("input.audio_url");
    // What is wrong with it at first sight; the job checks where it leads.
    if (fileLinks.keyOf(url) === null) outgoing.guard.parseUrl(url, ["http:", "https:"]);
    return { type: "audio", url, ...(emotion && { emotion }) };
  }
  const text = input.text?.trim() ?? "";
  if (input.text === undefined || input.text === null) throw missing("input.text");
  const { text: spoken } = takeExpressionTags(text);
  if (spoken.trim() === "") throw new ServiceError("VALIDATION_ERROR", "input.text is empty");
  if ([...spoken].length > MAX_TEXT_CHARACTERS) {
    throw new ServiceError("VALIDATION_ERROR", `input.text has more than ${MAX_TEXT_CHARACTERS} characters`);
  }
  const voiceId = input.voice ? requireVoice(input.voice, "voice") : null;
  // A tag in front of all words.
  const tag = emotion ? `${expressionTag(parseExpression(emotion))} ` : "";
  return { type: "text", text: `${tag}${text}`, voiceId };
}

function missing(name: string): ServiceError {
  return new ServiceError("MISSING_PARAM", `Required parameter missing: ${name}`);
}

function assertMayFilm({ offeredModels, config }: VideoServices, agent: Agent, family: ChosenModel["family"]): void {
  assertNotDeleted(agent);
  // A family that is rendered from another's file needs one that exists.
  const hasFile = artifactFor(agent, family) !== null;
  assertGenerated(agent.code, family, hasFile ? supportedModels(agent, offeredModels) : [], offeredModels);
  assertNotPaused(family, config.avatars.pausedModels);
}
