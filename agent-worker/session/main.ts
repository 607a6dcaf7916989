// The program of one avatar session. Its worker starts it ahead of time, gives it exactly one session, and learns from
// its checkpoints what the next process needs if this one dies.

import { setTimeout as delay } from "node:timers/promises";
import { type AddressRule, createAddressRule, hostEntriesOf } from "../../shared/address-rules.ts";
import { parseConfig } from "../../shared/config.ts";
import { createLogger, type Logger } from "../../shared/log.ts";
import { logUncaught } from "../../shared/log-uncaught.ts";
import { resolveModel } from "../../shared/models.ts";
import type { EndReason, JobDescription } from "../../shared/runtime-api.ts";
import { HEARING_HOP_SAMPLES } from "../../shared/units.ts";
import { createEngine } from "../../src/engine/create-engine.ts";
import { gestureTracks } from "../../src/gestures/gesture-track.ts";
import { loadHearingModel } from "../../src/hearing/hearing-model.ts";
import { loadHearingNetwork } from "../../src/hearing/load-hearing-network.ts";
import type { InferenceRuntime } from "../../src/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../src/inference/node-runtime.ts";
import { loadRigModule } from "../../src/rendering/rig-executor/open-rig-executor.ts";
import { DefaultVoice } from "../../src/voice/default-voice.ts";
import type { SentenceTask, SpokenSamples } from "../../src/voice/espeak-messages.ts";
import { EspeakVoice } from "../../src/voice/espeak-voice.ts";
import type { FetchedTask } from "../../src/voice/fetched/fetched-messages.ts";
import { FetchedVoice } from "../../src/voice/fetched/fetched-voice.ts";
import { voicesFolder } from "../../src/voice/fetched/fetched-voices.ts";
import type { PieceAudio, PieceTask } from "../../src/voice/neural/neural-messages.ts";
import { NeuralVoice } from "../../src/voice/neural/neural-voice.ts";
import { RemoteVoice } from "../../src/voice/remote/remote-voice.ts";
import type { Voice } from "../../src/voice/voice.ts";
import { MachineLoad } from "../capacity/machine-load.ts";
import type { TurnEndTask } from "../listening/turn-end-messages.ts";
import { pacedEngine } from "../playout/paced-engine.ts";
import { StartReserve } from "../playout/start-reserve.ts";
import type { ProviderParts } from "../providers/provider-parts.ts";
import { AvatarAhead } from "./avatar-ahead.ts";
import { AvatarSession } from "./avatar-session.ts";
import { ControlRoom } from "./control-room.ts";
import { CpuMeter, measureCpuMs } from "./cpu-meter.ts";
import { loadAvatar } from "./load-avatar.ts";
import { renderingRuntime } from "./rendering-runtime.ts";
import { RuntimeApiClient } from "./runtime-api-client.ts";
import { SESSION_PARTS, type SessionConfig } from "./session-config.ts";
import type { AvatarFile, MessageFromProcess, MessageToProcess, Milestone, SessionTask } from "./session-messages.ts";
import { WorkerSynthesizer } from "./worker-synthesizer.ts";
import { WorkerTasks } from "./worker-tasks.ts";

/** What a process loads before it gets its session. */
interface Prepared {
  config: SessionConfig;
  /** Runs the hearing network; on the CPU, because on a GPU its state would be copied there and back for every video
   *  frame. */
  runtime: InferenceRuntime;
  /** Renders, unless the job's model name pins another runtime. */
  rendering: InferenceRuntime;
  hearingModel: Uint8Array;
  /** CPU time of the lip-sync network on one hop, ms. */
  hopMs: number;
}

/** Time over which a session looks at the machine's load, ms: long enough that a garbage collection does not count,
 *  short enough that the frame rate follows the load. */
const LOAD_SPAN_MS = 1200;
/** A session that takes longer to start can be ended through the control room before it is live. */
const CONTROL_ROOM_LATEST_MS = 1_000;
/** 25 runs are one second of speech. */
const MEASURED_HOPS = 25;

async function prepare(): Promise<Prepared> {
  const config = parseConfig(process.env, SESSION_PARTS);
  const runtime = createNodeRuntime();
  const rendering = config.rendering.provider === "cuda" ? createNodeRuntime({ provider: "cuda" }) : runtime;
  const hearingModel = await loadHearingModel();
  // Loads the weights, which the session's network shares. Loaded now, they do not delay a launch.
  const network = await loadHearingNetwork(runtime, hearingModel);
  const hop = new Float32Array(HEARING_HOP_SAMPLES);
  const hopMs = await measureCpuMs(() => network.run(hop), MEASURED_HOPS);
  await network.close();
  // On a processor the executor renders; a GPU needs ONNX Runtime, whose native library the first session loads.
  if (rendering.provider === "cuda") await (await runtime.createSession(hearingModel)).release();
  else await loadRigModule(runtime);
  // Loads Node's HTTP client: 35 ms, which the first report of a live session would take while its first frame is due.
  await fetch("data:,");
  return { config, runtime, rendering, hearingModel, hopMs };
}

