// An agent: a stored character of an account, with the state of its creation.
//
// States and all transitions (source: the contract, "Generation moves"):
//   processing  accepted and paid for, waiting for a job process      -> generating
//   generating  a step runs                                           -> completed, success, failed
//               At step awaiting_face_marking no job runs: a person must place marks (-> generating) within seven days
//               (else -> failed).
//   completed   a step is done: persona, voice and portrait, or all   -> generating, ready
//   ready       a model works; progress 1.0, step done                -> processing (regeneration)
//   failed      no model works; refunded in full, with an error_message -> processing (regeneration)
// `completed` lasts only a moment, but pollers may see it; clients keep polling. `success` is another final state of
// the contract; this service uses `ready`.
//
// The regeneration of a working agent makes a draft. The agent keeps its content, models and files and can be launched
// until the complete draft replaces them. If the regeneration fails, it is refunded, the draft is dropped and the agent
// is ready again, with the reason at the model and in the progress message.
import type { Manner } from "../../../shared/manners.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import type { FaceMarks } from "../../../src/face/portrait/face-marks.ts";
import type { VoiceCharacter } from "../../../src/speech/voice/measuring/voice-character.ts";
import type { ProviderSelection } from "../../providers/provider-selection.ts";

export const AGENT_STATUSES = ["processing", "generating", "completed", "success", "ready", "failed"] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

export const AGENT_STEPS = [
  "payment",
  "persona",
  "voice_image",
  "video",
  "awaiting_face_marking",
  "lip_sync",
  "done",
] as const;
export type AgentStep = (typeof AGENT_STEPS)[number];

export const ASPECT_RATIOS = ["16:9", "9:16", "1:1"] as const;
export type AspectRatio = (typeof ASPECT_RATIOS)[number];
export const FRAMINGS = ["portrait", "full_body"] as const;
export type Framing = (typeof FRAMINGS)[number];
export type ModelState = "pending" | "ready" | "failed";

/** One model of one agent. */
export interface AgentModel {
  family: ModelFamily;
  state: ModelState;
  /** Why it failed, in plain words; of a ready model, why it could not be made again. */
  reason: string | null;
  credits: number;
  chargeReference: string;
  /** Object of the `.imx`, once made. */
  artifactKey: string | null;
  artifactSha256: string | null;
  artifactBytes: number | null;
  /** Object of the `.imx` before the last rebake, until it is deleted. */
  replacedKey: string | null;
}

/** Input and result of a creation. */
export interface AgentContent {
  /** Empty for an agent without a name. */
  name: string;
  /** The owner chose the name, or none: no step of the creation changes it. */
  isNamed: boolean;
  description: string;
  /** The owner's own words, from which persona, portrait and voice follow. */
  prompt: string;
  systemPrompt: string;
  /** What it says first in a conversation, as a language model wrote it; empty for the sentence of `greetingOf`. */
  greeting: string;
  language: string;
  gender: string;
  /** `person`, `animal`, `robot` or empty while unknown. */
  subject: string;
  /** Family it was created with. */
  model: ModelFamily;
  /** The caller did not choose a model, and the image that decides has not been inspected yet. */
  isAutoModel: boolean;
  voiceId: string | null;
  aspectRatio: AspectRatio;
  framing: Framing;
  /** Green background, for chroma keying. */
  transparency: boolean;
  /** URL from which a job fetches the image, into `imageKey`. */
  imageUrl: string | null;
  /** Object with the image as received, for the job to check. */
  imageKey: string | null;
  galleryId: string | null;
  portraitKey: string | null;
  /** Size of the stored portrait, the unit of the marks; null until it is stored. */
  portraitSize: { widthPx: number; heightPx: number } | null;
  /** Face points that a person placed; null if the face finder is sure of the face. */
  faceMarks: FaceMarks | null;
  /** The face finder's guess, for a person to correct; null unless it was unsure. */
  suggestedFaceMarks: FaceMarks | null;
  /** URL from which a job fetches the voice sample, into `voiceSampleKey`. */
  voiceSampleUrl: string | null;
  /** Object with the voice sample as received, for the job to measure. */
  voiceSampleKey: string | null;
  /** The voice in the sample, as it was measured. */
  voiceCharacter: VoiceCharacter | null;
}

/** Fields beside `enabled` are their owner's. */
export interface AgentDynamics {
  /** Whether the agent's own gestures play; absent until a run has made some or the owner sets it. */
  enabled?: boolean;
  [field: string]: unknown;
}

/** Whether visitors may render the agent in their browsers, for which they get its file. `default`: those whom the
 *  owner's token names; `allowed`: everyone with a token, shared ones included; `forbidden`: no one. */
