// The api as a process: reads the environment, migrates the database, serves, and closes in order when told to end.
import { createServer, type Server } from "node:http";
import { ConfigError, parseConfig } from "../shared/config.ts";
import { createLogger, type Logger } from "../shared/log.ts";
import { ensureOperatorAccount } from "./accounts/operator-account.ts";
import { createApi } from "./create-api.ts";
import { createDatabase, createPool } from "./kernel/database/database.ts";
import { migrate } from "./kernel/database/migrate.ts";
import { answerConnectionErrors } from "./kernel/http/connection-errors.ts";
import { LEAST_LIVEKIT_VERSION, probeLiveKit } from "./kernel/livekit/livekit-version.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";

/** Requests that are still running get this long before their connections are cut. */
const DRAIN_MS = 5_000;

async function main(): Promise<void> {
  const config = parseConfig(process.env);
  const {
    DATABASE_URL: databaseUrl,
    LIVEKIT_URL: url,
    LIVEKIT_API_KEY: apiKey,
    LIVEKIT_API_SECRET: apiSecret,
  } = config;
  const missing = Object.entries({
    DATABASE_URL: databaseUrl,
    LIVEKIT_URL: url,
    LIVEKIT_API_KEY: apiKey,
    LIVEKIT_API_SECRET: apiSecret,
  });
  const problems = missing
    .filter(([, value]) => value === undefined)
    .map(([key]) => `${key}: required by the api on its own`);
  if (!databaseUrl || !url || !apiKey || !apiSecret) throw new ConfigError(problems);
  const logger = createLogger({ level: config.AVATAR_LOG_LEVEL, name: "api", personal: config.AVATAR_LOG_PERSONAL });
  const { status, version } = await probeLiveKit({ url, apiKey, apiSecret });
  if (status === "outdated") {
    throw new ConfigError([`LIVEKIT_URL: the server is version ${version}, and ${LEAST_LIVEKIT_VERSION} is needed`]);
  }
  // It may come up later; /readyz tells.
  if (status === "unreachable") logger.warn({ url }, "LiveKit server not reached");
  const pool = createPool({ url: databaseUrl, logger });
  const applied = await migrate(createDatabase(pool), MIGRATIONS);
  if (applied.length > 0) logger.info({ migrations: applied }, "database migrated");
  const livekit = { url, apiKey, apiSecret, dispatchName: config.AVATAR_DISPATCH_NAME };
  const api = await createApi({ config, pool, livekit, logger });
  const { database, now } = api.services;
  if (config.AVATAR_OPERATOR_SECRET) {
    await ensureOperatorAccount({ database, secret: config.AVATAR_OPERATOR_SECRET, now: new Date(now()) });
  }
  const server = createServer(api.app.callback());
  answerConnectionErrors(server);
  await listen(server, config.PORT, config.HOST);
  await api.start();
  logger.info({ host: config.HOST, port: config.PORT }, "api serves");

  let isClosing = false;
  const close = async (signal: string): Promise<void> => {
    if (isClosing) return;
    isClosing = true;
    logger.info({ signal }, "api closes");
    await stopListening(server);
    await api.close();
    await pool.end();
    logger.info("api closed");
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => closeOrDie(close(signal), logger));
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function closeOrDie(closing: Promise<void>, logger: Logger): void {
  closing.catch((error: unknown) => {
    logger.error({ err: error }, "api did not close cleanly");
    process.exit(1);
  });
}

try {
  await main();
} catch (error) {
  const isPlain = error instanceof ConfigError || (error as NodeJS.ErrnoException).code === "EADDRINUSE";
  process.stderr.write(`${error instanceof Error ? (isPlain ? error.message : error.stack) : String(error)}\n`);
  process.exit(1);
}