/** What a process has besides what it has loaded. */
interface ProcessParts {
  /** An avatar that was opened before. */
  ahead: AvatarAhead | undefined;
  voice: Voice;
  /** Of the worker. */
  turnEnds: WorkerTasks<TurnEndTask, number>;
}

/** Serves the session until it ends. `whenTold` gets the function that ends the session earlier. Resolves with the
 *  reason. */
async function serve(
  { metadata, job, imx, controlRoom, allowedHosts, checkpoint, conversation }: SessionTask,
  prepared: Prepared,
  { ahead, voice, turnEnds }: ProcessParts,
  whenTold: (end: (reason: EndReason) => void) => void,
): Promise<EndReason> {
  const { config, runtime, hearingModel } = prepared;
  tellMilestone("serving");
  const logger = createSessionLogger(config, metadata.avatar_session_id);
  const api = new RuntimeApiClient(metadata);
  const cpu = new CpuMeter();
  const machine = new MachineLoad(LOAD_SPAN_MS);
  machine.start();
  const freeCores = () => machine.freeCores();
  const reserve = new StartReserve();
  const providers = await openProviders(job, config, logger);
  const sessionVoice = providers?.voice(voice) ?? voice;
  const session = new AvatarSession({
    api,
    job,
    voice: sessionVoice,
    // A visitor types within seconds, and the neural voice takes two to load. The formant voice costs little to load.
    expectsSpeech: job.is_hosted === true || config.voice.engine === "formant",
    codec: config.rendering.codec,
    maxBitrateKbps: config.rendering.maxBitrateKbps,
    maxFps: config.rendering.maxFps,
    reserve,
    freeCores,
    mayContact: livekitAddressRule(config, allowedHosts),
    logger,
    checkpoint,
    loadAvatar: async () => {
      const rendering = renderingRuntime(job.model, prepared.rendering);
      const isPlain = rendering === prepared.rendering && resolveModel(job.model)?.family !== "essence-2-quality";
      const opened = await ahead?.take(isPlain ? job.imx_sha256 : null);
      const { qualityNetworkPath } = config.rendering;
      const avatar = opened ?? (await loadAvatar(job, { api, imx, runtime: rendering, qualityNetworkPath }));
      tellWorker({ type: "opened", renderedBy: avatar.renderedBy ?? "runtime" });
      return avatar;
    },
    createEngine: (avatar) => {
      // The file has the agent's own gestures, which are switched off.
      const gestures = job.dynamics_enabled === false ? gestureTracks({ face: avatar.gestureFace }) : undefined;
      return createEngine({ avatar, gestures, runtime, hearingModel, ...pacedEngine(reserve) });
    },
    onMilestone: tellMilestone,
    onPlayoutReport: (report) => {
      logger.debug(report, "playout");
      tellWorker({ type: "playout", report, cpuCores: cpu.read() });
    },
    onCheckpoint: (next) => tellWorker({ type: "checkpoint", checkpoint: next }),
    onVacancy: (isVacant) => tellWorker({ type: "vacancy", isVacant }),
    onLeft: (reason) => tellWorker({ type: "left", reason }),
    startConversation:
      conversation &&
      (async (options) => {
        // Only conversations load it.
        const { startConversation } = await import("../conversation/start-conversation.ts");
        return startConversation({
          ...options,
          task: conversation,
          providers,
          predictTurnEnd: (samples) => turnEnds.run({ samples }),
          onCheckpoint: (change) => tellWorker({ type: "conversation", change }),
          onTurn: (times) => tellWorker({ type: "turn", times }),
          onFault: (part) => tellWorker({ type: "conversation-fault", part }),
        });
      }),
  });
  whenTold((reason) => void session.end(reason));
  const control =
    controlRoom &&
    new ControlRoom({
      ...controlRoom,
      logger,
      speak: (message) => session.speak(message),
      addContext: (text) => session.addContext(text),
      type: (text) => session.type(text),
      end: (reason) => void session.end(reason),
    });
  // Viewers wait for the media room only, and joining takes as much of the processor as opening the avatar.
  const starting = session.start();
  await Promise.race([starting, delay(CONTROL_ROOM_LATEST_MS)]);
  if (session.state !== "ended") control?.join();
  await starting;
  const reason = await session.ended;
  await Promise.all([control?.close(), sessionVoice.close()]);
  providers?.close();
  return reason;
}

