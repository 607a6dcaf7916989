// The api as a process: migrates the database, serves, and closes in order.
import type { RequestListener, Server } from "node:http";
import { createServer as createNetServer } from "node:net";
import {
  type HandedConnections,
  handBack,
  serveHandedConnections,
  serveWithoutUpgrade,
} from "../program/child-process/handed-connections.ts";
import { ConfigError } from "../program/config.ts";
import type { Logger } from "../program/log.ts";
import { type ProgramContext, type RunningProgram, runProgram } from "../program/run-program.ts";
import { startMetricsServer } from "../program/telemetry/metrics-server.ts";
import { openTracer } from "../program/telemetry/open-tracer.ts";
import { ensureOperatorAccount } from "./accounts/operator-account.ts";
import { createApi } from "./create-api.ts";
import { createRelayForward, isForRelay, refuseCall } from "./forward-to-relay.ts";
import { API_PARTS, type ApiConfig } from "./kernel/api-config.ts";
import { CLOCK_TOLERANCE_MS, readClockDifference } from "./kernel/database/clock-difference.ts";
import { createDatabase, createPool, type DatabaseOptions } from "./kernel/database/database.ts";
import { migrate } from "./kernel/database/migrate.ts";
import { createHttpServer } from "./kernel/http/create-http-server.ts";
import { LEAST_LIVEKIT_VERSION, probeLiveKit } from "./kernel/livekit/livekit-version.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";

/** Argument with which the start command runs the api behind its front; a port follows. */
const BEHIND_FRONT = "--behind-front=";
/** How long the api tries to listen in the place of a start command that died, and the pause between two attempts. */
const SUCCESSION_MS = 10_000;
const SUCCESSION_RETRY_MS = 100;
/** Longest statement of a migration. */
const MIGRATION_TIMEOUT_MS = 3_600_000;
/** Requests that are still running get this long before their connections are cut. */
const DRAIN_MS = 5_000;

async function start(config: ApiConfig, { logger }: ProgramContext): Promise<RunningProgram> {
  const { url: databaseUrl } = config.database;
  const { url, apiKey, apiSecret, dispatchName } = config.livekit;
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
  const { status, version } = await probeLiveKit({ url, apiKey, apiSecret });
  if (status === "outdated") {
    throw new ConfigError([`LIVEKIT_URL: the server is version ${version}, and ${LEAST_LIVEKIT_VERSION} is needed`]);
  }
  // It may come up later; /readyz tells.
  if (status === "unreachable") logger.warn({ url }, "LiveKit server not reached");
  const pool = createPool({ url: databaseUrl, logger });
  const applied = await migrateWith({ url: databaseUrl, logger, queryTimeoutMs: MIGRATION_TIMEOUT_MS });
  if (applied.length > 0) logger.info({ migrations: applied }, "database migrated");
  // A test may set the clock on purpose.
  const aheadMs = config.clock.startsAt === undefined ? await readClockDifference(pool, Date.now) : 0;
  if (Math.abs(aheadMs) > CLOCK_TOLERANCE_MS) {
    logger.error({ aheadMs }, "this machine's clock is not the database's: set both, and keep them with NTP");
  }
  const livekit = { url, apiKey, apiSecret, dispatchName };
  const tracer = await openTracer(config.traces, "api", logger);
  const api = await createApi({ config, pool, livekit, logger, tracer });
  const { database, now } = api.services;
  const { secret } = config.operator;
  if (secret) await ensureOperatorAccount({ database, secret, now: new Date(now()) });
  const frontPort = readFrontPort(process.argv);
  const answer = api.app.callback();
  const server = createHttpServer(answer);
  await listen(server, frontPort ?? config.http.port, frontPort === null ? config.http.host : "127.0.0.1");
  const metrics = await startMetricsServer(config.metrics, api.services.metrics.registry, logger);
  await api.start();
  const handed = frontPort === null ? null : serveBehindFront(server, answer, config, logger);
  logger.info({ host: config.http.host, port: config.http.port }, "api serves");
  return {
    async close() {
      api.stopStreams();
      await stopListening(server, handed);
      await metrics?.close();
      await api.close();
      await Promise.all([pool.end(), tracer.close()]);
    },
  };
}

/** Changes of large tables take longer than queries, and another process may be at them. */
async function migrateWith(options: DatabaseOptions): Promise<string[]> {
  const database = createDatabase(options);
  try {
    return await migrate(database, MIGRATIONS);
  } finally {
    await database.destroy();
  }
}

/** Of the start command: it accepts the connections, and the api listens on this loopback port for the relay. */
function readFrontPort(args: readonly string[]): number | null {
  const port = args.find((argument) => argument.startsWith(BEHIND_FRONT))?.slice(BEHIND_FRONT.length);
  return port === undefined ? null : Number(port);
}

/** Serves the connections that the front hands over, and hands those of realtime calls back. If the start command dies,
 *  the api listens in its place. */
function serveBehindFront(
  server: Server,
  answer: RequestListener,
  config: ApiConfig,
  logger: Logger,
): HandedConnections {
  const forward = createRelayForward(config.relay.port);
  server.removeAllListeners("request");
  server.on("request", (request, response) => (isForRelay(request.url) ? forward : answer)(request, response));
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    if (isForRelay(request.url) && !process.connected) refuseCall(socket);
    else if (isForRelay(request.url)) handBack(process, request, socket, head);
    else serveWithoutUpgrade(server, request, socket, head);
  });
  const handed = serveHandedConnections(server, process, () => {
    const successor = createNetServer({ noDelay: true }, (socket) => server.emit("connection", socket));
    const retryUntilMs = performance.now() + SUCCESSION_MS;
    const tryToListen = () => void successor.listen(config.http.port, config.http.host);
    successor.on("listening", () => logger.warn("the start command ended: api listens by itself"));
    successor.on("error", (error) => {
      // The channel may end a moment before the system releases the port.
      if (performance.now() < retryUntilMs) setTimeout(tryToListen, SUCCESSION_RETRY_MS).unref();
      else logger.error({ err: error }, "api cannot take the place of the front");
    });
    tryToListen();
    // The next start ends this process.
    successor.unref();
  });
  handed.announce();
  return handed;
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

async function stopListening(server: Server, handed: HandedConnections | null): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await Promise.all([stopped, handed?.close()]);
  clearTimeout(timer);
}

// Its state is in the database: after an exception, the next process goes on with what is certain.
await runProgram({ name: "api", parts: API_PARTS, start, endsOnException: true });
