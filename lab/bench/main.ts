// `npm run bench`: measures the service or its parts on this machine, and names the machine with the metrics.
import "../../cli/terminal/quiet-rtc.ts";
import { dispose } from "@livekit/rtc-node";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { measureBatch } from "../../cli/commands/doctor/measure-batch.ts";
import { createProgress, type Progress } from "../../cli/start/progress.ts";
import { openService, type ServiceAccess } from "../../cli/start/service/service-access.ts";
import { describeStartError } from "../../cli/start/start-error.ts";
import { isEngineError } from "../../shared/engine-error.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";
import { benchBrowser } from "./browser-bench.ts";
import { benchConversation } from "./conversation/conversation-bench.ts";
import { CONVERSATION_PARTS, type ConversationMetrics } from "./conversation/conversation-metrics.ts";
import { conversationTable } from "./conversation/conversation-table.ts";
import { benchEngine } from "./engine-bench.ts";
import { benchFleet } from "./fleet/fleet-bench.ts";
import { FLEET_FAULTS } from "./fleet/fleet-faults.ts";
import type { FleetMetrics } from "./fleet/fleet-metrics.ts";
import { fleetTable } from "./fleet/fleet-table.ts";
import { benchLipSync, type LipSyncMetrics } from "./lip-sync/lip-sync-bench.ts";
import { benchLipSyncCost } from "./lip-sync/lip-sync-cost.ts";
import { lipSyncTable } from "./lip-sync/lip-sync-table.ts";
import { benchListening, type ListeningMetrics } from "./listening/listening-bench.ts";
import { listeningTable } from "./listening/listening-table.ts";
import { describeMachine, type Machine } from "./machine.ts";
import { benchPages, type PagesMetrics } from "./pages/pages-bench.ts";
import { benchRealtime } from "./realtime/realtime-bench.ts";
import { REALTIME_PARTS, type RealtimeMetrics } from "./realtime/realtime-metrics.ts";
import { realtimeTable } from "./realtime/realtime-table.ts";
import { benchRendering } from "./rendering-bench.ts";
import { benchCreate, benchRest } from "./rest-bench.ts";
import { benchLocalScale } from "./scale/local/local-bench.ts";
import type { LocalScaleMetrics } from "./scale/local/local-metrics.ts";
import { localScaleTable } from "./scale/local/local-table.ts";
import { benchScale } from "./scale/scale-bench.ts";
import type { ScaleMetrics } from "./scale/scale-metrics.ts";
import { scaleTable } from "./scale/scale-table.ts";
import type { Figure } from "./sdk/figure.ts";
import { benchSdk } from "./sdk/sdk-bench.ts";
import { sdkTable } from "./sdk/sdk-table.ts";
import { benchSession } from "./session-bench.ts";
import { benchTabSync } from "./tab-sync-bench.ts";
import { benchVideo } from "./video-bench.ts";
import { benchVoiceAnchors } from "./voice/voice-anchors.ts";
import { benchVoice } from "./voice/voice-bench.ts";

const BENCHES = [
  "render",
  "lip-sync",
  "browser",
  "session",
  "scale",
  "tab-sync",
  "rest",
  "create",
  "voice",
  "voice-anchors",
  "listening",
  "video",
  "conversation",
  "realtime",
  "pages",
  "sdk",
] as const;
type Bench = (typeof BENCHES)[number];
/** Benchmarks that need no running service. */
const ALONE: readonly Bench[] = [
  ...(["render", "lip-sync", "browser", "rest", "scale", "voice", "voice-anchors", "listening", "video"] as const),
  ...(["conversation", "realtime", "pages", "sdk"] as const),
];

/** Default number of frames per call on a GPU. */
const DEFAULT_BATCH = 32;
/** Sessions of a fleet, unless others are named. */
const FLEET_SESSIONS = 4;
/** Sessions of `scale --local` and the length of each measurement, s, unless others are named. */
const LOCAL_SESSIONS = 12;
const LOCAL_SECONDS = 20;
/** Exit code if this machine lacks what a benchmark needs. Source: the contract's CLI table. */
const UNAVAILABLE = 69;
/** Starts of `sdk`, unless another number is given. */
const SDK_STARTS = 30;

