// Metrics of conversations on the worker's /metrics: how long answers took, and which part has failed.
import { Counter, Histogram, type Registry } from "prom-client";
import type { ConversationFault, TurnTimes } from "../../src/conversation/turns/conversation-listener.ts";

const BUCKETS_S = [0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.5, 2, 3, 5, 10];
const STEPS = ["text", "decision", "words", "sound"] as const;
/** The label of each part: dashboards and alerts know these values. */
const PARTS: Readonly<Record<ConversationFault, string>> = Object.freeze({ stt: "ears", llm: "mind", voice: "voice" });

export class ConversationMetrics {
  readonly #steps: Histogram<"step">;
  readonly #faults: Counter<"part">;
  readonly #dropped: Counter;

  constructor(registry: Registry) {
    this.#steps = new Histogram({
      name: "avatar_worker_turn_seconds",
      help: "Time from the end of a person's speech to its text, to the decision that the turn is over, to the answer's first words, and to its first sound",
      labelNames: ["step"],
      buckets: BUCKETS_S,
      registers: [registry],
    });
    this.#faults = new Counter({
      name: "avatar_worker_conversation_faults_total",
      help: "Faults in conversations, by the part that failed: ears (speech recognition), mind (the language model), voice",
      labelNames: ["part"],
      registers: [registry],
    });
    this.#dropped = new Counter({
      name: "avatar_worker_messages_dropped_total",
      help: "Messages of conversations that were never reported to the api, because more came than people say",
      registers: [registry],
    });
    for (const step of STEPS) this.#steps.zero({ step });
    for (const part of Object.values(PARTS)) this.#faults.inc({ part }, 0);
  }

  answered({ isTyped, textMs, decidedMs, firstPieceMs, firstSoundMs }: TurnTimes): void {
    const steps = { words: firstPieceMs, sound: firstSoundMs, ...(!isTyped && { text: textMs, decision: decidedMs }) };
    for (const [step, ms] of Object.entries(steps)) if (ms !== undefined) this.#steps.observe({ step }, ms / 1000);
  }

  failed(part: ConversationFault): void {
    this.#faults.inc({ part: PARTS[part] });
  }

  dropped(count: number): void {
    this.#dropped.inc(count);
  }
}
