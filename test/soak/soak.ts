// `npm run soak -- money`, `-- hearing`: hours of hard use in minutes; exit code 1 if anything went wrong.
import { Argument, Command, InvalidArgumentError } from "commander";
import { soakHearing } from "./hearing/hearing-soak.ts";
import { soakMoneyOnServers } from "./money/money-servers.ts";

interface SoakFlags {
  operations: number;
  kills: number;
  processes: number;
  minutes: number;
  seed: number;
  json?: boolean;
}

const program = new Command("npm run soak --")
  .description(
    "money: random operations while api processes are killed; then the books must add up. hearing: our executor of the lip-sync network beside ONNX Runtime.",
  )
  .addArgument(new Argument("<soak>", "what to do").choices(["money", "hearing"]))
  .option("--operations <n>", "money: operations to do; fewer make a failure easier to read", parseCount, 10_000)
  .option("--kills <n>", "money: times that a process is killed with signal 9", parseCount, 60)
  .option("--processes <n>", "money: api processes at a time", parseCount, 2)
  .option("--minutes <n>", "hearing: minutes of audio", parseCount, 10)
  .option("--seed <n>", "repeats the choices of an earlier run; default: a random one", parseCount, randomSeed())
  .option("--json", "print one JSON object")
  .parse();

const { json, ...flags } = program.opts<SoakFlags>();
const say = (line: string) => (json ? process.stderr : process.stdout).write(`${line}\n`);
say(`seed ${flags.seed}`);
const { result, lines, isRight } = await (program.args[0] === "money" ? money() : hearing());
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

async function hearing() {
  const result = await soakHearing({ ...flags, report: say });
  const line = `${result.minutes} minutes of audio: answers differ by at most ${result.worst} (${result.hopsBeyond} hops beyond ${result.limit})`;
  return { result, lines: [line], isRight: result.hopsBeyond === 0 };
}

function parseCount(text: string): number {
  const count = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(count) && count >= 0) return count;
  throw new InvalidArgumentError("a whole number, zero or more");
}

function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