function openAhead(file: AvatarFile, { runtime, rendering, hearingModel }: Prepared): AvatarAhead {
  return new AvatarAhead(file, {
    runtime: rendering,
    createEngine: (avatar) => createEngine({ avatar, runtime, hearingModel, ...pacedEngine() }),
  });
}

function createSessionLogger(config: SessionConfig, avatarSessionId: string): Logger {
  return createLogger({ ...config.log, name: "agent-worker" }).child({ avatarSessionId });
}

/** The account's own servers; null if the agent uses none. Only such sessions load their client. */
async function openProviders(
  job: JobDescription,
  config: SessionConfig,
  logger: Logger,
): Promise<ProviderParts | null> {
  const { providers } = job;
  if (!providers || Object.values(providers).every((chosen) => chosen === undefined)) return null;
  const { ProviderParts } = await import("../providers/provider-parts.ts");
  return new ProviderParts({
    providers,
    policy: config.outgoing,
    onFault: (part) => tellWorker({ type: "conversation-fault", part }),
    logger,
  });
}

/** Decides which addresses a caller's LiveKit server may have: the same check as the api's at launch, and our own
 *  server is allowed. */
function livekitAddressRule(config: SessionConfig, allowedHosts: readonly string[]): AddressRule {
  return createAddressRule({
    ...config.outgoing,
    allowHosts: [...(config.livekit.url ? hostEntriesOf(config.livekit.url) : []), ...allowedHosts],
  });
}

/** Sends a message to the worker. Does nothing once the worker is gone. */
function tellWorker(message: MessageFromProcess): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

function tellMilestone(milestone: Milestone): void {
  tellWorker({ type: "milestone", milestone, atMs: performance.timeOrigin + performance.now() });
}

async function main(): Promise<void> {
  const tasks: SessionTask[] = [];
  let isWorkerGone = false;
  let onTask: (() => void) | undefined;
  let end: ((reason: EndReason) => void) | undefined;
  let endReason: EndReason | undefined;
  const endFor = (reason: EndReason): void => {
    endReason ??= reason;
    end?.(reason);
  };
  let prepared: Prepared | undefined;
  let ahead: AvatarAhead | undefined;
  const sentences = new WorkerSynthesizer<SentenceTask, SpokenSamples>(
    (id, task) => tellWorker({ type: "speak", id, task }),
    () => tellWorker({ type: "warm-up", engine: "formant" }),
  );
  const pieces = new WorkerSynthesizer<PieceTask | FetchedTask, PieceAudio>(
    (id, task) => tellWorker({ type: "make-piece", id, task }),
    () => tellWorker({ type: "warm-up", engine: "neural" }),
  );
  const turnEnds = new WorkerTasks<TurnEndTask, number>((id, task) => {
    tellWorker({ type: "predict-turn-end", id, task });
  });
  process.on("message", (message: MessageToProcess) => {
    if (message.type === "end") return endFor(message.reason);
    if (message.type === "spoken") return sentences.take(message.reply);
    if (message.type === "piece") return pieces.take(message.reply);
    if (message.type === "turn-end") return turnEnds.take(message.reply);
    if (message.type === "open") {
      // Not on a GPU, whose memory sessions need.
      if (prepared?.rendering.provider === "cpu") ahead = openAhead(message.avatar, prepared);
      return;
    }
    tasks.push(message.task);
    onTask?.();
  });
  process.on("disconnect", () => {
    isWorkerGone = true;
    if (tasks.length === 0) process.exit(0);
    // The worker died. The session moves to another one.
    endFor("worker_draining");
  });
  // The worker decides when its sessions end: a signal to the whole process group must not end them before.
  process.on("SIGTERM", () => undefined);
  process.on("SIGINT", () => undefined);
  // The worker gives the session to another process.
  const { log } = parseConfig(process.env, ["log"]);
  logUncaught(createLogger({ ...log, name: "session" }), () => process.exit(1));
  prepared = await prepare();
  tellWorker({ type: "ready", hopMs: prepared.hopMs });
  if (tasks.length === 0 && !isWorkerGone) {
    await new Promise<void>((resolve) => {
      onTask = resolve;
    });
  }
  const { engine, remote } = prepared.config.voice;
  const voice = new DefaultVoice({
    engine,
    remote: remote && new RemoteVoice(remote),
    neural: new NeuralVoice({ pieces, formants: sentences }),
    formant: new EspeakVoice(sentences),
    fetched: new FetchedVoice({
      folder: voicesFolder(prepared.config.disk.dataDir),
      sentences: pieces,
      formants: sentences,
    }),
  });
  const reason = await serve(tasks[0], prepared, { ahead, voice, turnEnds }, (endSession) => {
    end = endSession;
    if (endReason !== undefined) endSession(endReason);
  });
  tellWorker({ type: "ended", reason });
}

main().then(
  // Native libraries keep the event loop alive.
  () => setImmediate(() => process.exit(0)),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
