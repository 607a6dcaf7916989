// `npm run soak -- <name>`: hours of hard use in minutes; exit code 1 if anything went wrong.
import "../../cli/terminal/quiet-rtc.ts";
import { Argument, Command, InvalidArgumentError } from "commander";
import { soakConsole, type Times } from "./console/console-soak.ts";
import { soakDashboard } from "./dashboard/dashboard-soak.ts";
import { soakEcho } from "./echo/echo-soak.ts";
import { soakFirefox } from "./firefox/firefox-soak.ts";
import { describeMemory, soakHostileInput } from "./hostile-input/hostile-input-soak.ts";
import { soakLipSync } from "./lip-sync/lip-sync-soak.ts";
import { runMediaSoak } from "./media/run-media-soak.ts";
import { soakMoneyOnServers } from "./money/money-servers.ts";
import { soakPackages } from "./packages/packages-soak.ts";
import { soakRigs } from "./rigs/rig-soak.ts";
import { soakBurst } from "./sessions/burst-soak.ts";
import { soakLaunches } from "./sessions/launches-soak.ts";
import { soakSessions } from "./sessions/sessions-soak.ts";

interface SoakFlags {
  operations: number;
  kills: number;
  processes: number;
  minutes?: number;
  poses: number;
  sessions: number;
  lanes: number;
  launches?: number;
  beside?: string;
  busy?: boolean;
  capacity: number;
  files: number;
  seed: number;
  only?: string;
  json?: boolean;
}

const AUDIO_MINUTES = 10;
const FLOOD_MINUTES = 60;
const CONSOLE_MINUTES = 60;
const BURST_LAUNCHES = 200;
const SERIAL_LAUNCHES = 30;

interface Outcome {
  result: object;
  lines: string[];
  isRight: boolean;
}

const SOAKS: Readonly<Record<string, () => Promise<Outcome>>> = {
  money,
  "lip-sync": lipSync,
  rigs,
  sessions,
  burst,
  launches,
  media,
  echo,
  dashboard,
  "hostile-input": hostileInput,
  packages,
  firefox,
  console: consoleBeside,
};

const program = new Command("npm run soak --")
  .description(
    "money: random operations while api processes are killed; then the books must add up. lip-sync: our executor of the lip-sync network beside ONNX Runtime. rigs: our executor of rigs beside ONNX Runtime, for every face of the gallery. sessions: avatar sessions that start, speak, are interrupted and end; memory must stay flat. burst: many launches at once against two workers; each must be answered. launches: one after the other, while another program is started before each; none may be refused. media: broken recordings; each must be decoded or refused within the limits of the decoder. echo: an avatar on a loudspeaker; it must not hear itself, and a person who talks over it must be heard. dashboard: sessions, a conversation and calls under a real Prometheus; every panel must have data, and no alert may fire. hostile-input: floods at every input that a remote party can grow, beside two avatars that speak; memory must stay flat, no audio may be missing, and every refusal must have a code of the contract. packages: every example, installed from the packed archives in an empty folder; each must do what it shows. firefox: the embed page in an installed Firefox; the face must move and speak. console: an open console beside 208 sessions; memory must stay flat, and changes must be seen within a second.",
  )
  .addArgument(new Argument("<soak>", "what to do").choices(Object.keys(SOAKS)))
  .option("--operations <n>", "money: operations to do; fewer make a failure easier to read", parseCount, 10_000)
  .option("--kills <n>", "money: times that a process is killed with signal 9", parseCount, 60)
  .option("--processes <n>", "money: api processes at a time", parseCount, 2)
  .option(
    "--minutes <n>",
    "lip-sync, echo: minutes of audio (10); hostile-input: minutes of floods (60); console: minutes (60)",
    parseCount,
  )
  .option("--poses <n>", "rigs: poses of each face", parseCount, 200)
  .option("--sessions <n>", "sessions: avatar sessions in all", parseCount, 500)
  .option("--lanes <n>", "sessions: avatar sessions at a time", parseCount, 2)
  .option("--launches <n>", "burst: launches at once (200); launches: launches in all (30)", parseCount)
  .option("--beside <command>", "launches: shell command that is started before each, such as a voice agent")
  .option("--busy", "launches: keep every core busy with programs of the lowest priority")
  .option("--capacity <n>", "burst: most sessions of each worker", parseCount, 4)
  .option("--files <n>", "media: broken files", parseCount, 2_000)
  .option("--seed <n>", "repeats the choices of an earlier run; default: a random one", parseCount, randomSeed())
  .option("--only <text>", "packages: only examples with this in their name, or bundlers")
  .option("--json", "print one JSON object")
  .parse();