interface BenchFlags {
  seconds: number;
  starts: number;
  only?: string;
  times: number;
  provider: "cpu" | "cuda";
  batch?: number;
  split?: string;
  eightBit: boolean;
  peers: boolean;
  sessions: number[];
  nodes?: number;
  workers?: number;
  faults?: string[];
  decodeAll: boolean;
  local: boolean;
  service?: string;
  checkout: string[];
  full: boolean;
  minutes?: number;
  json: boolean;
}

const program = new Command("npm run bench --")
  .description(
    "Measures this machine: render (the engine alone), lip-sync (visemes from audio), browser (rendering in a tab), session (in a room), scale (many sessions, and what they cost; with --nodes a fleet, while parts of it are killed; with --local sessions that their viewers render), tab-sync (lip sync in a browser), rest, create, voice (the built-in neural voice), voice-anchors (how the ten voices sound), listening (how well a listening face fits its reactions to a voice), video (films, beside their encoder alone), conversation (answers, also on servers of the account and beside those of LiveKit's agent framework, cutting in, transcripts, cost, echo; `conversation answers` measures one part), realtime (what the relay of realtime calls adds and costs, and how soon service-realtime answers beside a conversation in a room; its parts are events, webrtc and own), pages (how soon a visitor sees and hears a face, and what a page weighs), sdk (what the packages cost, and how agents with a face start, speak and end). Default: session.",
  )
  .addArgument(
    new Argument("[benches...]", "what to measure").choices([...BENCHES, ...CONVERSATION_PARTS, ...REALTIME_PARTS]),
  )
  .option("--seconds <n>", "length of the speech", Number, 60)
  .option("--starts <n>", "avatar sessions started to measure the time to the first frame (sdk: 30)", Number, 8)
  .option("--only <text>", "sdk, pages, scale --local: only parts with this in their name")
  .option("--times <n>", "pages: repetitions", Number, 10)
  .addOption(new Option("--provider <name>", "render: execution provider").choices(["cpu", "cuda"]).default("cpu"))
  .option("--batch <n>", "render: only rendering, this many frames per call (default with cuda: 32)", Number)
  .option(
    "--split <file>",
    "lip-sync: JSON lines {wav, phones: [[ARPABET, start s, end s]]} instead of the built-in voices",
  )
  .option("--eight-bit", "lip-sync: with the 8-bit weights that browsers use", false)
  .option("--peers", "lip-sync: also fetch and run open-source lip-sync libraries from npm", false)
  .option("--sessions <list>", "scale: numbers of sessions", parseCounts, [1, 2, 4, 6, 8])
  .option("--nodes <n>", "scale: LiveKit nodes of a fleet, in which parts are killed (needs Redis)", parseCount)
  .option("--workers <n>", "scale: workers of that fleet", parseCount)
  .addOption(
    new Option("--faults <names...>", "scale with --nodes: only these").choices(FLEET_FAULTS.map(({ name }) => name)),
  )
  .option(
    "--local",
    "scale: sessions that their viewers render: 12 unless --sessions says how many; a part with --only, 20 s each unless --seconds says",
    false,
  )
  .option("--decode-all", "scale: every listener decodes and judges, not only one", false)
  .option(
    "--service <url>",
    "scale: a service on this machine; AVATAR_OPERATOR_SECRET and LIVEKIT_* say how to reach it. Default: start one",
  )
  .option("--checkout <folders...>", "scale: checkouts that are started and measured, one after the other", [])
  .option("--full", "conversation and realtime: as many turns as the goals name, instead of a few", false)
  .option(
    "--minutes <n>",
    "conversation: length of the conversation in which memory must not grow, and of the echo",
    Number,
  )
  .option("--json", "print one JSON object", false)
  .parse();

const parts = CONVERSATION_PARTS.filter((part) => program.args.includes(part));
const realtimeParts = REALTIME_PARTS.filter((part) => program.args.includes(part));
const named = BENCHES.filter(
  (bench) =>
    program.args.includes(bench) ||
    (bench === "conversation" && parts.length > 0) ||
    (bench === "realtime" && realtimeParts.length > 0),
);
await run(named.length > 0 ? named : ["session"], program.opts<BenchFlags>());

