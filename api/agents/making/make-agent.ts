// The job that makes an agent. It may stop anywhere and be run again: each step looks at what is there already, and writes its
// result and the agent's new state together.
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import type { JobContext, JobKind } from "../../kernel/jobs/job-runner.ts";
import "../agent-events.ts";
import type { Agent, AgentStep } from "../agent.ts";
import { failModel } from "../agent-ledger.ts";
import type { AgentPatch } from "../agent-rows.ts";
import type { AgentServices } from "../agent-services.ts";
import { findAgentById, updateAgent } from "../agent-store.ts";
import { markModelReady } from "../models/agent-model-store.ts";
import { type BakeSource, bakeModel, findBakeSource } from "../models/bake-model.ts";
import { fetchVoicePitch } from "../portraits/voice-sample.ts";
import { MAKE_AGENT, makeAgentPayloadSchema } from "./agent-queue.ts";
import { chooseVoice, genderOfPitch } from "./choose-voice.ts";
import { findPortrait } from "./find-portrait.ts";
import type { Gender } from "./persona.ts";
import { writePersona } from "./write-persona.ts";

/** Bakes queue up in the one baker anyway; the rest is waiting for pictures. */
const CONCURRENT_JOBS = 4;
/** Progress at which each step begins. Source: the contract's moves table. */
const PAYMENT = 0.02;
const PERSONA = 0.15;
const VOICE_IMAGE = 0.2;
const FACE_MARKING = 0.35;
const LIP_SYNC = 0.7;
const LIP_SYNC_END = 0.99;
/** A bake reports more often than pollers look. */
const PROGRESS_INTERVAL_MS = 250;

const STEP_NAMES: Readonly<Partial<Record<AgentStep, string>>> = {
  payment: "starting",
  persona: "the persona",
  voice_image: "voice and portrait",
  awaiting_face_marking: "face marking",
  lip_sync: "lip sync",
};

/** The job kind. A failure that a retry may cure (a picture's server, a lost process) is retried; any other, and the last, fails the
 *  agent with a full refund. */
export function makeAgentJob(services: AgentServices): JobKind {
  return {
    name: MAKE_AGENT,
    concurrency: CONCURRENT_JOBS,
    async run(payload, context) {
      const { agentId, revision } = makeAgentPayloadSchema.parse(payload);
      const agent = await findAgentById(services.database, agentId);
      if (!agent || agent.deletedAt || agent.revision !== revision) return;
      if (agent.status === "ready" || agent.status === "failed" || agent.waitingSince) return;
      const making = new Making(services, agent, context.signal);
      try {
        await making.run();
      } catch (error) {
        if (error instanceof AgentGone) return;
        if (mayRetry(error, context)) {
          services.logger.warn(
            { err: error, agentCode: agent.code, attempt: context.attempt },
            "agent job will be retried",
          );
          throw error;
        }
        services.logger.warn({ err: error, agentCode: agent.code, step: making.step }, "agent could not be made");
        await failAgent(services, agentId, revision, making.step, reasonOf(error));
      }
    },
  };
}

/** Fails an agent and refunds what it paid. Does nothing for one that is settled, deleted or made anew meanwhile. */
export async function failAgent(
  services: AgentServices,
  agentId: string,
  revision: number,
  step: AgentStep,
  reason: string,
): Promise<void> {
  const now = new Date(services.now());
  await services.database.transaction().execute(async (transaction) => {
    const agent = await findAgentById(transaction, agentId, { lock: true });
    if (!agent || agent.revision !== revision || agent.status === "ready" || agent.status === "failed") return;
    const errorMessage = `Failed at ${STEP_NAMES[step] ?? step}: ${reason}`;
    for (const { family } of agent.models) await failModel(transaction, agent, family, errorMessage, now);
    const patch: AgentPatch = {
      status: "failed",
      errorMessage,
      eventType: "agent_failed",
      progressMessage: "Failed",
      waitingSince: null,
    };
    await updateAgent(transaction, agentId, patch, now);
    if (agent.deletedAt) return;
    const { userId, code: agentCode } = agent;
    await services.events.publish(transaction, "agent.failed", { userId, agentCode, error: errorMessage, at: now });
  });
}

/** Whether a failed try is worth another. Errors that say what is wrong with the caller's input are not: the next would find the
 *  same. A process that is told to stop is no failure of the job. */
export function mayRetry(error: unknown, context: JobContext): boolean {
  const isFinal = isServiceError(error) && error.code !== "DOWNLOAD_FAILED" && error.code !== "SERVICE_UNAVAILABLE";
  return !isFinal && (!context.isLastAttempt || context.signal.aborted);
}

/** What an owner is told. Errors of our own inside are not theirs to read. */
export function reasonOf(error: unknown): string {
  return isServiceError(error) ? error.message : "an internal error; it has been logged, please try again";
}

/** The agent was deleted, made anew, or finished by another process while its job ran. */
class AgentGone extends Error {}

/** One run of the job. */
class Making {
  /** The step being worked on, for the message if it fails. */
  step: AgentStep = "payment";
  readonly #services: AgentServices;
  readonly #signal: AbortSignal;
  #agent: Agent;

