// Entry point of the realtime relay: reads the environment, serves calls, and closes in order when told to end.
import { ConfigError, parseConfig } from "../shared/config.ts";
import { createLogger } from "../shared/log.ts";
import { logUncaught } from "../shared/log-uncaught.ts";
import { type HandedConnections, serveHandedConnections } from "../src/child-process/handed-connections.ts";
import { startMetricsServer } from "../src/telemetry/metrics-server.ts";
import { ApiClient } from "./api-client.ts";
import { Relay } from "./relay.ts";
import { RELAY_PARTS } from "./relay-config.ts";

/** The start command accepts the connections, so the relay itself listens on loopback alone. */
const BEHIND_FRONT = "--behind-front";

async function main(): Promise<void> {
  const config = parseConfig(process.env, RELAY_PARTS);
  const { apiKey, apiSecret } = config.livekit;
  if (!apiKey || !apiSecret) {
    throw new ConfigError([
      "LIVEKIT_API_KEY and LIVEKIT_API_SECRET must be set for a relay: it shares them with the api",
    ]);
  }
  const logger = createLogger({ ...config.log, name: "relay" });
  const api = new ApiClient({ apiUrl: config.http.apiUrl, livekit: { apiKey, apiSecret } });
  const isBehindFront = process.argv.includes(BEHIND_FRONT);
  let handed: HandedConnections | null = null;
  const relay = new Relay({
    api,
    logger,
    trustProxy: config.http.trustProxy,
    peers: config.relay.peers,
    // Clients reach it through the front alone; on its own address, only the api does.
    isPassedOn: (socket) => isBehindFront && !handed?.has(socket),
  });
  // Every call depends on this process. No error that nothing has caught may end it.
  logUncaught(logger);
  const port = await relay.start(config.relay.port, isBehindFront ? "127.0.0.1" : config.http.host);
  if (isBehindFront) handed = serveHandedConnections(relay.server, process);
  handed?.announce();
  const metrics = await startMetricsServer(config.metrics, relay.metrics.registry, logger);
  logger.info({ port }, "relay serves");

  let isStopping = false;
  /** The first signal drains: running calls may go on for a time. The second one ends them at once. */
  const stop = async (signal: string): Promise<void> => {
    const drainMs = isStopping ? 0 : config.relay.drainMs;
    isStopping = true;
    logger.info({ signal, calls: relay.calls.size, drainMs }, "relay stops");
    if (drainMs > 0) await relay.drain(drainMs);
    await relay.close();
    await metrics?.close();
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      stop(signal).catch((error: unknown) => {
        logger.error({ err: error, signal }, "relay did not stop cleanly");
        process.exit(1);
      });
    });
  }
}

main().catch((error: unknown) => {
  const isPlain = error instanceof ConfigError || (error as NodeJS.ErrnoException).code === "EADDRINUSE";
  process.stderr.write(`${error instanceof Error ? (isPlain ? error.message : error.stack) : String(error)}\n`);
  process.exit(1);
});
