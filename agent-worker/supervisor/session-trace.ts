// The spans of one avatar session on this worker: its start, from the accepted job to the first frame, with the steps
// of its process; the first speech; and each turn of its conversation. They belong to the trace of the launch. Session
// processes tell their milestones, so they need no code for traces.
import { parseTraceparent } from "../../program/telemetry/trace-context.ts";
import { type Attributes, epochMs, type Span, type Tracer } from "../../program/telemetry/tracer.ts";
import type { Milestone } from "../../room/playout/playout-event.ts";
import type { DispatchMetadata, EndReason, JobDescription } from "../../shared/runtime-api.ts";
import type { TurnTimes } from "../../src/conversation/turns/conversation-listener.ts";

export class SessionTrace {
  readonly #tracer: Tracer;
  readonly #start: Span;
  readonly #acceptedAtMs = epochMs();
  readonly #reachedMs: Partial<Record<Milestone | "assigned", number>> = {};
  #hasStarted = false;

  /** The job was accepted now. */
  constructor(tracer: Tracer, { avatar_session_id: id, traceparent }: DispatchMetadata) {
    this.#tracer = tracer;
    this.#start = tracer.start("session.start", {
      parent: parseTraceparent(traceparent),
      kind: "consumer",
      startMs: this.#acceptedAtMs,
      attributes: { "avatar.session.id": id },
    });
  }

  described({ model, conversation }: JobDescription): void {
    this.#start.set({ "avatar.model": model, "avatar.conversation": conversation });
  }

  /** The job's description and its avatar are here. */
  fetched(): void {
    if (!this.#hasStarted) this.#step("job.fetch", this.#acceptedAtMs, epochMs());
  }

  /** A process begins to run the session. `wasReady`: it had loaded its code. */
  assigned(wasReady: boolean): void {
    this.#reachedMs.assigned ??= epochMs();
    this.#start.set({ "avatar.process.ready": wasReady });
  }

  /** A process has reached a milestone. Only the first process of a session is traced. */
  reached(milestone: Milestone, atMs: number): void {
    if (this.#reachedMs[milestone] !== undefined) return;
    this.#reachedMs[milestone] = atMs;
    const { assigned, running, opened, joined, published } = this.#reachedMs;
    if (milestone === "running") this.#step("process.wait", assigned, atMs);
    else if (milestone === "opened") this.#step("avatar.open", running, atMs);
    else if (milestone === "joined") this.#step("room.join", running, atMs);
    else if (milestone === "published") this.#step("tracks.publish", Math.max(opened ?? 0, joined ?? 0), atMs);
    else if (milestone === "first-speech") this.#step("audio.first_speech", published, atMs);
    else {
      this.#step("video.first_frame", published, atMs);
      this.#hasStarted = true;
      this.#start.end(atMs);
    }
  }

  /** A turn of the conversation was answered just now: its first audio is heard, or its first words are written. */
  answered({ isTyped, textMs, decidedMs, firstPieceMs, firstSoundMs }: TurnTimes): void {
    const lastedMs = firstSoundMs ?? firstPieceMs ?? decidedMs;
    const attributes = {
      "avatar.turn.typed": isTyped,
      "avatar.turn.text_ms": Math.round(textMs),
      "avatar.turn.decision_ms": Math.round(decidedMs),
      "avatar.turn.words_ms": firstPieceMs && Math.round(firstPieceMs),
      "avatar.turn.sound_ms": firstSoundMs && Math.round(firstSoundMs),
    };
    const endMs = epochMs();
    this.#step("conversation.turn", endMs - lastedMs, endMs, attributes);
  }

  /** The session has left this worker. A start that is not complete has failed. */
  ended(reason: EndReason): void {
    if (!this.#hasStarted) this.#start.fail(reason);
    this.#start.end();
  }

  #step(name: string, startMs: number | undefined, endMs: number, attributes?: Attributes): void {
    if (startMs === undefined || this.#start.context === undefined) return;
    this.#tracer.start(name, { parent: this.#start.context, startMs, attributes }).end(endMs);
  }
}
