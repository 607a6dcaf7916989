// What a worker counts of the events of its sessions.
import { Registry } from "prom-client";
import t from "tap";
import type { SessionEventBody } from "../../../agent-worker/session/session-event.ts";
import { WorkerMetrics } from "../../../agent-worker/supervisor/worker-metrics.ts";

t.test("an event of a session is counted, and one that is no metric changes none", async (t) => {
  const registry = new Registry();
  const metrics = new WorkerMetrics(registry);
  const before = await registry.metrics();
  const take = (event: SessionEventBody) => metrics.take({ ...event, sessionId: "cs_1" });
  take({ type: "vacancy", isVacant: true });
  take({ type: "milestone", milestone: "joined", atMs: 1 });
  take({ type: "left", reason: "last_user_left" });
  t.equal(await registry.metrics(), before);

  take({ type: "opened", renderedBy: "executor" });
  take({ type: "live", startMs: 800, wasReady: true });
  take({ type: "first-frame", startMs: 900 });
  take({ type: "voice-piece", ms: 400 });
  take({ type: "messages-dropped", count: 3 });
  take({ type: "conversation-fault", part: "voice" });
  take({ type: "turn", times: { isTyped: false, textMs: 300, decidedMs: 400, firstPieceMs: 600, firstSoundMs: 700 } });
  take({ type: "crash" });
  const counted = (await registry.metrics()).split("\n");
  for (const line of [
    'avatar_worker_avatars_opened_total{renderer="executor"} 1',
    'avatar_worker_start_seconds_sum{process="ready"} 0.8',
    "avatar_worker_first_frame_seconds_sum 0.9",
    "avatar_worker_voice_piece_seconds_sum 0.4",
    "avatar_worker_messages_dropped_total 3",
    'avatar_worker_conversation_faults_total{part="voice"} 1',
    'avatar_worker_turn_seconds_sum{step="sound"} 0.7',
    "avatar_worker_session_crashes_total 1",
  ]) {
    t.ok(counted.includes(line), line);
  }
});
