// Renders one avatar off the page's thread: speeches as fast as the page takes their frames, and the face that lives on
// the page's canvas step by step.
import { EngineError } from "../../../../shared/engine-error.ts";
import { PLAYOUT_SAMPLE_RATE_HZ } from "../../../../shared/units.ts";
import type { SegmentInput } from "../../../../src/face/engine/engine.ts";
import { writeRgba } from "../../../../src/face/rendering/i420-to-rgba.ts";
import type { PcmAudio } from "../../../../src/signal/audio/wav.ts";
import type { I420Frame } from "../../../../src/signal/image/i420-frame.ts";
import type { FrameByFormat, FrameFormat, MotionOptions, RenderedStep, RgbaFrame } from "../../avatar.ts";
import { engineMotion, OpenedAvatar } from "../../core/opened-avatar.ts";
import { LIP_SYNC_WEIGHTS } from "../../lip-sync-weights.ts";
import { EngineSteps, type FaceSteps, type Picture } from "../face/face-steps.ts";
import { LIVE_RESERVE_MS } from "../face/live-reserve.ts";
import { fetchFile } from "./fetch-file.ts";
import { fromProblem, toProblem } from "./problem.ts";
import type {
  FromRenderWorker,
  OpenedInfo,
  RenderCall,
  RenderOrder,
  RenderResults,
  RenderSettings,
  ToRenderWorker,
} from "./render-messages.ts";
import { createWorkerRuntime } from "./worker-runtime.ts";

/** The part of a worker's global object that is used; the page's types have no worker. */
interface WorkerScope {
  postMessage(message: FromRenderWorker, transfer: Transferable[]): void;
  addEventListener(type: "message", receive: (event: MessageEvent<ToRenderWorker>) => void): void;
}

/** A speech that is rendered. */
interface Running {
  steps: AsyncGenerator<RenderedStep>;
  format: FrameFormat;
  /** Takes what the page answers to a pull. */
  deliver: (piece: PcmAudio | null | Error) => void;
  abort: AbortController;
}

const scope = globalThis as unknown as WorkerScope;
const running = new Map<number, Running>();
const segments = new Map<string, SegmentInput>();
let opened: OpenedAvatar | undefined;
let live: FaceSteps | undefined;
/** The last picture of the face; its memory is used again. */
let rendered: Picture | undefined;

scope.addEventListener("message", ({ data }) => {
  if ("order" in data) return obey(data);
  const { id, call } = data;
  perform(call).then(
    (result) => scope.postMessage({ id, result }, transferablesOf(result)),
    (error) => scope.postMessage({ id, problem: toProblem(error) }, []),
  );
});

async function perform(call: RenderCall): Promise<RenderResults[keyof RenderResults]> {
  switch (call.name) {
    case "open":
      return open(call.bundle);
    case "render":
      return begin(call.rendering, call.options);
    case "next":
      return next(call.rendering);
    case "live":
      return startLive(call.options);
    case "step":
      return step(call.isHeld, call.used);
  }
}

function obey(order: RenderOrder): void {
  switch (order.order) {
    case "piece":
      running.get(order.rendering)?.deliver(order.piece);
      break;
    case "broken":
      running.get(order.rendering)?.deliver(fromProblem(order.problem));
      break;
    case "leave":
      running.get(order.rendering)?.abort.abort();
      running.delete(order.rendering);
      break;
    case "segment":
      segments.set(order.segmentId, live!.openSegment(order.segmentId, order.sampleRateHz));
      break;
    case "push":
      segments.get(order.segmentId)?.push(order.samples);
      break;
    case "end":
      segments.get(order.segmentId)?.end();
      segments.delete(order.segmentId);
      break;
    case "clear":
      segments.clear();
      live?.clear();
      break;
    case "gesture":
      live?.trigger(order.gesture);
      break;
    case "express":
      live?.express(order.mood);
      break;
    case "listening":
      live?.listening(order.isListening);
      break;
    case "heard":
      live?.heard(order.what);
      break;
    case "thinking":
      live?.thinking(order.isThinking);
      break;
  }
}

