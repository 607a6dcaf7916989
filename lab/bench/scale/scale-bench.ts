// `npm run bench -- scale`: how many avatar sessions this machine holds, what listeners receive and what it costs.
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Progress } from "../../../cli/start/progress.ts";
import { readProcesses } from "../cpu-time.ts";
import { measureYardstick } from "../grid-sample-yardstick.ts";
import { startCpuMeter } from "../service/cpu-meter.ts";
import { describeCommit } from "../service/describe-commit.ts";
import { findServiceProcesses, partsOf, type ServiceProcesses } from "../service/find-service-processes.ts";
import { givenService } from "../service/given-service.ts";
import { readPssMb } from "../service/memory.ts";
import { type DrivenService, startOwnService } from "../service/own-service.ts";
import { waitUntilAlone } from "../service/wait-until-alone.ts";
import { type Materials, makeMaterials } from "./materials.ts";
import { measureRow, WINDOW_S } from "./measure-row.ts";
import { measureSpeech } from "./measure-speech.ts";
import { measureStarts, type StartOptions, waitUntilQuiet } from "./measure-starts.ts";
import { startScaleClients } from "./scale-clients.ts";
import { isWithinBounds, largestWithinBounds } from "./scale-goals.ts";
import type { MemoryMetrics, ScaleMetrics, ScaleRow } from "./scale-metrics.ts";

export interface ScaleBenchOptions {
  environment: Readonly<Record<string, string | undefined>>;
  progress: Progress;
  /** Numbers of sessions, ascending. */
  sessions: readonly number[];
  /** Pairs of launches that measure the time to the first frame; 0 leaves starts and single replies out. */
  starts: number;
  /** Every listener decodes. */
  decodeAll: boolean;
  /** Base URL of a service that runs. Default: one is started for each checkout. */
  service?: string;
  /** Folders of checkouts to measure one after the other. Default: this one. */
  checkouts: readonly string[];
  /** Receives what must be undone if the benchmark is interrupted. */
  onClose(undo: () => Promise<void>): void;
}

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Enough for twenty seconds of speech that begins at different sentences. */
const SPEECH_S = WINDOW_S + 20;
const IDLE_CPU_MS = 3000;
const YARDSTICK_PX = 384;

/** Measures each checkout, or the given service. */
export async function benchScale(options: ScaleBenchOptions): Promise<ScaleMetrics[]> {
  const { progress, environment, checkouts, onClose } = options;
  const materials = await progress.step(
    "materials",
    () => makeMaterials(SPEECH_S),
    ({ speechS, sizePx }) => `${Math.round(speechS)} s of speech, a film of ${sizePx} × ${sizePx} pixels`,
  );
  onClose(() => materials.close());
  const measured: ScaleMetrics[] = [];
  try {
    if (options.service) {
      measured.push(await measure(options.service, givenService(options.service, environment), materials, options));
    } else {
      for (const checkout of checkouts.length > 0 ? checkouts : [ROOT]) {
        const subject = await describeCommit(checkout);
        const start = () => startOwnService({ environment, checkout, report: (line) => progress.note(line) });
        const service = await progress.step("service", start, ({ client }) => `${subject} at ${client.baseUrl}`);
        onClose(() => service.close());
        measured.push(await measure(subject, service, materials, options));
        await service.close();
      }
    }
  } finally {
    await materials.close();
  }
  return measured;
}

