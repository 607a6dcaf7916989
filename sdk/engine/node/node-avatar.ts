// An opened avatar in Node.
import { readFile } from "node:fs/promises";
import { EngineError } from "../../../shared/engine-error.ts";
import { writeRgba } from "../../../src/face/rendering/i420-to-rgba.ts";
import type { I420Frame } from "../../../src/signal/image/i420-frame.ts";
import type { InferenceRuntime } from "../../../src/signal/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import type {
  Avatar,
  BundleSource,
  FilmOptions,
  FrameByFormat,
  FrameFormat,
  OpenOptions,
  RenderedStep,
  Rendering,
  RenderOptions,
} from "../avatar.ts";
import { abortable } from "../core/abortable.ts";
import { OpenedAvatar } from "../core/opened-avatar.ts";
import { createRendering } from "../core/rendering.ts";
import { speechPieces } from "../core/speech-pieces.ts";
import { LIP_SYNC_WEIGHTS } from "../lip-sync-weights.ts";
import type { Speech } from "../speech.ts";
import { assertInstalled } from "./missing-packages.ts";
import { NODE_SPEECH } from "./node-speech.ts";
import { readBytes } from "./read-place.ts";

let weights: Promise<Uint8Array> | undefined;

/** Opens an avatar. */
export async function openInNode(bundle: BundleSource, { signal }: OpenOptions): Promise<Avatar> {
  return new NodeAvatar(await openBundleInNode(bundle, signal));
}

/** The same, with all parts. */
export async function openBundleInNode(bundle: BundleSource, signal?: AbortSignal): Promise<OpenedAvatar> {
  assertWebAssembly();
  // One array for the process: streams of the same array share its weights in memory.
  weights ??= readFile(LIP_SYNC_WEIGHTS);
  const runtime = rendererRuntime();
  const opening = readBytes(bundle, signal).then((bytes) =>
    OpenedAvatar.open({ bundle: bytes, weights: weights!, runtime }),
  );
  return abortable(opening, signal);
}

class NodeAvatar implements Avatar {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly gestures: readonly string[];
  readonly poster: Uint8Array<ArrayBuffer>;
  readonly #opened: OpenedAvatar;

  constructor(opened: OpenedAvatar) {
    const { avatar, poster } = opened;
    this.widthPx = avatar.widthPx;
    this.heightPx = avatar.heightPx;
    this.gestures = [...avatar.gestures.keys()];
    this.poster = poster;
    this.#opened = opened;
  }

  render<Format extends FrameFormat = "i420">(speech: Speech, options: RenderOptions<Format> = {}): Rendering<Format> {
    const { signal } = options;
    const steps = () => this.#opened.steps(speechPieces(speech, NODE_SPEECH, signal), options);
    return createRendering({
      steps: () => inFormat(steps(), options.format),
      toFile: async (path, filmOptions: FilmOptions) => {
        const { writeSteps } = await import("./write-steps.ts");
        return writeSteps(steps(), { ...filmOptions, path, signal, sampleRateHz: options.sampleRateHz, avatar: this });
      },
    });
  }

  async show(): Promise<void> {
    throw onlyInTab("show");
  }

  async speak(): Promise<void> {
    throw onlyInTab("speak");
  }

  gesture(): boolean {
    throw onlyInTab("gesture");
  }

  stop(): void {
    throw onlyInTab("stop");
  }

  close(): Promise<void> {
    return this.#opened.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

async function* inFormat<Format extends FrameFormat>(
  steps: AsyncGenerator<RenderedStep>,
  format: FrameFormat = "i420",
): AsyncGenerator<RenderedStep<Format>> {
  if (format === "bitmap") throw new EngineError("invalid-input", 'Frames as "bitmap" are for a tab. Ask for "rgba".');
  for await (const { frame, audio } of steps) {
    yield { frame: (format === "rgba" ? toRgba(frame) : frame) as FrameByFormat[Format], audio };
  }
}

function toRgba(frame: I420Frame): FrameByFormat["rgba"] {
  const { widthPx, heightPx } = frame;
  const data = new Uint8ClampedArray(4 * widthPx * heightPx);
  writeRgba(frame, data);
  return { data, widthPx, heightPx };
}

/** Renders with our executors, which need no package. */
function rendererRuntime(): InferenceRuntime {
  const runtime = createNodeRuntime();
  return {
    ...runtime,
    createSession: async (model) => {
      assertInstalled(
        "This .imx was baked by another version of the engine. Bake it again with this version, which is faster; as it is, rendering it",
        ["onnxruntime-node"],
      );
      return runtime.createSession(model);
    },
  };
}

function assertWebAssembly(): void {
  if (typeof WebAssembly === "undefined") {
    throw new EngineError(
      "unavailable",
      "WebAssembly is switched off in this process (--jitless), and rendering needs it.",
    );
  }
}

function onlyInTab(method: string): EngineError {
  return new EngineError("unavailable", `${method}() is for a browser tab. In Node, use render().`);
}