async function open(bundle: string | Uint8Array | Blob): Promise<OpenedInfo> {
  const runtime = createWorkerRuntime();
  const weights = fetchFile(LIP_SYNC_WEIGHTS.href);
  weights.catch(() => undefined);
  opened = await OpenedAvatar.open({ bundle: await bytesOf(bundle), weights, runtime });
  const { avatar, poster } = opened;
  const { widthPx, heightPx, gestures } = avatar;
  return { widthPx, heightPx, gestures: [...gestures.keys()], poster };
}

async function bytesOf(bundle: string | Uint8Array | Blob): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof bundle === "string") return fetchFile(bundle);
  return new Uint8Array(bundle instanceof Blob ? await bundle.arrayBuffer() : bundle);
}

function begin(rendering: number, { format = "i420", ...options }: RenderSettings): null {
  const abort = new AbortController();
  const pulled: { deliver: Running["deliver"] } = { deliver: () => undefined };
  const pieces = (async function* () {
    for (;;) {
      const answered = new Promise<PcmAudio | null | Error>((resolve) => {
        pulled.deliver = resolve;
      });
      scope.postMessage({ pull: rendering }, []);
      const piece = await answered;
      if (piece instanceof Error) throw piece;
      if (piece === null) return;
      yield piece;
    }
  })();
  const steps = opened!.steps(pieces, { ...options, signal: abort.signal });
  running.set(rendering, { steps, format, abort, deliver: (piece) => pulled.deliver(piece) });
  return null;
}

async function next(rendering: number): Promise<RenderedStep<FrameFormat> | null> {
  const one = running.get(rendering);
  const { done, value } = one ? await one.steps.next() : { done: true as const, value: undefined };
  if (done) {
    running.delete(rendering);
    return null;
  }
  return { frame: await inFormat(value.frame, one!.format), audio: value.audio };
}

async function inFormat(frame: I420Frame, format: FrameFormat): Promise<FrameByFormat[FrameFormat]> {
  // A copy: what is sent is gone here.
  if (format === "i420") return { ...frame, data: frame.data.slice() };
  const rgba = toRgba(frame, undefined);
  return format === "rgba" ? rgba : createImageBitmap(new ImageData(rgba.data, frame.widthPx, frame.heightPx));
}

async function startLive(options: MotionOptions): Promise<null> {
  const engine = await opened!.engine({
    ...engineMotion(options),
    sampleRateHz: PLAYOUT_SAMPLE_RATE_HZ,
    startReserveMs: LIVE_RESERVE_MS,
  });
  live = new EngineSteps(engine, { close: async () => undefined });
  return null;
}

/** The picture goes through I420 here, and to the page as RGBA: it only has to put it on its canvas. */
async function step(isHeld: boolean, used: Picture | undefined): Promise<RenderResults["step"]> {
  if (!live) throw new EngineError("unavailable", "The face is not shown.");
  const { picture, ...rest } = await live.step(isHeld, rendered);
  rendered = picture;
  return { ...rest, picture: toRgba(picture as I420Frame, used as RgbaFrame | undefined), counters: live.counters() };
}

function toRgba(frame: I420Frame, used: RgbaFrame | undefined): RgbaFrame {
  const { widthPx, heightPx } = frame;
  const bytes = 4 * widthPx * heightPx;
  const data = used?.data.length === bytes ? used.data : new Uint8ClampedArray(bytes);
  writeRgba(frame, data);
  return { data, widthPx, heightPx };
}

function transferablesOf(result: RenderResults[keyof RenderResults]): Transferable[] {
  if (result === null || "poster" in result) return [];
  if ("picture" in result) return [result.picture.data.buffer as ArrayBuffer, result.audio.buffer as ArrayBuffer];
  const { frame, audio } = result;
  const picture = frame instanceof ImageBitmap ? frame : (frame.data.buffer as ArrayBuffer);
  return [picture, audio.samples.buffer as ArrayBuffer];
}
