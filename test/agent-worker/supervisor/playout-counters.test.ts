// The worker's metrics about playout, as its sessions report them and an operator reads them.
import { connect } from "node:net";
import { Gauge, Registry } from "prom-client";
import t from "tap";
import { HealthServer } from "../../../agent-worker/service/health-server.ts";
import { PlayoutCounters } from "../../../agent-worker/supervisor/playout-counters.ts";
import { createLogger } from "../../../program/log.ts";
import { PlayoutMetrics } from "../../../room/playout/playout-metrics.ts";

const logger = createLogger({ level: "silent", name: "test" });

/** What a session that played `frames` frames, each computed in `tickMs`, reports. */
function reportOf(frames: number, tickMs: number) {
  const metrics = new PlayoutMetrics();
  for (let frame = 0; frame < frames; frame++) metrics.countFrame(frame === 0 ? 30 : 0, tickMs);
  metrics.countDropped();
  metrics.countReserve(tickMs * 10);
  metrics.countRate("half");
  metrics.countRate(frames > 100 ? "frozen" : "full");
  metrics.countAudioGap();
  return metrics.report();
}

t.test("the reports of all sessions are added up, and the frame time is that of the slowest session", async (t) => {
  const registry = new Registry();
  const playout = new PlayoutCounters(registry);
  const status = () => ({ isReady: true, activeSessions: 2, maxSessions: 8 });
  const server = new HealthServer({ port: 0, status, metrics: registry, logger });
  const baseUrl = `http://127.0.0.1:${await server.start()}`;
  t.teardown(() => server.close());
  const read = async () => (await fetch(`${baseUrl}/metrics`)).text();
  t.match(await read(), /avatar_worker_frames_total 0\n/, "nothing yet");

  playout.take("cs_1", reportOf(250, 4));
  playout.take("cs_2", reportOf(200, 9));
  playout.take("cs_2", reportOf(50, 8));
  const text = await read();
  t.match(text, /avatar_worker_frames_total 500\n/);
  t.match(text, /avatar_worker_late_frames_total 3\n/);
  t.match(text, /avatar_worker_audio_gaps_total 3\n/);
  t.match(text, /avatar_worker_dropped_frames_total 3\n/);
  t.match(text, /avatar_worker_frame_rate_changes_total{to="half"} 3\n/);
  t.match(text, /avatar_worker_frame_rate_changes_total{to="frozen"} 2\n/);
  t.match(text, /avatar_worker_sessions_at_frame_rate{rate="frozen"} 1\n/, "of two sessions, one is frozen now");
  t.match(text, /avatar_worker_audio_reserve_seconds 0.04\n/, "the least of the latest reports");
  t.match(text, /avatar_worker_tick_p95_seconds 0.008\n/, "the latest report of each session counts");
});

t.test("an aborted request or a failing metric affects only its own connection", async (t) => {
  const registry = new Registry();
  const status = () => ({ isReady: true, activeSessions: 1, maxSessions: 8 });
  const server = new HealthServer({ port: 0, status, metrics: registry, logger });
  const port = await server.start();
  t.teardown(() => server.close());
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", note);
  t.teardown(() => process.off("unhandledRejection", note));

  await new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write("POST /health HTTP/1.1\r\ncontent-length: 500\r\n\r\n{"),
    );
    socket.once("data", () => socket.destroy());
    socket.once("close", resolve);
  });
  new Gauge({
    name: "broken",
    help: "cannot be read",
    registers: [registry],
    collect: () => Promise.reject(new Error("no figure")),
  });
  await t.rejects(fetch(`http://127.0.0.1:${port}/metrics`));
  const health = await fetch(`http://127.0.0.1:${port}/health`);
  t.equal(health.status, 200);
  t.same(unhandled, [], "no rejection is left unhandled");
});
