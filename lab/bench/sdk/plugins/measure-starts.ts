// How soon an agent has its face, by LiveKit's own metrics, beside a launch without a plugin in the same run.
import { setTimeout as delay } from "node:timers/promises";
import { percentile } from "../../percentile.ts";
import { round } from "../../round.ts";
import { measureStart } from "../../session-bench.ts";
import type { Figure } from "../figure.ts";
import type { PluginStage } from "./plugin-stage.ts";

const GOALS = { aboveLaunchMs: 100, joinAfterFrameMs: 200, playbackLatencyMs: 200 } as const;
/** The worker warms its next process before each. */
const BETWEEN_STARTS_MS = 3_000;
/** Every third start has one without a plugin beside it. */
const BARE_EVERY = 3;

export async function measureStarts(stage: PluginStage, label: string, starts: number): Promise<Figure[]> {
  const speech = await stage.prepareSpeech(1);
  const [above, joins, frames, latencies]: number[][] = [[], [], [], []];
  for (let index = 0; index < starts; index++) {
    if (index % BARE_EVERY === 0) {
      await delay(BETWEEN_STARTS_MS);
      frames.push(await measureStart(stage.service));
    }
    await delay(BETWEEN_STARTS_MS);
    const { room, startMs, launchMs } = await stage.startAgent();
    const witness = await stage.joinAsWitness(room);
    above.push(startMs - launchMs);
    joins.push((await stage.agent.call("join", {})).joinMs);
    const { playbackLatencyMs } = await stage.say(speech);
    if (playbackLatencyMs === null) throw new Error("LiveKit has no playback latency of a turn");
    latencies.push(playbackLatencyMs);
    await stage.agent.call("close", {});
    await witness.close();
  }
  const figure = (name: string, value: number, goal: number): Figure => ({
    name: `${label}: ${name}`,
    value: round(value),
    unit: "ms",
    goal,
    better: "lower",
  });
  return [
    figure("start() above its launch request, p95", percentile(above, 0.95), GOALS.aboveLaunchMs),
    figure(
      "join after the first frame of a bare launch, median",
      percentile(joins, 0.5) - percentile(frames, 0.5),
      GOALS.joinAfterFrameMs,
    ),
    figure("playback latency, p95", percentile(latencies, 0.95), GOALS.playbackLatencyMs),
  ];
}