async function measure(
  subject: string,
  service: DrivenService,
  materials: Materials,
  options: ScaleBenchOptions,
): Promise<ScaleMetrics> {
  const { progress, environment, starts, decodeAll } = options;
  const addresses = { apiUrl: service.client.baseUrl, livekitUrl: service.livekit.url };
  const processes = await findServiceProcesses(addresses);
  const before = await measureYardstick(YARDSTICK_PX);
  progress.note(`a bare GridSample of ${YARDSTICK_PX} × ${YARDSTICK_PX} takes ${before.cpu_ms} ms CPU`);
  if (!(await waitUntilAlone(processes.api))) progress.note("the idle metrics include child processes of the api");
  await waitUntilQuiet(processes);
  const endMeter = await startCpuMeter(processes);
  await delay(IDLE_CPU_MS);
  const { helpers: _, ...idleCpu } = await endMeter();
  const idleMemory = await measureMemory(processes);
  progress.note(`the idle service holds ${idleMemory.service} MB`);
  const clients = await startScaleClients({ materials, environment, report: (line) => progress.note(line) });
  try {
    const common = { service, clients, materials };
    const single = starts > 0 ? await measureSingle({ ...common, processes, starts }, progress) : {};
    const measureOne = async (sessions: number) => {
      const strangers = [clients.senders.pid, ...clients.listenerPids()];
      const current = await findServiceProcesses(addresses, strangers);
      return measureRow(sessions, {
        ...common,
        decodeAll,
        processes: current,
        idleMemoryMb: idleMemory.workers + idleMemory.api,
      });
    };
    const row = (sessions: number) =>
      progress.step(`${sessions} session${sessions === 1 ? "" : "s"}`, () => measureOne(sessions), describeRow);
    const rows: ScaleRow[] = [];
    for (const sessions of options.sessions) rows.push(await row(sessions));
    // What one more does, unless the list says so already.
    const largest = largestWithinBounds(rows);
    if (largest > 0 && !rows.some(({ sessions }) => sessions === largest + 1)) rows.push(await row(largest + 1));
    rows.sort((a, b) => a.sessions - b.sessions);
    return {
      subject,
      grid_sample_384: { before, after: await measureYardstick(YARDSTICK_PX) },
      idle_memory_mb: idleMemory,
      idle_cpu_percent: Math.round(Object.values(idleCpu).reduce((sum, share) => sum + share, 0) * 10) / 10,
      ...single,
      rows,
      largest: largestWithinBounds(rows),
    };
  } finally {
    await clients.close();
  }
}

/** Starts and single replies: one session at a time. What a service fails to do is left out, with a note. */
async function measureSingle(
  options: StartOptions & { materials: Materials },
  progress: Progress,
): Promise<Pick<ScaleMetrics, "starts" | "speech">> {
  const leaveOut = (what: string) => (error: Error) => {
    progress.note(`${what} not measured: ${error.message}`);
    return undefined;
  };
  const starts = await progress
    .step(
      "starts",
      () => measureStarts(options),
      ({ warm_ms, cold_ms }) => `${warm_ms.p50} ms with a process ready, ${cold_ms.p50} ms without`,
    )
    .catch(leaveOut("starts"));
  const speech = await progress
    .step(
      "replies",
      () => measureSpeech(options),
      ({ ahead_first_audio_ms }) => `first audio after ${ahead_first_audio_ms.p95} ms (p95)`,
    )
    .catch(leaveOut("replies"));
  return { starts, speech };
}

async function measureMemory(processes: ServiceProcesses): Promise<MemoryMetrics> {
  const parts = partsOf(await readProcesses(), processes);
  const pss = (part: keyof typeof parts) => readPssMb(parts[part].map(({ pid }) => pid));
  const [start, api, relay, workers, livekit, postgres] = [
    await pss("start"),
    await pss("api"),
    await pss("relay"),
    await pss("service"),
    await pss("livekit"),
    await pss("postgres"),
  ];
  const service = Math.round((start + api + relay + workers) * 10) / 10;
  return { start, api, relay, workers, service, livekit, postgres };
}

function describeRow(row: ScaleRow): string {
  if (row.refused) return `refused at session ${row.refused.at_session}: ${row.refused.status} ${row.refused.code}`;
  if (!row.judged || !row.cpu) return row.failed ?? "no metrics";
  const { judged, cpu, times_encode_only: times, missed } = row;
  const outcome =
    missed.length === 0 ? "all goals" : `${isWithinBounds(row) ? "within bounds, but" : "missed"} ${missed}`;
  return `${judged.fps} fps, ${judged.audio_holes} holes, ${cpu.service_per_session} % CPU each (${times} ×): ${outcome}`;
}
