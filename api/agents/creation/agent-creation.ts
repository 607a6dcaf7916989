// Creates an agent, step by step. Can be interrupted anywhere and run again: each step checks what exists already, and
// writes its result together with the agent's new state.
import { CREATION_PROGRESS } from "../../../shared/creation-progress.ts";
import "../agent-events.ts";
import type { AgentServices } from "../agent-services.ts";
import { markModelReady } from "../models/agent-model-store.ts";
import { type BakeSource, bakeModel, findBakeSource } from "../models/bake-model.ts";
import { autoFamily } from "../models/model-choice.ts";
import { type Agent, type AgentStep, isBeingCreated, withDraft } from "../record/agent.ts";
import { deleteFiles, keysOf } from "../record/agent-files.ts";
import type { AgentPatch } from "../record/agent-rows.ts";
import { findAgentById, promoteDraft, updateAgent, updateCreation } from "../record/agent-store.ts";
import { chooseVoice, genderOfPitch } from "../voices/choose-voice.ts";
import { measureLeftSample } from "../voices/voice-sample.ts";
import { enqueueFetchInputs } from "./agent-queue.ts";
import { changeCreationModel } from "./change-creation-model.ts";
import { missingInputs } from "./fetch-inputs.ts";
import { findPortrait } from "./find-portrait.ts";
import type { Gender } from "./persona.ts";
import { writePersona } from "./write-persona.ts";

/** Progress at which each step begins. Source: the contract's moves table. */
const PAYMENT = 0.02;
const PERSONA = 0.15;
export const VOICE_IMAGE = 0.2;
const FACE_MARKING = 0.35;
const LIP_SYNC = 0.7;
const LIP_SYNC_END = 0.99;
/** A bake reports progress more often than clients poll. */
const PROGRESS_INTERVAL_MS = 250;

/** The agent was deleted, regenerated, or finished by another process while its job ran. */
export class AgentGoneError extends Error {}

/** One run of the job that creates an agent. A regeneration works on a draft, which replaces the agent's content when
 *  it is complete. */
export class AgentCreation {
  /** The current step, for the error message. */
  step: AgentStep = "payment";
  readonly #services: AgentServices;
  /** What the owner should know about the face, one sentence. */
  #note: string | null = null;
  readonly #signal: AbortSignal;
  /** With the content and models of its draft, if it has one. */
  #agent: Agent;

  constructor(services: AgentServices, agent: Agent, signal: AbortSignal) {
    this.#services = services;
    this.#agent = withDraft(agent);
    this.#signal = signal;
  }

