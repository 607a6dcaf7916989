// An agent: a stored character of an account, and where it is in its making.
//
// States and every way out (facts of the contract, "Generation moves"):
//   processing  accepted and paid for, waiting for a job process      -> generating
//   generating  a step is being worked on                             -> completed, success, failed
//               at step awaiting_face_marking no job works on it: a person must place marks (-> generating), and is waited for
//               seven days (-> failed)
//   completed   a step is done: persona, voice and portrait, or all   -> generating, ready
//   ready       every model made; progress 1.0, step done             -> processing (regeneration)
//   failed      refunded in full; error_message names the step        -> processing (regeneration)
// `completed` is written for a moment only, but pollers may see it; clients go on polling. `success` is a word of the contract for a
// final state; this service says `ready`.
//
// A regeneration of an agent that works makes a draft: the agent keeps its content, models and files, and can be launched, until the
// draft is complete and takes their place. If it fails, the draft is dropped, and only the status tells of it.
import type { ModelFamily } from "../../shared/models.ts";
import type { FaceMarks } from "../../src/face/face-marks.ts";

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
  /** Why it failed, in plain words. */
  reason: string | null;
  credits: number;
  chargeReference: string;
  /** Object of the `.imx`, once made. */
  artifactKey: string | null;
  artifactSha256: string | null;
  artifactBytes: number | null;
}

/** What a making produces, and what it is made from. */
export interface AgentContent {
  name: string;
  description: string;
  /** The owner's own words, from which persona, portrait and voice follow. */
  prompt: string;
  systemPrompt: string;
  language: string;
  gender: string;
  /** `person`, `animal`, `robot` or empty while unknown. */
  subject: string;
  /** Family it was created with. */
  model: ModelFamily;
  /** The caller left the model to us, and the picture that decides has not been seen yet. */
  isAutoModel: boolean;
  voiceId: string | null;
  aspectRatio: AspectRatio;
  framing: Framing;
  /** On a green background, for programs that mix pictures. */
  transparency: boolean;
  /** Where the job fetches the picture. */
  imageUrl: string | null;
  /** Object with the picture as received, for the job to check. */
  imageKey: string | null;
  galleryId: string | null;
  portraitKey: string | null;
  /** Size of the stored portrait, in which marks are measured; null until it is stored. */
  portraitSize: { widthPx: number; heightPx: number } | null;
  /** The face points that a person placed; null for a face that the finder is sure of. */
  faceMarks: FaceMarks | null;
  /** The finder's guess, for a person to correct; null unless it was unsure. */
  suggestedFaceMarks: FaceMarks | null;
  /** Where the job fetches the voice sample. */
  voiceSampleUrl: string | null;
  /** Object with the voice sample as received, for the job to measure. */
  voiceSampleKey: string | null;
  /** Median pitch of the voice sample. */
  voicePitchHz: number | null;
}

export interface Agent extends AgentContent {
  id: string;
  userId: string;
  /** What callers know it by: `agent_id`, `agent_code` and `code` on the wire. */
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
  deletedAt: Date | null;
  purgedAt: Date | null;
  models: AgentModel[];
  /** Content of the regeneration under way; null without one. */
  draft: AgentContent | null;
  draftModels: AgentModel[];
}

/** The agent as its making sees it: with the content and models of the draft if there is one. */
export function inTheMaking(agent: Agent): Agent {
  return agent.draft === null ? agent : { ...agent, ...agent.draft, models: agent.draftModels };
}

/** Whether a job works on the agent, or waits for a person to go on. */
export function isBeingMade({ status }: Agent): boolean {
  return status !== "ready" && status !== "failed";
}

/** Families whose own file has been made. */
export function generatedModels(agent: Agent): ModelFamily[] {
  return agent.models.filter(({ state }) => state === "ready").map(({ family }) => family);
}

/** Families that the agent can be launched as right now. `expression-1` needs only a picture and a voice, so every finished
 *  agent that has both lists it; `essence-2-quality`, where it is `offered`, only a picture; `essence-2-light` comes with `essence-2`. */
export function supportedModels(agent: Agent, offered: readonly ModelFamily[]): ModelFamily[] {
  const families = new Set(generatedModels(agent));
  if (families.has("essence-2")) families.add("essence-2-light");
  const hasPicture = families.size > 0 && agent.portraitKey !== null;
  if (hasPicture && agent.voiceId !== null) families.add("expression-1");
  if (hasPicture && offered.includes("essence-2-quality")) families.add("essence-2-quality");
  return [...families].sort();
}

/** Families that are rendered with the file of another where they have none of their own, and those others, the nearest first. */
const BORROWING: readonly ModelFamily[] = ["expression-1", "essence-2-quality", "essence-2-light"];
const SUBSTITUTES: readonly ModelFamily[] = ["essence-2", "expression-2", "essence-1"];

/** The object a worker should render `family` with: its own file, or that of a family that may stand in for it; null when the worker has
 *  to bake from the portrait. */
export function artifactFor(agent: Agent, family: ModelFamily): string | null {
  for (const candidate of [family, ...(BORROWING.includes(family) ? SUBSTITUTES : [])]) {
    const model = agent.models.find((entry) => entry.family === candidate && entry.state === "ready");
    if (model?.artifactKey) return model.artifactKey;
  }
  return null;
}
