// The process of one avatar session. The worker keeps some of these processes ready (`prewarm`) and gives each exactly
// one job (`entry`).
import { AutoSubscribe, defineAgent, type JobContext, type JobProcess } from "@livekit/agents";
import { type AddressRule, createAddressRule, hostEntriesOf } from "../../shared/address-rules.ts";
import { type Config, parseConfig } from "../../shared/config.ts";
import { createLogger, type Logger } from "../../shared/log.ts";
import { dispatchMetadataSchema, type JobDescription } from "../../shared/runtime-api.ts";
import { createEngine } from "../../src/engine/create-engine.ts";
import { loadHearingModel } from "../../src/hearing/hearing-model.ts";
import { loadHearingNetwork } from "../../src/hearing/hearing-network.ts";
import type { InferenceRuntime } from "../../src/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../src/inference/node-runtime.ts";
import { EspeakVoice } from "../../src/voice/espeak-voice.ts";
import { PLAYOUT_URL_VARIABLE, postPlayoutReport } from "../playout/playout-figures.ts";
import { AcceptanceReports } from "./acceptance-reports.ts";
import { AvatarSession } from "./avatar-session.ts";
import { registerControlRpc } from "./control-room.ts";
import { loadAvatar } from "./load-avatar.ts";
import { renderingRuntime } from "./rendering-runtime.ts";
import { RuntimeApiClient } from "./runtime-api-client.ts";

/** What a process loads before it gets its job. */
interface Prepared {
  config: Config;
  /** Where playout reports go; see `postPlayoutReport`. */
  playoutReportUrl: string | undefined;
  /** Runs the hearing network; on the CPU, because on a GPU its state would be copied there and back for every video
   *  frame. */
  runtime: InferenceRuntime;
  /** Renders, unless the job's model name pins another runtime. */
  rendering: InferenceRuntime;
  hearingModel: Uint8Array;
}

async function prepare(): Promise<Prepared> {
  const config = parseConfig(process.env);
  const runtime = createNodeRuntime();
  const rendering = config.AVATAR_EXECUTION_PROVIDER === "cuda" ? createNodeRuntime({ provider: "cuda" }) : runtime;
  const hearingModel = await loadHearingModel();
  // Loads the weights, which the session's network shares. Loaded now, they do not delay a launch.
  await (await loadHearingNetwork(runtime, hearingModel)).close();
  // The first session loads the native library, which renders.
  await (await runtime.createSession(hearingModel)).release();
  return { config, playoutReportUrl: process.env[PLAYOUT_URL_VARIABLE], runtime, rendering, hearingModel };
}

function createSessionLogger(config: Config, avatarSessionId: string): Logger {
  return createLogger({
    level: config.AVATAR_LOG_LEVEL,
    name: "agent-worker",
    personal: config.AVATAR_LOG_PERSONAL,
  }).child({ avatarSessionId });
}

async function serve(context: JobContext<Prepared>, prepared: Prepared): Promise<void> {
  const { config, runtime, hearingModel } = prepared;
  const metadata = dispatchMetadataSchema.parse(JSON.parse(context.job.metadata));
  const logger = createSessionLogger(config, metadata.avatar_session_id);
  const api = new RuntimeApiClient(metadata);
  let job: JobDescription;
  // Not awaited: the job is fetched at the same time.
  const acceptance = new AcceptanceReports({ api, logger });
  acceptance.start();
  try {
    job = await api.fetchJob();
  } catch (error) {
    // Most likely the session was ended before it began. Otherwise the api dispatches it again.
    acceptance.close();
    logger.error({ err: error }, "job not started");
    context.shutdown("job not started");
    return;
  }
  const voice = new EspeakVoice();
  const session = new AvatarSession({
    api,
    job,
    voice,
    codec: config.AVATAR_VIDEO_CODEC,
    maxBitrateKbps: config.AVATAR_VIDEO_BITRATE_KBPS,
    mayContact: livekitAddressRule(config),
    logger,
    loadAvatar: async () =>
      loadAvatar(job, {
        api,
        runtime: renderingRuntime(job.model, prepared.rendering),
        qualityNetworkPath: config.AVATAR_QUALITY_NETWORK,
      }),
    // Audio leaves one hop before its video frame: rooms carry video frames faster than audio (docs/decisions/0006).
    createEngine: (avatar) =>
      createEngine({ avatar, runtime, hearingModel, audioLeadTicks: 1, liveClock: () => performance.now() }),
    onPlayoutReport: (report) => {
      logger.debug(report, "playout");
      void postPlayoutReport(prepared.playoutReportUrl, job.avatar_session_id, report, logger);
    },
  });
  context.addShutdownCallback(async () => {
    await session.end("worker_draining");
    await voice.close();
  });
  // Both rooms are joined at the same time, so that viewers wait for the media room only.
  const joiningControlRoom = joinControlRoom(context, session, logger);
  await session.start();
  acceptance.close();
  await joiningControlRoom;
  voice.warmUp();
  // Not awaited: the framework runs the shutdown callbacks only once this function has returned.
  void session.ended.then((reason) => context.shutdown(reason));
}

/** Decides which addresses a caller's LiveKit server may have: the same check as the api's at launch, and our own
 *  server is allowed. */
function livekitAddressRule(config: Config): AddressRule {
  return createAddressRule({
    allowPrivate: config.AVATAR_ALLOW_PRIVATE_ADDRESSES,
    allowHosts: config.LIVEKIT_URL ? hostEntriesOf(config.LIVEKIT_URL) : [],
    deniedRanges: config.AVATAR_DENIED_ADDRESSES,
  });
}

/** Without its control room a session plays, but the api cannot reach it. The session ends, so that the api dispatches
 *  it again. */
async function joinControlRoom(context: JobContext<Prepared>, session: AvatarSession, logger: Logger): Promise<void> {
  try {
    await context.connect(undefined, AutoSubscribe.SUBSCRIBE_NONE);
  } catch (error) {
    logger.error({ err: error }, "control room not joined");
    await session.end("worker_lost");
    return;
  }
  registerControlRpc({
    room: context.room,
    logger,
    speak: (message) => session.speak(message),
    addContext: (text) => session.addContext(text),
    end: (reason) => void session.end(reason),
  });
}

export default defineAgent<Prepared>({
  prewarm: async (job: JobProcess<Prepared>) => {
    job.userData = await prepare();
  },
  entry: (context: JobContext<Prepared>) => serve(context, context.proc.userData),
});
