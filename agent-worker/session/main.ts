// The program of one avatar session. Its worker starts it ahead of time, gives it exactly one session, and learns from
// its checkpoints what the next process needs if this one dies.
import { setTimeout as delay } from "node:timers/promises";
import { parseConfig } from "../../program/config.ts";
import { createLogger, type Logger } from "../../program/log.ts";
import { logUncaught } from "../../program/log-uncaught.ts";
import { type AddressRule, createAddressRule, hostEntriesOf } from "../../program/outgoing/address-rules.ts";
import { pacedEngine } from "../../room/playout/paced-engine.ts";
import { milestoneReached } from "../../room/playout/playout-event.ts";
import { StartReserve } from "../../room/playout/start-reserve.ts";
import { resolveModel } from "../../shared/models.ts";
import type { EndReason, JobDescription } from "../../shared/runtime-api.ts";
import { LIP_SYNC_HOP_SAMPLES } from "../../shared/units.ts";
import { createEngine } from "../../src/face/engine/create-engine.ts";
import { gestureTracks } from "../../src/face/gestures/gesture-track.ts";
import { loadLipSyncModel } from "../../src/face/lip-sync/lip-sync-model.ts";
import { loadLipSyncNetwork } from "../../src/face/lip-sync/load-lip-sync-network.ts";
import { loadRigModule } from "../../src/face/rendering/rig-executor/open-rig-executor.ts";
import type { InferenceRuntime } from "../../src/signal/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";
import { MachineLoad } from "../capacity/machine-load.ts";
import type { ProviderParts } from "../providers/provider-parts.ts";
import { openVoice, type WorkerVoices } from "../tasks/open-voice.ts";
import { WorkerTasks } from "../tasks/worker-tasks.ts";
import { AvatarAhead } from "./avatar-ahead.ts";
import { ControlRoom } from "./control-room.ts";
import { CpuMeter, measureCpuMs } from "./cpu-meter.ts";
import { loadAvatar } from "./load-avatar.ts";
import { renderingRuntime } from "./rendering-runtime.ts";
import { RuntimeApiClient } from "./runtime-api-client.ts";
import { SESSION_PARTS, type SessionConfig } from "./session-config.ts";
import type { SessionEventBody } from "./session-event.ts";
import type { AvatarFile, MessageFromProcess, MessageToProcess, SessionTask } from "./session-messages.ts";
import { SessionRun } from "./session-run.ts";

/** What a process loads before it gets its session. */
interface Prepared {
  config: SessionConfig;
  /** Runs the lip-sync network; on the CPU, because on a GPU its state would be copied there and back for every video
   *  frame. */
  runtime: InferenceRuntime;
  /** Renders, unless the job's model name pins another runtime. */
  rendering: InferenceRuntime;
  lipSyncModel: Uint8Array;
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
  const lipSyncModel = await loadLipSyncModel();
  // Loads the weights, which the session's network shares. Loaded now, they do not delay a launch.
  const network = await loadLipSyncNetwork(runtime, lipSyncModel);
  const hop = new Float32Array(LIP_SYNC_HOP_SAMPLES);
  const hopMs = await measureCpuMs(() => network.run(hop), MEASURED_HOPS);
  await network.close();
  // On a processor the executor renders; a GPU needs ONNX Runtime: the first session loads its native library.
  if (rendering.provider === "cuda") await (await runtime.createSession(lipSyncModel)).release();
  else await loadRigModule(runtime);
  // Loads Node's HTTP client: 35 ms, which the first report of a live session would take while its first frame is due.
  await fetch("data:,");
  return { config, runtime, rendering, lipSyncModel, hopMs };
}

/** What a process has besides what it has loaded. */
interface ProcessParts {
  /** An avatar that was opened before. */
  ahead: AvatarAhead | undefined;
  tasks: WorkerTasks;
}

/** Runs the session until it ends. `whenTold` gets the function that ends the session earlier. Resolves with the
 *  reason. */