  async run(): Promise<void> {
    if (this.#agent.progress < PAYMENT) {
      await this.#move({
        status: "generating",
        progress: PAYMENT,
        currentStep: "payment",
        progressMessage: CREATION_PROGRESS.paid,
      });
    }
    if (this.#agent.progress < PERSONA) await this.#makePersona();
    if (this.#agent.progress < VOICE_IMAGE) {
      if (missingInputs(this.#agent).length > 0) return this.#fetchInputs();
      await this.#makeVoiceAndPortrait();
    }
    const source = await this.#findFace();
    if (source === null) return;
    await this.#makeModels(source);
    await this.#finish();
  }

  async #makePersona(): Promise<void> {
    this.step = "persona";
    await this.#move({ currentStep: "persona", progressMessage: CREATION_PROGRESS.persona });
    const { prompt, isNamed, name } = this.#agent;
    const persona = await writePersona(this.#services, { prompt, name: isNamed ? name : undefined }, this.#signal);
    await this.#move({
      ...persona,
      status: "completed",
      progress: PERSONA,
      progressMessage: CREATION_PROGRESS.personaWritten,
      eventType: "persona_created",
    });
  }

  /** Leaves the creation to another job, which queues this one again: a slow server takes no place of a creation. */
  async #fetchInputs(): Promise<void> {
    this.step = "voice_image";
    await this.#move({ status: "generating", currentStep: "voice_image", progressMessage: CREATION_PROGRESS.fetching });
    await enqueueFetchInputs(this.#services.database, this.#agent);
  }

  async #makeVoiceAndPortrait(): Promise<void> {
    this.step = "voice_image";
    await this.#move({
      status: "generating",
      currentStep: "voice_image",
      progressMessage: CREATION_PROGRESS.choosing,
    });
    if (this.#agent.voiceCharacter === null) {
      const voiceCharacter = await measureLeftSample(this.#services, this.#agent);
      if (voiceCharacter !== null) await this.#move({ voiceCharacter });
    }
    const { voiceCharacter: character, imageKey, voiceSampleKey } = this.#agent;
    if (character && this.#agent.gender === "") await this.#move({ gender: genderOfPitch(character.pitchHz) });
    const found = await findPortrait(this.#services, this.#agent, this.#signal);
    try {
      if (this.#agent.isAutoModel) await this.#decideModel(found.isPerson);
      const { prompt, gender } = { ...this.#agent, ...found.patch };
      await this.#move({
        ...found.patch,
        imageKey: null,
        voiceSampleKey: null,
        voiceId:
          this.#agent.voiceId ?? found.patch.voiceId ?? chooseVoice({ prompt, gender: gender as Gender, character }),
        status: "completed",
        progress: VOICE_IMAGE,
        progressMessage: CREATION_PROGRESS.chosen,
        eventType: "image_created",
      });
    } catch (error) {
      // No agent refers to this portrait.
      if (found.patch.portraitKey) await this.#services.storage.delete(found.patch.portraitKey);
      throw error;
    }
    const used = [imageKey, voiceSampleKey].filter((key) => key !== null);
    await deleteFiles(this.#services, used);
  }

  /** Resolves `auto`, now that the image has been inspected. */
  async #decideModel(isPerson: boolean): Promise<void> {
    const family = autoFamily({ isPerson });
    const agent = await changeCreationModel(this.#services, this.#agent, family);
    if (!agent) throw new AgentGoneError();
    this.#agent = withDraft(agent);
  }

  /** The face to bake, or null if a person must mark it first. Placing the marks queues this job again. */
  async #findFace(): Promise<BakeSource | null> {
    this.step = "lip_sync";
    await this.#move({ status: "generating", progressMessage: CREATION_PROGRESS.finding });
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
      progressMessage: CREATION_PROGRESS.making,
    });
    for (const [index, { family }] of pending.entries()) {
      let lastReport = 0;
      let lastWrite: Promise<unknown> = Promise.resolve();
      const onProgress = (share: number) => {
        if (performance.now() - lastReport < PROGRESS_INTERVAL_MS) return;
        lastReport = performance.now();
        const progress = LIP_SYNC + ((LIP_SYNC_END - LIP_SYNC) * (index + share)) / pending.length;
        // Progress only informs pollers; if the database is unreachable, the step's own writes fail too and report it.
        lastWrite = this.#move({ progress }).catch(() => undefined);
      };
      const { note, ...artifact } = await bakeModel(this.#services, this.#agent, family, source, onProgress);
      this.#note ??= note;
      // A late progress report must not overwrite a later step.
      await lastWrite;
      const now = new Date(this.#services.now());
      const { id: agentId, draft } = this.#agent;
      const key = { agentId, family, isDraft: draft !== null };
      if (!(await markModelReady(this.#services.database, key, artifact, now))) throw new AgentGoneError();
    }
    await this.#move({ progress: LIP_SYNC_END, progressMessage: CREATION_PROGRESS.made, eventType: "lip_created" });
  }

  async #finish(): Promise<void> {
    this.step = "done";
    await this.#move({
      status: "completed",
      progress: 1,
      currentStep: "done",
      progressMessage: CREATION_PROGRESS.finishing,
    });
    const { id, revision, userId, code } = this.#agent;
    const now = new Date(this.#services.now());
    const progressMessage = this.#note === null ? CREATION_PROGRESS.ready : `${CREATION_PROGRESS.ready}. ${this.#note}`;
    const replaced = await this.#services.database.transaction().execute(async (transaction) => {
      const agent = await findAgentById(transaction, id, { lock: true });
      if (!agent || agent.deletedAt || agent.revision !== revision || !isBeingCreated(agent))
        throw new AgentGoneError();
      await promoteDraft(transaction, agent);
      await updateAgent(transaction, id, { status: "ready", progressMessage, errorMessage: null }, now);
      await this.#services.events.publish(transaction, "agent.ready", { userId, agentCode: code, at: now });
      return agent.draft === null ? [] : keysOf(agent);
    });
    await deleteFiles(this.#services, replaced);
  }

  /** Writes a change. Throws AgentGoneError if the agent was deleted or regenerated. */
  async #move(patch: AgentPatch): Promise<void> {
    const now = new Date(this.#services.now());
    if (!(await updateCreation(this.#services.database, this.#agent, patch, now))) throw new AgentGoneError();
    this.#agent = { ...this.#agent, ...patch };
  }
}
