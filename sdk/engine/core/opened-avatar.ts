// An opened bundle with all that renders it: the same in Node and in a tab's worker.
import { config } from "zod/mini";
import { EngineError, isEngineError } from "../../../shared/engine-error.ts";
import { parseExpression } from "../../../shared/expressions.ts";
import { parseManner } from "../../../shared/manners.ts";
import { createEngine, type EngineOptions } from "../../../src/face/engine/create-engine.ts";
import type { Engine } from "../../../src/face/engine/engine.ts";
import { readImx } from "../../../src/face/imx/read-imx.ts";
import { movementSize } from "../../../src/face/lip-sync/expressiveness.ts";
import type { Avatar } from "../../../src/face/rendering/avatar.ts";
import { openAvatar } from "../../../src/face/rendering/open-avatar.ts";
import type { PcmAudio } from "../../../src/signal/audio/wav.ts";
import type { InferenceRuntime } from "../../../src/signal/inference/inference-runtime.ts";
import type { MotionOptions, RenderedStep, RenderOptions } from "../avatar.ts";
import { speechSteps } from "./speech-steps.ts";
import { Turns } from "./take-turns.ts";

export interface OpenParts {
  bundle: Uint8Array<ArrayBuffer>;
  /** Of lip sync, which come meanwhile. */
  weights: Promise<Uint8Array>;
  runtime: InferenceRuntime;
}

type StepOptions = MotionOptions & Pick<RenderOptions, "gestures" | "sampleRateHz" | "signal">;

export class OpenedAvatar {
  /** What it looks like. Engines render it, in turns. */
  readonly avatar: Omit<Avatar, "render" | "close">;
  readonly poster: Uint8Array<ArrayBuffer>;
  readonly #turns: Turns;
  readonly #weights: Uint8Array;
  readonly #runtime: InferenceRuntime;
  readonly #closed = new AbortController();

  private constructor(avatar: Avatar, poster: Uint8Array<ArrayBuffer>, weights: Uint8Array, runtime: InferenceRuntime) {
    this.avatar = avatar;
    this.#turns = new Turns(avatar);
    this.poster = poster;
    this.#weights = weights;
    this.#runtime = runtime;
  }

  /** Throws EngineError: `bundle-invalid` for a file that cannot be used; `unavailable` without WebAssembly, and for a
   *  rig of another version; and the error of the weights. */
  static async open({ bundle, weights, runtime }: OpenParts): Promise<OpenedAvatar> {
    weights.catch(() => undefined);
    // Zod would otherwise try to compile code, which the policies of pages forbid.
    config({ jitless: true });
    const imx = await readImx(bundle);
    const avatar = await openAvatar(imx, runtime).catch((error: unknown) => {
      // The runtime knows better what is missing.
      throw isEngineError(error) && isEngineError(error.cause) ? error.cause : error;
    });
    try {
      return new OpenedAvatar(avatar, imx.poster.slice(), await weights, runtime);
    } catch (error) {
      await avatar.close();
      throw error;
    }
  }

  /** An engine of its own on this face. */
  engine(options: Omit<EngineOptions, "avatar" | "runtime" | "lipSyncModel" | "gestures">): Promise<Engine> {
    if (this.#closed.signal.aborted) throw closedError();
    return createEngine({
      ...options,
      avatar: this.#turns.renderer(),
      runtime: this.#runtime,
      lipSyncModel: this.#weights,
    });
  }

  /** The steps of a speech. Throws RangeError for options out of range, EngineError as `speechSteps`, and if the avatar
   *  is closed meanwhile. */
  async *steps(pieces: AsyncIterable<PcmAudio>, options: StepOptions): AsyncGenerator<RenderedStep> {
    const { sampleRateHz, gestures } = options;
    const motion = engineMotion(options);
    for (const { name } of gestures ?? []) {
      if (!this.avatar.gestures.has(name)) throw new RangeError(`the avatar has no gesture ${name}`);
    }
    const closed = this.#closed.signal;
    const signal = options.signal ? AbortSignal.any([options.signal, closed]) : closed;
    signal.throwIfAborted();
    const engine = await this.engine({ ...motion, sampleRateHz });
    try {
      yield* speechSteps(engine, pieces, { gestures, signal });
    } finally {
      await engine.close();
    }
  }

  /** Renderings end with an error. Idempotent. */
  async close(): Promise<void> {
    this.#closed.abort(closedError());
    await this.#turns.close();
  }
}

/** What an engine takes of the caller's options. Throws RangeError for what is out of range or unknown. */
export function engineMotion({ seed, expressiveness, emotion, manner }: MotionOptions) {
  if (expressiveness !== undefined) movementSize(expressiveness);
  return {
    seed,
    expressiveness,
    mood: emotion === undefined ? undefined : parseExpression(emotion),
    manner: manner === undefined ? undefined : parseManner(manner),
  };
}

function closedError(): EngineError {
  return new EngineError("unavailable", "The avatar is closed.");
}
