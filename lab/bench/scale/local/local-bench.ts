// `npm run bench -- scale --local`: what sessions cost that their viewers render.
import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Progress } from "../../../../cli/start/progress.ts";
import { startAudience } from "../../clients/audience.ts";
import { makeSpeechFile } from "../../clients/speech-file.ts";
import { ConversationStage } from "../../conversation/conversation-stage.ts";
import { withAccountServers } from "../../conversation/with-account-servers.ts";
import { startCpuMeter } from "../../service/cpu-meter.ts";
import { describeCommit } from "../../service/describe-commit.ts";
import { findServiceProcesses, type ServiceProcesses } from "../../service/find-service-processes.ts";
import { startOwnService } from "../../service/own-service.ts";
import { AVATAR_IDENTITY } from "../../service/session-opener.ts";
import { waitUntilAlone } from "../../service/wait-until-alone.ts";
import { waitUntilQuiet } from "../measure-starts.ts";
import { startScaleClients } from "../scale-clients.ts";
import type { LocalRow, LocalScaleMetrics } from "./local-metrics.ts";
import { measureConversations } from "./measure-conversations.ts";
import { measurePushed } from "./measure-pushed.ts";

export interface LocalBenchOptions {
  environment: Readonly<Record<string, string | undefined>>;
  progress: Progress;
  /** Sessions at once that viewers render. Of conversations, at most four. */
  sessions: number;
  /** Length of each measurement, s. */
  seconds: number;
  /** Every listener decodes and judges. */
  decodeAll: boolean;
  /** Folder of the checkout to measure. Default: this one. */
  checkout?: string;
  /** Only parts with this in their name. */
  only?: string;
  /** Receives what must be undone if the benchmark is interrupted. */
  onClose(undo: () => Promise<void>): void;
}

type Rows = { rows: LocalRow[]; idleCpu: number };

interface LocalPart {
  name: string;
  measure(options: LocalBenchOptions): Promise<Rows>;
}

const PARTS: readonly LocalPart[] = [
  { name: "pushed", measure: measurePushedParts },
  { name: "built-in", measure: (options) => measureStage("built-in", options) },
  { name: "provider", measure: (options) => measureStage("remote", options) },
];
/** Streamed sessions at once without a viewer. */
const UNWATCHED_SESSIONS = 2;
const MOST_CONVERSATIONS = 4;
const IDLE_MS = 5_000;
/** A language model would greet and answer. */
const WITHOUT_MODEL = { OPENAI_BASE_URL: undefined, OPENAI_API_KEY: undefined };

/** Measures the parts, one after the other. Throws RangeError if no part is chosen. */
export async function benchLocalScale(options: LocalBenchOptions): Promise<LocalScaleMetrics> {
  const { progress, only = "", checkout = "." } = options;
  const chosen = PARTS.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) throw new RangeError(`--only: parts are ${PARTS.map(({ name }) => name).join(", ")}`);
  const before = loadavg()[0];
  const measured: Rows[] = [];
  for (const { name, measure } of chosen) {
    measured.push(await progress.step(name, () => measure(options), describe));
  }
  return {
    subject: await describeCommit(checkout),
    load_average: { before: round(before), after: round(loadavg()[0]) },
    idle_cpu_percent: Math.max(...measured.map(({ idleCpu }) => idleCpu)),
    rows: measured.flatMap(({ rows }) => rows),
  };
}

async function measurePushedParts(options: LocalBenchOptions): Promise<Rows> {
  const { progress, checkout, sessions, seconds, decodeAll, onClose } = options;
  const environment = { ...options.environment, ...WITHOUT_MODEL };
  const report = (line: string) => progress.note(line);
  const speech = await makeSpeechFile(seconds + 20);
  onClose(speech.close);
  const service = await startOwnService({ environment, checkout, report });
  onClose(service.close);
  const addresses = { apiUrl: service.client.baseUrl, livekitUrl: service.livekit.url };
  try {
    const idleCpu = await measureIdle(await findServiceProcesses(addresses));
    const clients = await startScaleClients({ materials: { speechFile: speech.file }, environment, report });
    const findProcesses = () =>
      findServiceProcesses(addresses, [process.pid, clients.senders.pid, ...clients.listenerPids()]);
    try {
      const common = { service, clients, speech, idleCpu, seconds, decodeAll, findProcesses };
      const step = (kind: "local" | "unwatched", count: number) =>
        progress.step(`  ${kind}`, () => measurePushed(kind, count, common), describeRows);
      const rows = [...(await step("local", sessions)), ...(await step("unwatched", UNWATCHED_SESSIONS))];
      return { rows, idleCpu };
    } finally {
      await clients.close();
    }
  } finally {
    await service.close();
    await speech.close();
  }
}

async function measureStage(voice: "built-in" | "remote", options: LocalBenchOptions): Promise<Rows> {
  const { environment, progress, checkout, seconds, onClose } = options;
  const report = (line: string) => progress.note(line);
  const stage = await ConversationStage.start({ environment, voice, checkout, report, onClose });
  Object.assign(stage.chat.options, { firstTokenMs: 0, tokenMs: 0 });
  const audience = await startAudience({ avatarIdentity: AVATAR_IDENTITY, environment, report });
  onClose(() => audience.close());
  try {
    const idleCpu = await measureIdle(await stage.processes());
    const common = { stage, audience, sessions: Math.min(MOST_CONVERSATIONS, options.sessions), seconds, idleCpu };
    const rows =
      voice === "built-in"
        ? await measureConversations({ ...common, names: ["conversation, listening", "conversation, built-in voice"] })
        : await withAccountServers(stage, () =>
            measureConversations({ ...common, names: ["conversation, provider's voice"] }),
          );
    return { rows, idleCpu };
  } finally {
    await audience.close();
    await stage.close();
  }
}

/** CPU of the workers without a session, % of a core. */
async function measureIdle(processes: ServiceProcesses): Promise<number> {
  await waitUntilAlone(processes.api);
  await waitUntilQuiet(processes);
  const endMeter = await startCpuMeter(processes);
  await delay(IDLE_MS);
  return (await endMeter()).service;
}

function describe({ rows }: Rows): string {
  return describeRows(rows);
}

function describeRows(rows: readonly LocalRow[]): string {
  return rows
    .map(({ failed, cpu, missed }) =>
      cpu ? `${cpu.per_session} % each${missed.length > 0 ? `, missed ${missed.join(", ")}` : ""}` : failed,
    )
    .join("; ");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
