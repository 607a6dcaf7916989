// Gestures in a room: those that participants request, and those that belong to what the avatar says.
import { AGENT_NAME } from "../../shared/wire-names.ts";
import type { Engine } from "../../src/face/engine/engine.ts";
import { nearestGesture } from "../../src/face/gestures/nearest-gesture.ts";
import { gestureOfSentence } from "../../src/speech/languages/gesture-of-sentence.ts";
import { type GestureRequest, parseGestureRequest } from "./gesture-request.ts";

/** Everyone in the room may trigger gestures: more often than this, ms, none is started. A gesture takes a second. */
const INTERVAL_MS = 250;
/** A gesture that belongs to a sentence ends with its first movement, and the next one comes no sooner than this. */
const CUE_MS = 2_000;
const CUE_INTERVAL_MS = 6_000;

/** Why a gesture was not started. */
type Refusal =
  | "invalid_payload"
  | "unknown_action"
  | "too_often"
  | "already_playing"
  | "user_is_speaking"
  | "agent_is_speaking";

/** Answer to `trigger_dynamics`. */
export interface GestureAnswer {
  /** As it was requested; empty if the payload names none. */
  action: string;
  animation_triggered: boolean;
  status: "success";
  service: string;
  /** The gesture that plays: the nearest one if no gesture has the requested name. */
  played?: string;
  reason?: Refusal;
}

export interface RoomGesturesOptions {
  engine: Pick<Engine, "gesture" | "trigger" | "stopGesture">;
  /** Whether sentences that the avatar speaks by itself have gestures. */
  hasCues: boolean;
  /** Language of these sentences. */
  language: string;
  /** Monotonic, ms. Default: the machine's clock. */
  now?(): number;
}

/** The gestures of one avatar. No method throws. */
export class RoomGestures {
  readonly #options: RoomGesturesOptions;
  readonly #now: () => number;
  #triggeredAtMs = Number.NEGATIVE_INFINITY;
  #cueAtMs = Number.NEGATIVE_INFINITY;
  #isUserSpeaking = false;
  #isAgentSpeaking = false;
  /** What ends the gesture that was started last. */
  #stopsOn = { user: false, agent: false };
  /** Whether that belongs to a sentence. */
  #isCue = false;

  constructor(options: RoomGesturesOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Answers a request of a participant, as JSON. */
  perform(payload: string): string {
    const request = parseGestureRequest(payload);
    const outcome = request ? this.#start(request) : { reason: "invalid_payload" as const };
    const answer: GestureAnswer = {
      action: request?.action ?? "",
      animation_triggered: "played" in outcome,
      status: "success",
      service: AGENT_NAME,
      ...outcome,
    };
    return JSON.stringify(answer);
  }

  /** The first user begins to speak, or the last one stops. */
  userSpeaks(isSpeaking: boolean): void {
    this.#isUserSpeaking = isSpeaking;
    if (isSpeaking && this.#stopsOn.user) this.#options.engine.stopGesture();
  }

  /** The avatar begins or stops to speak. */
  agentSpeaks(isSpeaking: boolean): void {
    this.#isAgentSpeaking = isSpeaking;
    if (isSpeaking && this.#stopsOn.agent) this.#options.engine.stopGesture();
  }

  /** A sentence that the avatar speaks by itself begins to be heard. Never interrupts a gesture. */
  sentence(text: string): void {
    const { engine, hasCues, language } = this.#options;
    const nowMs = this.#now();
    if (!hasCues || engine.gesture !== null || nowMs - this.#cueAtMs < CUE_INTERVAL_MS) return;
    const gesture = gestureOfSentence(text, language);
    if (gesture === null || !engine.trigger(gesture, CUE_MS)) return;
    this.#cueAtMs = nowMs;
    this.#isCue = true;
    this.#stopsOn = { user: true, agent: false };
  }

  /** What the avatar says was cut off. */
  interrupted(): void {
    if (this.#isCue) this.#options.engine.stopGesture();
  }

  #start({
    action,
    isForced,
    stopsOnUserSpeech,
    stopsOnAgentSpeech,
  }: GestureRequest): { played: string } | { reason: Refusal } {
    const { engine } = this.#options;
    if (action === "") return { reason: "unknown_action" };
    const nowMs = this.#now();
    if (nowMs - this.#triggeredAtMs < INTERVAL_MS) return { reason: "too_often" };
    // A file may have gestures of its own names.
    const names = [action, nearestGesture(action)].filter((name) => name !== null);
    if (!isForced) {
      if (names.some((name) => name === engine.gesture)) return { reason: "already_playing" };
      if (stopsOnUserSpeech && this.#isUserSpeaking) return { reason: "user_is_speaking" };
      if (stopsOnAgentSpeech && this.#isAgentSpeaking) return { reason: "agent_is_speaking" };
    }
    const played = names.find((name) => engine.trigger(name));
    if (played === undefined) return { reason: "unknown_action" };
    this.#triggeredAtMs = nowMs;
    this.#isCue = false;
    this.#stopsOn = { user: stopsOnUserSpeech, agent: stopsOnAgentSpeech };
    return { played };
  }
}
