// Peers of a worker that accept connections and say nothing: each wait ends, and what can be repeated is.
import t from "tap";
import { connectProvider } from "../../agent-worker/providers/provider-realtime.ts";
import { AccountService } from "../../agent-worker/self-hosted/account-service.ts";
import { ClockCheck } from "../../agent-worker/service/clock-check.ts";
import { WorkerConnection } from "../../agent-worker/service/worker-connection.ts";
import { WorkerReporter } from "../../agent-worker/service/worker-reporter.ts";
import { RuntimeApiClient } from "../../agent-worker/session/runtime-api-client.ts";
import { createLogger } from "../../program/log.ts";
import { createAddressGuard } from "../../program/outgoing/address-guard.ts";
import { withSilentServer } from "../helpers/servers/with-silent-server.ts";
import { waitFor } from "../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });

for (const upgrades of [false, true]) {
  t.test(`a LiveKit server that is silent ${upgrades ? "after" : "before"} the handshake is tried again`, async (t) => {
    await withSilentServer(
      async (server) => {
        const connection = new WorkerConnection({
          url: `ws://${server.host}`,
          key: { apiKey: "key", apiSecret: "secret".repeat(8) },
          dispatchName: "test",
          participant: { identity: "worker", name: "Avatar" },
          listener: {
            load: () => ({ load: 0, jobCount: 0 }),
            onReady: () => undefined,
            onOffer: async () => false,
            onAssigned: () => undefined,
            onWithdrawn: () => undefined,
            onTerminated: () => undefined,
          },
          logger,
          pingIntervalMs: 300,
        });
        connection.start();
        await waitFor(() => server.accepted >= 2, "another connection");
        const startMs = performance.now();
        await connection.close();
        t.ok(performance.now() - startMs < 5_000, "it closes without the server's word");
      },
      { upgrades },
    );
  });
}

t.test("an api that stays silent is given up in time by a session and by a self-hosted worker", async (t) => {
  await withSilentServer(async ({ host }) => {
    const startMs = performance.now();
    const session = new RuntimeApiClient({
      avatar_session_id: "cs_1",
      runtime_token: "token",
      api_url: `http://${host}`,
    });
    const service = new AccountService({ apiUrl: `http://${host}` });
    await Promise.all([
      t.rejects(session.reportAcceptance()),
      t.rejects(session.sendHeartbeat({ seq: 1, served_seconds: 1 } as never)),
      t.rejects(session.searchKnowledge("Where?")),
      t.rejects(service.findModel("secret", "A00AAA0001"), { code: "SERVICE_UNAVAILABLE" }),
    ]);
    t.ok(performance.now() - startMs < 30_000);
  });
});

t.test("an account's realtime server that stays silent closes the link in time", async (t) => {
  await withSilentServer(async ({ host }) => {
    const connect = connectProvider(createAddressGuard({ allowPrivate: true }), {
      base_url: `http://${host}/v1`,
      model: "m",
    });
    const closed = new Promise((resolve) => connect({ onEvent: () => undefined, onClosed: resolve }));
    t.match(await closed, { message: /timed out|timeout/i });
  });
});

t.test("reports to an api that stays silent are given up and repeated, and so is the look at its clock", async (t) => {
  await withSilentServer(async (server) => {
    const apiUrl = `http://${server.host}`;
    const reporter = new WorkerReporter({
      apiUrl,
      logger,
      livekit: { apiKey: "key", apiSecret: "secret".repeat(8) },
      status: () => ({ providers: ["cpu"], active_sessions: 0, max_sessions: 1 }),
    });
    reporter.start();
    await waitFor(() => server.accepted >= 2, "another report");
    const startMs = performance.now();
    await reporter.close();
    t.ok(performance.now() - startMs < 15_000);

    const noted = new Promise((resolve) => {
      const clock = new ClockCheck({ apiUrl, now: Date.now, logger: { error: () => undefined, debug: resolve } });
      t.teardown(() => clock.close());
      clock.start();
    });
    t.match(await noted, { err: { name: "TimeoutError" } });
  });
});