  constructor(services: AgentServices, agent: Agent, signal: AbortSignal) {
    this.#services = services;
    this.#agent = agent;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    if (this.#agent.progress < PAYMENT) {
      await this.#move({
        status: "generating",
        progress: PAYMENT,
        currentStep: "payment",
        progressMessage: "Payment received",
      });
    }
    if (this.#agent.progress < PERSONA) await this.#makePersona();
    if (this.#agent.progress < VOICE_IMAGE) await this.#makeVoiceAndPortrait();
    const source = await this.#findFace();
    if (source === null) return;
    await this.#makeModels(source);
    await this.#finish();
  }

  async #makePersona(): Promise<void> {
    this.step = "persona";
    await this.#move({ currentStep: "persona", progressMessage: "Writing the persona" });
    await this.#move({
      ...(await writePersona(this.#services, this.#agent.prompt, this.#signal)),
      status: "completed",
      progress: PERSONA,
      progressMessage: "Persona written",
      eventType: "persona_created",
    });
  }

  async #makeVoiceAndPortrait(): Promise<void> {
    this.step = "voice_image";
    await this.#move({
      status: "generating",
      currentStep: "voice_image",
      progressMessage: "Finding a voice and a portrait",
    });
    const { voiceSampleUrl } = this.#agent;
    if (this.#agent.voicePitchHz === null && voiceSampleUrl !== null) {
      await this.#move({ voicePitchHz: await fetchVoicePitch(this.#services, voiceSampleUrl) });
    }
    const pitchHz = this.#agent.voicePitchHz;
    if (pitchHz !== null && this.#agent.gender === "") await this.#move({ gender: genderOfPitch(pitchHz) });
    const found = await findPortrait(this.#services, this.#agent, this.#signal);
    const { prompt, gender } = { ...this.#agent, ...found };
    try {
      await this.#move({
        ...found,
        voiceId: found.voiceId ?? chooseVoice({ prompt, gender: gender as Gender, pitchHz }),
        status: "success",
        progress: VOICE_IMAGE,
        progressMessage: "Voice and portrait ready",
        eventType: "image_created",
      });
    } catch (error) {
      // Nobody will ever ask for a portrait that no agent names.
      if (found.portraitKey) await this.#services.storage.delete(found.portraitKey);
      throw error;
    }
  }

  /** The face to bake; null if a person has to mark it first. Their marks then queue this job anew. */
  async #findFace(): Promise<BakeSource | null> {
    this.step = "lip_sync";
    await this.#move({ status: "generating", progressMessage: "Looking for the face" });
    const found = await findBakeSource(this.#services, this.#agent);
    if ("points" in found) return found;
    const { code } = this.#agent;
    await this.#move({
      progress: FACE_MARKING,
      currentStep: "awaiting_face_marking",
      progressMessage: `${found.reason} Place its marks on the page that GET /v1/agent/${code}/face-marks links to, or with PUT.`,
      eventType: "face_marking_requested",
      suggestedFaceMarks: found.guess,
      waitingSince: new Date(this.#services.now()),
    });
    return null;
  }

  async #makeModels(source: BakeSource): Promise<void> {
    this.step = "lip_sync";
    const pending = this.#agent.models.filter(({ state }) => state === "pending");
    await this.#move({
      status: "generating",
      progress: LIP_SYNC,
      currentStep: "lip_sync",
      progressMessage: "Making the face",
    });
    for (const [index, { family }] of pending.entries()) {
      let lastReport = 0;
      let lastWrite: Promise<unknown> = Promise.resolve();
      const onProgress = (share: number) => {
        if (performance.now() - lastReport < PROGRESS_INTERVAL_MS) return;
        lastReport = performance.now();
        const progress = LIP_SYNC + ((LIP_SYNC_END - LIP_SYNC) * (index + share)) / pending.length;
        // Progress is a courtesy to pollers; the step's own writes report a database that is gone.
        lastWrite = this.#move({ progress }).catch(() => undefined);
      };
      const artifact = await bakeModel(this.#services, this.#agent, family, source, onProgress);
      // A late report must not land on top of a later step.
      await lastWrite;
      const now = new Date(this.#services.now());
      if (!(await markModelReady(this.#services.database, this.#agent.id, family, artifact, now)))
        throw new AgentGone();
    }
    await this.#move({ progress: LIP_SYNC_END, progressMessage: "Face ready", eventType: "lip_created" });
  }

  async #finish(): Promise<void> {
    this.step = "done";
    await this.#move({ status: "completed", progress: 1, currentStep: "done", progressMessage: "Finishing" });
    const { id, revision, userId, code } = this.#agent;
    const now = new Date(this.#services.now());
    await this.#services.database.transaction().execute(async (transaction) => {
      const agent = await findAgentById(transaction, id, { lock: true });
      if (!agent || agent.deletedAt || agent.revision !== revision || agent.status === "ready") throw new AgentGone();
      await updateAgent(transaction, id, { status: "ready", progressMessage: "Ready", errorMessage: null }, now);
      await this.#services.events.publish(transaction, "agent.ready", { userId, agentCode: code, at: now });
    });
  }

  /** Writes a move, unless the agent was deleted or made anew; then the job has nothing left to do. */
  async #move(patch: AgentPatch): Promise<void> {
    const { id, revision } = this.#agent;
    const isThere = await updateAgent(this.#services.database, id, patch, new Date(this.#services.now()), revision);
    if (!isThere) throw new AgentGone();
    this.#agent = { ...this.#agent, ...patch };
  }
}

/** The error for an agent whose job ended without settling it: its process died at the last try. */
export function lostJobError(): ServiceError {
  return new ServiceError("INTERNAL_ERROR", "it was interrupted too often; please try again");
}