async function run(benches: readonly Bench[], flags: BenchFlags): Promise<void> {
  const progress = createProgress(flags.json ? process.stderr : process.stdout);
  const machine = describeMachine();
  const metrics: Record<string, unknown> = {};
  let service: ServiceAccess | null = null;
  const undo: (() => Promise<void>)[] = [];
  const interrupt = () => {
    process.exitCode = 130;
    void Promise.allSettled([service?.close(), ...undo.map((each) => each())]).finally(() => process.exit());
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
  try {
    for (const bench of benches) {
      if (!ALONE.includes(bench)) service ??= await openService({ environment: process.env, progress });
      if (bench === "scale" && isFleet(flags)) metrics.fleet = await measureFleet(flags, progress, undo);
      else if (bench === "scale" && flags.local) metrics.local_scale = await measureLocalScale(flags, progress, undo);
      else if (bench === "scale") metrics[bench] = await measureScale(flags, progress, undo);
      else if (bench === "conversation") metrics[bench] = await measureConversation(flags, progress, undo);
      else if (bench === "realtime") metrics[bench] = await measureRealtime(flags, progress, undo);
      else if (bench === "pages") metrics[bench] = await measurePages(flags, progress, undo);
      else if (bench === "sdk") metrics[bench] = await measureSdk(flags, progress, undo);
      else metrics[bench] = await measure(bench, flags, service, progress);
    }
    process.stdout.write(flags.json ? `${JSON.stringify({ machine, ...metrics })}\n` : describe(metrics, machine));
  } catch (error) {
    const isUnavailable = isEngineError(error) && error.code === "unavailable";
    process.exitCode = isUnavailable ? UNAVAILABLE : 1;
    process.stderr.write(`\n${isUnavailable ? error.message : describeStartError(error)}\n`);
  }
  await service?.close();
  await Promise.allSettled(undo.map((each) => each()));
  await dispose();
  process.exit();
}

/** Metrics that have a table as tables, the others as JSON. */
function describe(
  {
    scale,
    local_scale,
    fleet,
    "lip-sync": lipSync,
    conversation,
    realtime,
    sdk,
    listening,
    ...others
  }: Record<string, unknown>,
  machine: Machine,
): string {
  const parts: string[] = [];
  if (Object.keys(others).length > 0) parts.push(`${JSON.stringify({ machine, ...others }, null, 2)}\n`);
  if (lipSync) parts.push(`\n${lipSyncTable(lipSync as LipSyncMetrics, machine)}\n`);
  if (listening) parts.push(`\n${listeningTable(listening as ListeningMetrics, machine)}`);
  if (fleet) parts.push(fleetTable(fleet as FleetMetrics, machine));
  if (scale) parts.push(scaleTable(scale as ScaleMetrics[], machine));
  if (local_scale) parts.push(localScaleTable(local_scale as LocalScaleMetrics, machine));
  if (conversation) parts.push(conversationTable(conversation as ConversationMetrics, machine));
  if (realtime) parts.push(realtimeTable(realtime as RealtimeMetrics));
  if (sdk) parts.push(sdkTable(sdk as Figure[], machine));
  return parts.join("");
}

function measureScale(flags: BenchFlags, progress: Progress, undo: (() => Promise<void>)[]): Promise<ScaleMetrics[]> {
  const { checkout: checkouts, ...rest } = flags;
  return benchScale({ ...rest, checkouts, environment: process.env, progress, onClose: (each) => undo.push(each) });
}

function isFleet({ nodes, workers }: BenchFlags): boolean {
  return nodes !== undefined || workers !== undefined;
}

function measureFleet(flags: BenchFlags, progress: Progress, undo: (() => Promise<void>)[]): Promise<FleetMetrics> {
  const { nodes = 2, workers = 2, faults } = flags;
  const isChosen = program.getOptionValueSource("sessions") !== "default";
  const sessions = isChosen ? Math.max(...flags.sessions) : FLEET_SESSIONS;
  const options = { nodes, workers, faults, sessions, environment: process.env, progress };
  return benchFleet({ ...options, onClose: (each) => undo.push(each) });
}

function measureConversation(
  flags: BenchFlags,
  progress: Progress,
  undo: (() => Promise<void>)[],
): Promise<ConversationMetrics> {
  const chosen = parts.length > 0 ? parts : CONVERSATION_PARTS;
  const options = { parts: chosen, isFull: flags.full, minutes: flags.minutes, environment: process.env, progress };
  return benchConversation({ ...options, onClose: (each) => undo.push(each) });
}

function measureRealtime(
  flags: BenchFlags,
  progress: Progress,
  undo: (() => Promise<void>)[],
): Promise<RealtimeMetrics> {
  const chosen = realtimeParts.length > 0 ? realtimeParts : REALTIME_PARTS;
  return benchRealtime({
    environment: process.env,
    progress,
    parts: chosen,
    isFull: flags.full,
    onClose: (each) => undo.push(each),
  });
}

function measurePages(flags: BenchFlags, progress: Progress, undo: (() => Promise<void>)[]): Promise<PagesMetrics> {
  return benchPages({
    environment: process.env,
    progress,
    times: flags.times,
    only: flags.only,
    onClose: (each) => undo.push(each),
  });
}

function measureSdk(
  { only, starts }: BenchFlags,
  progress: Progress,
  undo: (() => Promise<void>)[],
): Promise<Figure[]> {
  const isChosen = program.getOptionValueSource("starts") !== "default";
  return benchSdk({
    environment: process.env,
    progress,
    only,
    starts: isChosen ? starts : SDK_STARTS,
    onClose: (each) => undo.push(each),
  });
}

function measureLocalScale(
  flags: BenchFlags,
  progress: Progress,
  undo: (() => Promise<void>)[],
): Promise<LocalScaleMetrics> {
  const chosen = (name: string) => program.getOptionValueSource(name) !== "default";
  return benchLocalScale({
    environment: process.env,
    progress,
    sessions: chosen("sessions") ? Math.max(...flags.sessions) : LOCAL_SESSIONS,
    seconds: chosen("seconds") ? flags.seconds : LOCAL_SECONDS,
    decodeAll: flags.decodeAll,
    checkout: flags.checkout[0],
    only: flags.only,
    onClose: (each) => undo.push(each),
  });
}

/** A whole number above zero. */
function parseCount(text: string): number {
  const [count] = parseCounts(text);
  return count;
}

/** `1,2,4`. */
function parseCounts(text: string): number[] {
  const counts = text.split(",").map(Number);
  if (counts.every((count) => Number.isSafeInteger(count) && count > 0)) return counts.sort((a, b) => a - b);
  throw new InvalidArgumentError("whole numbers above zero, separated by commas");
}

async function measure(bench: Bench, flags: BenchFlags, service: ServiceAccess | null, progress: Progress) {
  if (bench === "render") return measureRender(flags);
  if (bench === "browser") return benchBrowser();
  if (bench === "rest") return benchRest();
  if (bench === "voice") return benchVoice();
  if (bench === "voice-anchors") return benchVoiceAnchors();
  if (bench === "listening") return benchListening();
  if (bench === "video") return benchVideo();
  if (bench === "lip-sync") return benchLipSync({ ...flags, ffmpegPath: process.env.FFMPEG_PATH, progress });
  if (!service) throw new Error(`${bench} needs the service`);
  if (bench === "tab-sync") return benchTabSync(service.client.baseUrl);
  if (bench === "create") return benchCreate(service, 3);
  return benchSession({ service, progress, speechS: flags.seconds, starts: flags.starts });
}

async function measureRender({ provider, batch, seconds }: BenchFlags) {
  if (provider === "cuda" || batch !== undefined) return measureBatch(provider, batch ?? DEFAULT_BATCH);
  const lipSync = await benchLipSyncCost(createNodeRuntime());
  return { ...(await benchEngine(seconds)), lip_sync: lipSync, rendering: await benchRendering() };
}