const { json, ...flags } = program.opts<SoakFlags>();
const say = (line: string) => (json ? process.stderr : process.stdout).write(`${line}\n`);
say(`seed ${flags.seed}`);
const { result, lines, isRight } = await SOAKS[program.args[0]]();
if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
else for (const line of lines) say(line);
process.exitCode = isRight ? 0 : 1;

async function money() {
  const result = await soakMoneyOnServers({ ...flags, report: say });
  const { outcomes, violations } = result;
  const lines = [
    ...Object.entries(outcomes).map(([outcome, count]) => `${String(count).padStart(6)}  ${outcome}`),
    ...violations.map((violation) => `WRONG: ${violation}`),
    `${result.operations} operations, ${result.kills} kills, ${result.movements} movements: ${violations.length} wrong`,
  ];
  return { result, lines, isRight: violations.length === 0 };
}

async function lipSync() {
  const result = await soakLipSync({ ...flags, minutes: flags.minutes ?? AUDIO_MINUTES, report: say });
  const line = `${result.minutes} minutes of audio: answers differ by at most ${result.worst} (${result.hopsBeyond} hops beyond ${result.limit})`;
  return { result, lines: [line], isRight: result.hopsBeyond === 0 };
}

async function sessions() {
  const result = await soakSessions({ ...flags, environment: process.env, report: say });
  const { memory, violations } = result;
  const lines = [
    ...memory.map(
      ({ sessions: count, serviceMb, livekitMb, postgresMb }) =>
        `after ${count} sessions: service ${serviceMb} MB, LiveKit server ${livekitMb} MB, PostgreSQL ${postgresMb} MB`,
    ),
    ...violations.map((violation) => `WRONG: ${violation}`),
    `${result.sessions} sessions: ${violations.length} wrong`,
  ];
  return { result, lines, isRight: violations.length === 0 };
}

async function rigs() {
  const result = await soakRigs({ ...flags, report: say });
  const lines = [
    ...result.violations.map((violation) => `WRONG: ${violation}`),
    `${result.poses} poses of ${result.faces} faces: largest difference ${result.worst}, at least ${result.least_equal_percent.toFixed(3)} % equal, ${result.violations.length} wrong`,
  ];
  return { result, lines, isRight: result.violations.length === 0 };
}

async function burst() {
  const { launches = BURST_LAUNCHES, capacity } = flags;
  const result = await soakBurst({ launches, capacity, environment: process.env, report: say });
  const counts = (of: Record<string, number>) => Object.entries(of).map(([name, count]) => `${count} ${name}`);
  const lines = [
    `answers: ${counts(result.answers).join(", ")}; the last after ${result.answered_ms} ms`,
    `accepted sessions: ${counts(result.outcomes).join(", ") || "none"}`,
    ...result.violations.map((violation) => `WRONG: ${violation}`),
    `${result.launches} launches: ${result.violations.length} wrong`,
  ];
  return { result, lines, isRight: result.violations.length === 0 };
}

async function launches() {
  const { launches: count = SERIAL_LAUNCHES, beside, busy: isBusy = false } = flags;
  const result = await soakLaunches({ launches: count, beside, isBusy, environment: process.env, report: say });
  const times = ({ median, most }: { median: number; most: number }) => `${median} ms (median), ${most} ms (most)`;
  const lines = [
    `answered after ${times(result.answer_ms)}; the avatar came after ${times(result.shown_ms)}`,
    ...result.violations.map((violation) => `WRONG: ${violation}`),
    `${result.launches} launches: ${result.refused} refused, ${result.violations.length} wrong`,
  ];
  return { result, lines, isRight: result.violations.length === 0 };
}

