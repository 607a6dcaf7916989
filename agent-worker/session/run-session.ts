// Runs one avatar session in this process, beside others.
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../program/log.ts";
import { type AddressRule, createAddressRule, hostEntriesOf } from "../../program/outgoing/address-rules.ts";
import { pacedEngine } from "../../room/playout/paced-engine.ts";
import { milestoneReached } from "../../room/playout/playout-event.ts";
import { StartReserve } from "../../room/playout/start-reserve.ts";
import { parseExpression } from "../../shared/expressions.ts";
import { resolveModel } from "../../shared/models.ts";
import type { EndReason, JobDescription } from "../../shared/runtime-api.ts";
import { createEngine } from "../../src/face/engine/create-engine.ts";
import { gestureTracks } from "../../src/face/gestures/gesture-track.ts";
import type { ProviderParts } from "../providers/provider-parts.ts";
import { openVoice, type WorkerVoices } from "../tasks/open-voice.ts";
import type { WorkerTasks } from "../tasks/worker-tasks.ts";
import type { AvatarAhead } from "./avatar-ahead.ts";
import { ControlRoom } from "./control-room.ts";
import type { CpuShares } from "./cpu-shares.ts";
import { loadAvatar } from "./load-avatar.ts";
import type { PreparedProcess } from "./prepare-process.ts";
import { renderingRuntime } from "./rendering-runtime.ts";
import { RuntimeApiClient } from "./runtime-api-client.ts";
import type { SessionConfig } from "./session-config.ts";
import type { SessionEventBody } from "./session-event.ts";
import type { MessageFromProcess, SessionTask } from "./session-messages.ts";
import { SessionRun } from "./session-run.ts";

/** A session that takes longer to start can be ended through the control room before it is live. */
const CONTROL_ROOM_LATEST_MS = 1_000;

export interface RunSessionOptions {
  prepared: PreparedProcess;
  /** An avatar that was opened before. */
  ahead: AvatarAhead | undefined;
  tasks: WorkerTasks;
  cpu: CpuShares;
  /** Cores of the machine that were free lately. */
  freeCores(): number;
  /** Of this session. */
  logger: Logger;
  /** Sends a message to the worker. */
  tellWorker(message: MessageFromProcess): void;
  /** Gets the function that ends the session earlier. */
  whenTold(end: (reason: EndReason) => void): void;
}

/** Runs the session until it ends. Resolves with the reason. Rejects if it cannot even begin to start; it holds nothing
 *  then. */
export async function runSession(
  { metadata, job, imx, controlRoom, allowedHosts, checkpoint, conversation }: SessionTask,
  { prepared, ahead, tasks, cpu, freeCores, logger, tellWorker, whenTold }: RunSessionOptions,
): Promise<EndReason> {
  const { config, runtime, lipSyncModel } = prepared;
  const sessionId = metadata.avatar_session_id;
  const tell = (event: SessionEventBody): void => tellWorker({ type: "event", event: { ...event, sessionId } });
  tell(milestoneReached("running"));
  const api = new RuntimeApiClient(metadata);
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
    admitVideo: () => tasks.run("admitVideo", { isNeeded: true }, sessionId),
    releaseVideo: () => void tasks.run("admitVideo", { isNeeded: false }, sessionId).catch(() => undefined),
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
      const mood = job.emotion === undefined ? undefined : parseExpression(job.emotion);
      const face = { mood, manner: job.manner };
      return createEngine({ avatar, gestures, runtime, lipSyncModel, ...face, ...pacedEngine(reserve) });
    },
    onEvent: (event) => {
      tell(event);
      if (event.type !== "playout") return;
      logger.debug(event.report, "playout");
      const { frames, unwatchedFrames } = event.report;
      const cpuCores = share.read();
      const isLight = job.viewers_render === true && frames === 0;
      // What a streamed session costs is what it costs with video: a viewer may come at any time.
      if (isLight || unwatchedFrames === 0) tellWorker({ type: "usage", sessionId, cpuCores, isLight });
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
  const share = cpu.open(() => session.work);
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
      turns: (after) => session.turns(after),
      end: (reason) => void session.end(reason),
    });
  // Viewers wait for the media room only, and joining takes as much of the processor as opening the avatar.
  const starting = session.start();
  await Promise.race([starting, delay(CONTROL_ROOM_LATEST_MS)]);
  if (session.state !== "ended") control?.join();
  await starting;
  const reason = await session.ended;
  share.close();
  tasks.close();
  await Promise.all([control?.close(), voice.close()]);
  providers?.close();
  return reason;
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
