// `npm run soak -- money`: hours of hard use in minutes, on servers of its own; exit code 1 if anything went wrong.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Argument, Command, InvalidArgumentError } from "commander";
import { createDatabase } from "../../api/kernel/database/database.ts";
import { migrate } from "../../api/kernel/database/migrate.ts";
import { MIGRATIONS } from "../../api/migrations/migrations.ts";
import { startEmbeddedPostgres } from "../../cli/start/embedded-postgres.ts";
import { createLogger } from "../../shared/log.ts";
import { soakMoney } from "./money/money-soak.ts";

interface SoakFlags {
  operations: number;
  kills: number;
  processes: number;
  seed: number;
  json?: boolean;
}

const program = new Command("npm run soak --")
  .description("money: random operations while api processes are killed; then the books must add up.")
  .addArgument(new Argument("<soak>", "what to do").choices(["money"]))
  .option("--operations <n>", "operations to do; fewer make a failure easier to read", parseCount, 10_000)
  .option("--kills <n>", "times that a process is killed with signal 9", parseCount, 60)
  .option("--processes <n>", "api processes at a time", parseCount, 2)
  .option("--seed <n>", "repeats the choices of an earlier run; default: a random one", parseCount, randomSeed())
  .option("--json", "print one JSON object")
  .parse();

const dataDir = await mkdtemp(join(tmpdir(), "open-avatar-service-soak-"));
// The server may have to run as another user, who must get in.
await chmod(dataDir, 0o755);
const { json, ...flags } = program.opts<SoakFlags>();
const say = (line: string) => (json ? process.stderr : process.stdout).write(`${line}\n`);
say(`seed ${flags.seed}`);
const postgres = await startEmbeddedPostgres({ dataDir, settings: { max_connections: "300" } });
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // The api processes go with this one; the server is a daemon.
  process.once(signal, () => void cleanUp().finally(() => process.exit(130)));
}
try {
  const logger = createLogger({ level: "silent", name: "soak" });
  const database = createDatabase({ url: postgres.url, logger, maxConnections: 1 });
  await migrate(database, MIGRATIONS);
  await database.destroy();
  const result = await soakMoney({ ...flags, databaseUrl: postgres.url, dataDir, report: say });
  if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else {
    for (const [outcome, count] of Object.entries(result.outcomes)) say(`${String(count).padStart(6)}  ${outcome}`);
    for (const violation of result.violations) say(`WRONG: ${violation}`);
    say(
      `${result.operations} operations, ${result.kills} kills, ${result.movements} movements: ${result.violations.length} wrong`,
    );
  }
  process.exitCode = result.violations.length > 0 ? 1 : 0;
} finally {
  await cleanUp();
}

async function cleanUp(): Promise<void> {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

function parseCount(text: string): number {
  const count = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(count) && count >= 0) return count;
  throw new InvalidArgumentError("a whole number, zero or more");
}

function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