async function packages() {
  const result = await soakPackages({ only: flags.only, environment: process.env, report: say });
  const lines = [
    ...result.violations.map((violation) => `WRONG: ${violation}`),
    `${Object.keys(result.examples).length} examples: ${result.violations.length} wrong`,
  ];
  return { result, lines, isRight: result.violations.length === 0 };
}

async function firefox() {
  const result = await soakFirefox({ environment: process.env, report: say });
  const lines = [
    ...Object.entries(result.faces).map(
      ([render, { live_ms, fps }]) => `${result.browser}, render=${render}: live after ${live_ms} ms, ${fps} fps`,
    ),
    ...result.violations.map((violation) => `WRONG: ${violation}`),
    `${Object.keys(result.faces).length} faces: ${result.violations.length} wrong`,
  ];
  return { result, lines, isRight: result.violations.length === 0 };
}

async function media() {
  const result = await runMediaSoak({ files: flags.files, seed: flags.seed, ffmpegPath: process.env.FFMPEG_PATH });
  const counts = (of: Record<string, number>) => Object.entries(of).map(([name, count]) => `${count} ${name}`);
  const lines = [
    `files: ${counts(result.outcomes).join(", ")}; the slowest took ${result.slowestMs} ms`,
    `stopped at a limit: ${counts(result.contained).join(", ") || "none"}`,
    ...result.violations.map((violation) => `WRONG: ${violation}`),
    `${result.files} broken files: ${result.violations.length} wrong`,
  ];
  return { result, lines, isRight: result.violations.length === 0 };
}

async function echo() {
  const result = await soakEcho({ ...flags, minutes: flags.minutes ?? AUDIO_MINUTES, report: say });
  const lines = [
    ...result.violations.map((violation) => `WRONG: ${violation}`),
    `${Object.keys(result.rooms).length} kinds of echo: ${result.violations.length} wrong`,
  ];
  return { result, lines, isRight: result.violations.length === 0 };
}

async function dashboard() {
  const result = await soakDashboard({ environment: process.env, report: say });
  const lines = [
    ...result.panels.map(
      ({ title, series, least, most }) =>
        `${title.padEnd(42)} ${String(series).padStart(3)} series, ${least} to ${most}`,
    ),
    ...result.violations.map((violation) => `WRONG: ${violation}`),
    `${result.panels.length} panels, ${result.alerts} alerts: ${result.violations.length} wrong`,
  ];
  return { result, lines, isRight: result.violations.length === 0 };
}

async function consoleBeside() {
  const { minutes = CONSOLE_MINUTES } = flags;
  const result = await soakConsole({ minutes, environment: process.env, report: say });
  const times = ({ median, p95, most }: Times) => `${median} ms (median), ${p95} ms (95 %), ${most} ms (most)`;
  const lines = [
    `a change is in the stream after ${times(result.streamed_ms)}, in the page after ${times(result.visible_ms)}`,
    ...Object.entries(result.memory).map(
      ([name, { early, late, ratio }]) =>
        `${name}: ${early} at a sixth of the time, ${late} at the end, ${ratio} times`,
    ),
    ...result.violations.map((violation) => `WRONG: ${violation}`),
    `${result.events} events in ${minutes} minutes: ${result.violations.length} wrong`,
  ];
  return { result, lines, isRight: result.violations.length === 0 };
}

async function hostileInput() {
  const { minutes = FLOOD_MINUTES, seed } = flags;
  const result = await soakHostileInput({ minutes, seed, environment: process.env, report: say });
  const { memory, violations, disturbances } = result;
  const lines = [
    ...(memory ? [`minute 10: ${describeMemory(memory.early)}; at the end: ${describeMemory(memory.late)}`] : []),
    ...violations.map((violation) => `WRONG: ${violation}`),
    ...disturbances.map((disturbance) => `NOTICED: ${disturbance}`),
    `${result.turns.length} floods in ${minutes} minutes: ${violations.length} wrong, ${disturbances.length} noticed`,
  ];
  return { result, lines, isRight: violations.length + disturbances.length === 0 };
}

function parseCount(text: string): number {
  const count = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(count) && count >= 0) return count;
  throw new InvalidArgumentError("a whole number, zero or more");
}

function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
