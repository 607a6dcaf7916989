// Entry point of the realtime relay.
import { type HandedConnections, serveHandedConnections } from "../program/child-process/handed-connections.ts";
import { ConfigError } from "../program/config.ts";
import { type ProgramContext, type RunningProgram, runProgram } from "../program/run-program.ts";
import { startMetricsServer } from "../program/telemetry/metrics-server.ts";
import { ApiClient } from "./api-client.ts";
import { Relay } from "./relay.ts";
import { RELAY_PARTS, type RelayConfig } from "./relay-config.ts";

/** The start command accepts the connections, so the relay itself listens on loopback alone. */
const BEHIND_FRONT = "--behind-front";

async function start(config: RelayConfig, { logger }: ProgramContext): Promise<RunningProgram> {
  const { apiKey, apiSecret } = config.livekit;
  if (!apiKey || !apiSecret) {
    throw new ConfigError([
      "LIVEKIT_API_KEY and LIVEKIT_API_SECRET must be set for a relay: it shares them with the api",
    ]);
  }
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
  const port = await relay.start(config.relay.port, isBehindFront ? "127.0.0.1" : config.http.host);
  if (isBehindFront) handed = serveHandedConnections(relay.server, process);
  handed?.announce();
  const metrics = await startMetricsServer(config.metrics, relay.metrics.registry, logger);
  logger.info({ port }, "relay listening");
  return {
    drainMs: config.relay.drainMs,
    drain: (limitMs) => relay.drain(limitMs),
    async close() {
      await relay.close();
      await metrics?.close();
    },
    load: () => ({ calls: relay.calls.size }),
  };
}

await runProgram({ name: "relay", parts: RELAY_PARTS, start });