export const LOCAL_RENDERING = ["default", "allowed", "forbidden"] as const;
export type LocalRendering = (typeof LOCAL_RENDERING)[number];

export interface Agent extends AgentContent {
  id: string;
  userId: string;
  /** The agent's name on the wire: `agent_id`, `agent_code` and `code`. */
  code: string;
  /** Counts regenerations. */
  revision: number;
  /** Since when the agent waits for marks. */
  waitingSince: Date | null;
  status: AgentStatus;
  progress: number;
  progressMessage: string;
  currentStep: AgentStep;
  eventType: string;
  errorMessage: string | null;
  createdAt: Date;
  updatedAt: Date;
  /** Object of the film of the agent at rest; null until it is made. */
  clipKey: string | null;
  deletedAt: Date | null;
  purgedAt: Date | null;
  /** Gesture configuration; empty until gestures are generated or configured. */
  dynamics: AgentDynamics;
  /** The account's own servers that its sessions use. */
  providers: ProviderSelection;
  localRendering: LocalRendering;
  /** What its face shows while nothing else sets its expression, as `parseExpression` reads it; null: neutral. */
  emotion: string | null;
  /** How lively its face is by itself; null: natural. */
  manner: Manner | null;
  models: AgentModel[];
  /** Content of the running regeneration; null if there is none. */
  draft: AgentContent | null;
  draftModels: AgentModel[];
}

/** The agent with the content and models of its draft, if it has one; its creation works on these. */
export function withDraft(agent: Agent): Agent {
  return agent.draft === null ? agent : { ...agent, ...agent.draft, models: agent.draftModels };
}

/** Whether the agent's own gestures play: off until it has some, or its owner switches them on. */
export function isDynamicsEnabled({ dynamics }: Agent): boolean {
  return dynamics.enabled ?? false;
}

/** True while a job works on the agent, or the agent waits for face marks. */
export function isBeingCreated({ status }: Agent): boolean {
  return status !== "ready" && status !== "failed";
}

/** For sessions from a photograph, which have no agent, and agents that have no voice yet. */
const DEFAULT_VOICE_ID = "F1";
const DEFAULT_LANGUAGE = "en";

/** How an agent speaks. */
export function speechOf(agent: Agent | null): { voiceId: string; language: string } {
  return { voiceId: agent?.voiceId ?? DEFAULT_VOICE_ID, language: agent?.language || DEFAULT_LANGUAGE };
}

/** Families with a file of their own that has been made. */
export function generatedModels(agent: Agent): ModelFamily[] {
  return agent.models.filter(({ state }) => state === "ready").map(({ family }) => family);
}

/** Families that the agent can be launched as now. `expression-1` needs a portrait and a voice only, so every finished
 *  agent with both lists it. `essence-2-quality` needs a portrait only, where it is `offered`. `essence-2-light` is
 *  included in `essence-2`. */
export function supportedModels(agent: Agent, offered: readonly ModelFamily[]): ModelFamily[] {
  const families = new Set(generatedModels(agent));
  if (families.has("essence-2")) families.add("essence-2-light");
  const hasPortrait = families.size > 0 && agent.portraitKey !== null;
  if (hasPortrait && agent.voiceId !== null) families.add("expression-1");
  if (hasPortrait && offered.includes("essence-2-quality")) families.add("essence-2-quality");
  return [...families].sort();
}

/** Whether a job makes the family's file now, without waiting for anyone: a session may begin, and get it then. */
export function isModelComing(agent: Agent, family: ModelFamily): boolean {
  if (!isBeingCreated(agent) || agent.waitingSince !== null || agent.isAutoModel || agent.draft !== null) return false;
  return agent.models.some((model) => model.family === family && model.state === "pending");
}

/** Families that are rendered from the file of one of `SUBSTITUTES`, in that order, if they have no file of their own.
 *  */
const BORROWING: readonly ModelFamily[] = ["expression-1", "essence-2-quality", "essence-2-light"];
const SUBSTITUTES: readonly ModelFamily[] = ["essence-2", "expression-2", "essence-1"];

/** A model's file in storage. */
export interface Artifact {
  key: string;
  /** Hex; null if it was not recorded. */
  sha256: string | null;
}

/** The file from which a worker should render `family`: the family's own file, else a substitute's. Null if the worker
 *  must bake from the portrait. */
export function artifactFor(agent: Agent, family: ModelFamily): Artifact | null {
  for (const candidate of [family, ...(BORROWING.includes(family) ? SUBSTITUTES : [])]) {
    const model = agent.models.find((entry) => entry.family === candidate && entry.state === "ready");
    if (model?.artifactKey) return { key: model.artifactKey, sha256: model.artifactSha256 };
  }
  return null;
}