async function run(
  { metadata, job, imx, controlRoom, allowedHosts, checkpoint, conversation }: SessionTask,
  prepared: Prepared,
  { ahead, tasks }: ProcessParts,
  whenTold: (end: (reason: EndReason) => void) => void,
): Promise<EndReason> {
  const { config, runtime, lipSyncModel } = prepared;
  const sessionId = metadata.avatar_session_id;
  const tell = (event: SessionEventBody): void => tellWorker({ type: "event", event: { ...event, sessionId } });
  tell(milestoneReached("running"));
  const logger = createSessionLogger(config, sessionId);
  const api = new RuntimeApiClient(metadata);
  const cpu = new CpuMeter();
  const machine = new MachineLoad(LOAD_SPAN_MS);
  machine.start();
  const freeCores = () => machine.freeCores();
  const reserve = new StartReserve();
  const providers = await openProviders(job, config, logger, tell);
  const voices: WorkerVoices = {
    speak: (task, owner) => tasks.run("speak", task, owner),
    makePiece: (task, owner) => tasks.run("makePiece", task, owner),
    warmUp: (engine) => tellWorker({ type: "warm-up", engine }),
  };
  const ownVoice = openVoice(config, voices, sessionId);
  const voice = providers?.tts(ownVoice) ?? ownVoice;
  const session = new SessionRun({
    api,
    job,
    voice,
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
      tell({ type: "opened", renderedBy: avatar.renderedBy ?? "runtime" });
      return avatar;
    },
    createEngine: (avatar) => {
      // The file has the agent's own gestures, which are switched off.
      const gestures = job.dynamics_enabled === false ? gestureTracks({ face: avatar.gestureFace }) : undefined;
      return createEngine({ avatar, gestures, runtime, lipSyncModel, ...pacedEngine(reserve) });
    },
    onEvent: (event) => {
      tell(event);
      if (event.type !== "playout") return;
      logger.debug(event.report, "playout");
      const cpuCores = cpu.read();
      // What a session costs is what it costs with video: a viewer may come at any time.
      if (event.report.unwatchedFrames === 0) tellWorker({ type: "usage", cpuCores });
    },
    startConversation:
      conversation &&
      (async (options) => {
        // Only conversations load it.
        const { startConversation } = await import("../conversation/start-conversation.ts");
        return startConversation({
          ...options,
          task: conversation,
          providers,
          tasks,
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
      type: (text, mode) => session.type(text, mode),
      still: () => session.still(),
      end: (reason) => void session.end(reason),
    });
  // Viewers wait for the media room only, and joining takes as much of the processor as opening the avatar.
  const starting = session.start();
  await Promise.race([starting, delay(CONTROL_ROOM_LATEST_MS)]);
  if (session.state !== "ended") control?.join();
  await starting;
  const reason = await session.ended;
  tasks.close();
  await Promise.all([control?.close(), voice.close()]);
  providers?.close();
  return reason;
}

function openAhead(file: AvatarFile, { runtime, rendering, lipSyncModel }: Prepared): AvatarAhead {
  return new AvatarAhead(file, {
    runtime: rendering,
    createEngine: (avatar) => createEngine({ avatar, runtime, lipSyncModel, ...pacedEngine() }),
  });
}

function createSessionLogger(config: SessionConfig, avatarSessionId: string): Logger {
  return createLogger({ ...config.log, name: "agent-worker" }).child({ avatarSessionId });
}

/** The account's own servers; null if the agent uses none. Only these sessions load their client. */
async function openProviders(
  job: JobDescription,
  config: SessionConfig,
  logger: Logger,
  tell: (event: SessionEventBody) => void,
): Promise<ProviderParts | null> {
  const { providers } = job;
  if (!providers || Object.values(providers).every((chosen) => chosen === undefined)) return null;
  const { ProviderParts } = await import("../providers/provider-parts.ts");
  return new ProviderParts({
    providers,
    policy: config.outgoing,
    onFault: (part) => tell({ type: "conversation-fault", part }),
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

async function main(): Promise<void> {
  let end: ((reason: EndReason) => void) | undefined;
  let endReason: EndReason | undefined;
  const endFor = (reason: EndReason): void => {
    endReason ??= reason;
    end?.(reason);
  };
  let prepared: Prepared | undefined;
  let ahead: AvatarAhead | undefined;
  let hasTask = false;
  const tasks = new WorkerTasks({
    send: (request) => tellWorker({ type: "task", request }),
    cancel: (id) => tellWorker({ type: "cancel-task", id }),
  });
  const given = new Promise<SessionTask>((resolve) => {
    process.on("message", (message: MessageToProcess) => {
      if (message.type === "end") return endFor(message.reason);
      if (message.type === "task-reply") return tasks.take(message.reply);
      if (message.type === "open") {
        // Not on a GPU: sessions need its memory.
        if (prepared?.rendering.provider === "cpu") ahead = openAhead(message.avatar, prepared);
        return;
      }
      hasTask = true;
      resolve(message.task);
    });
  });
  process.on("disconnect", () => {
    if (!hasTask) process.exit(0);
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
  const task = await given;
  const reason = await run(task, prepared, { ahead, tasks }, (endSession) => {
    end = endSession;
    if (endReason !== undefined) endSession(endReason);
  });
  tellWorker({ type: "ended", sessionId: task.metadata.avatar_session_id, reason });
}

main().then(
  // Native libraries keep the event loop alive.
  () => setImmediate(() => process.exit(0)),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
