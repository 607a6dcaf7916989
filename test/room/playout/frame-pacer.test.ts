// The pacer with a real engine, an avatar that renders nothing, and tracks in memory. No assertion depends on the speed
// of the machine.
import t from "tap";
import { createLogger } from "../../../program/log.ts";
import { FramePacer } from "../../../room/playout/frame-pacer.ts";
import { pacedEngine } from "../../../room/playout/paced-engine.ts";
import { PlayoutMetrics } from "../../../room/playout/playout-metrics.ts";
import { StartReserve } from "../../../room/playout/start-reserve.ts";
import type { Engine } from "../../../src/face/engine/engine.ts";
import type { Avatar } from "../../../src/face/rendering/avatar.ts";
import { HOP, posedAvatar, RATE_HZ, ramp, withEngine } from "../../helpers/faces/with-engine.ts";
import { FakeTracks } from "../../helpers/rooms/fake-tracks.ts";
import { waitFor } from "../../helpers/wait-for.ts";

interface Paced {
  engine: Engine;
  pacer: FramePacer;
  tracks: FakeTracks;
  metrics: PlayoutMetrics;
  /** What the listener was told: `a started`, `a finished 120`, `a cut`. */
  told: string[];
  /** The positions of queued speech: `a 0-40`. */
  queued: string[];
  /** Positions at which segments were cut off, ms. */
  cutAtMs: Map<string, number>;
  failures: unknown[];
  /** Opens a segment, pushes samples and says that audio has arrived. */
  say(segmentId: string, samples: Int16Array): { push(more: Int16Array): void; end(): void };
}

/** Says whether video is needed, until it is told otherwise. */
class FakeWatch {
  needsVideo = false;
  readonly #listeners = new Set<() => void>();

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  begin(): void {
    this.needsVideo = true;
    for (const listener of this.#listeners) listener();
  }
}

async function withPacer(
  work: (paced: Paced) => Promise<void>,
  {
    avatar = posedAvatar() as Avatar,
    wrap = (engine: Engine) => engine,
    watch,
  }: { avatar?: Avatar; wrap?(engine: Engine): Engine; watch?: FakeWatch } = {},
): Promise<void> {
  const reserve = new StartReserve();
  await withEngine({ ...pacedEngine(reserve), liveClock: undefined, avatar }, async (real) => {
    const engine = wrap(real);
    const tracks = new FakeTracks();
    const metrics = new PlayoutMetrics();
    const told: string[] = [];
    const queued: string[] = [];
    const cutAtMs = new Map<string, number>();
    const failures: unknown[] = [];
    const pacer = new FramePacer({
      engine,
      tracks,
      metrics,
      watch,
      maxFps: 25,
      reserve,
      freeCores: () => Number.POSITIVE_INFINITY,
      logger: createLogger({ level: "silent", name: "test" }),
      onFailure: (error) => failures.push(error),
      listener: {
        segmentStarted: (id) => told.push(`${id} started`),
        segmentQueued: (id, { fromMs, untilMs }) => queued.push(`${id} ${Math.round(fromMs)}-${Math.round(untilMs)}`),
        segmentFinished: (id, { positionMs, interrupted }) => {
          told.push(interrupted ? `${id} cut` : `${id} finished ${Math.round(positionMs)}`);
          if (interrupted) cutAtMs.set(id, positionMs);
        },
      },
    });
    const say: Paced["say"] = (segmentId, samples) => {
      const segment = engine.openSegment(segmentId, RATE_HZ);
      const push = (more: Int16Array) => {
        segment.push(more);
        pacer.audioArrived();
      };
      push(samples);
      return {
        push,
        end: () => {
          segment.end();
          pacer.audioArrived();
        },
      };
    };
    pacer.start();
    try {
      await work({ engine, pacer, tracks, metrics, told, queued, cutAtMs, failures, say });
    } finally {
      await pacer.close();
    }
  });
}

t.jobs = 6;

t.test("segments play completely and in order; each starts once and finishes once, at its length", async (t) => {
  await withPacer(async ({ say, tracks, told }) => {
    say("a", ramp(HOP * 3)).end();
    say("empty", new Int16Array(0)).end();
    say("b", ramp(HOP + 480)).end();
    await waitFor(() => told.length === 5, "all segments are over");
    t.same(told, ["a started", "a finished 120", "empty finished 0", "b started", "b finished 50"]);
    t.same(tracks.speech, [...ramp(HOP * 3), ...ramp(HOP + 480)], "every sample once");
    t.ok(tracks.framesMs.length >= 4, "with a video frame for each 40 ms");
    t.same(
      tracks.framesMs,
      tracks.framesMs.toSorted((a, b) => a - b),
    );
  });
});

t.test("without audio, silence plays with a video frame every 40 ms", async (t) => {
  await withPacer(async ({ tracks, told, metrics }) => {
    await waitFor(() => tracks.framesMs.length >= 5, "five frames");
    t.ok(tracks.played.length > 0 && tracks.speech.length === 0);
    t.same(told, []);
    t.match(metrics.totals, { starvations: 0, audioGaps: 0 });
  });
});

t.test("a still is the next frame; while no viewer needs video, it alone is rendered", async (t) => {
  const watch = new FakeWatch();
  const avatar = posedAvatar();
  const { poses } = avatar;
  await withPacer(
    async ({ engine, pacer, metrics, tracks }) => {
      await waitFor(() => metrics.totals.unwatchedFrames >= 3, "frames that are not rendered");
      t.equal(poses.length, 0);
      const [one, other] = await Promise.all([pacer.still(), pacer.still()]);
      t.equal(one.widthPx, 16);
      t.not(one.data, other.data, "each has a copy of its own");
      t.equal(poses.length, 1);
      const { unwatchedFrames } = metrics.totals;
      await waitFor(() => metrics.totals.unwatchedFrames >= unwatchedFrames + 2, "the face moves on");
      t.equal(poses.length, 1, "and nothing is rendered");
      t.equal(tracks.framesMs.length, 0, "the room saw nothing of it");
      t.equal(engine.stats().ticks, metrics.totals.unwatchedFrames, "the face moves on once for each frame");
      watch.begin();
      await waitFor(() => tracks.framesMs.length > 0, "video");
      await pacer.still();
      t.equal(poses.length - 1, tracks.framesMs.length, "no frame more than the video's");
      const last = pacer.still();
      await Promise.all([t.rejects(last, /not rendered/), pacer.close()]);
      await t.rejects(pacer.still(), /not rendered/);
    },
    { avatar, watch },
  );
});

t.test("while no viewer needs video, silence is queued for longer, and speech takes its place at once", async (t) => {
  const watch = new FakeWatch();
  await withPacer(
    async ({ engine, say, tracks, metrics, told }) => {
      await waitFor(() => engine.stats().ticks >= 50, "two seconds of silence");
      t.ok(tracks.audioCalls <= 20, `${tracks.audioCalls} calls for ${engine.stats().ticks} steps`);
      t.match(metrics.totals, { starvations: 0, audioGaps: 0 });
      await waitFor(() => tracks.queuedAudioMs > 250, "a long queue");
      const before = tracks.played.length;
      say("a", ramp(HOP * 20)).end();
      await waitFor(() => tracks.speech.length > 0, "speech");
      const [first] = ramp(1);
      const silent = tracks.played.indexOf(first, Math.max(0, before - RATE_HZ / 2)) - before;
      t.ok(silent < RATE_HZ / 20, `speech is ${Math.round((silent * 1000) / RATE_HZ)} ms behind what had been queued`);
      await waitFor(() => told.includes("a finished 800"), "it plays completely");
      t.same(tracks.speech, [...ramp(HOP * 20)]);
    },
    { watch },
  );
});

t.test("video that becomes needed begins with the frame that is due, not with those that were not seen", async (t) => {
  const watch = new FakeWatch();
  await withPacer(
    async ({ engine, tracks }) => {
      await waitFor(() => engine.stats().ticks >= 10 && tracks.queuedAudioMs > 150, "silence");
      const beganMs = performance.now();
      watch.begin();
      await waitFor(() => tracks.framesMs.length >= 3, "video");
      t.ok(tracks.framesMs[0] >= beganMs - 40, `${beganMs - tracks.framesMs[0]} ms old`);
    },
    { watch },
  );
});

t.test(
  "a clear interrupts everything at once: positions say how much was heard, and the next segment plays completely",
  async (t) => {
    await withPacer(async ({ say, pacer, tracks, told, cutAtMs }) => {
      say("a", ramp(HOP * 50)).end();
      say("b", ramp(HOP * 5));
      await waitFor(() => tracks.speech.length >= HOP * 4, "speech");
      t.same(pacer.clear(), ["a", "b"]);
      const heardMs = (tracks.speech.length * 1000) / RATE_HZ;
      t.same(pacer.clear(), [], "a second clear finds nothing");
      await waitFor(() => told.includes("b cut"), "both are reported");
      say("c", ramp(HOP * 2)).end();
      await waitFor(() => told.includes("c finished 80"), "the next one plays");
      t.same(told, ["a started", "a cut", "b cut", "c started", "c finished 80"]);
      t.ok(Math.abs((cutAtMs.get("a") ?? 0) - heardMs) < 15, `cut at ${cutAtMs.get("a")} ms, ${heardMs} ms were heard`);
      t.equal(cutAtMs.get("b"), 0, "nothing of the second one was heard");
      t.same(tracks.speech.slice(-2 * HOP), [...ramp(HOP * 2)]);
    });
  },
);

t.test(
  "after a clear during a frame, its audio is not played and a segment that ended in it is reported as interrupted",
  async (t) => {
    let onSpeech: (() => void) | undefined;
    const wrap = (engine: Engine): Engine =>
      ({
        ...Object.fromEntries(
          (["openSegment", "prepare", "render", "skip", "readiness", "clear", "onCommand", "close"] as const).map(
            (name) => [name, (engine[name] as (...args: unknown[]) => unknown).bind(engine)],
          ),
        ),
        sampleRateHz: engine.sampleRateHz,
        nextAudio: async (queuedMs?: number) => {
          const audio = await engine.nextAudio(queuedMs);
          if (audio.isSpeaking) onSpeech?.();
          return audio;
        },
      }) as Engine;
    await withPacer(
      async ({ say, pacer, tracks, told, cutAtMs }) => {
        onSpeech = () => {
          onSpeech = undefined;
          pacer.clear();
        };
        say("short", ramp(HOP)).end();
        await waitFor(() => told.length > 0, "it is reported");
        t.same(told, ["short cut"], "never started, not finished");
        t.equal(cutAtMs.get("short"), 0);
        t.same(tracks.speech, []);
        say("next", ramp(HOP)).end();
        await waitFor(() => told.length === 3, "the next one plays");
        t.same(told.slice(1), ["next started", "next finished 40"]);
      },
      { wrap },
    );
  },
);

t.test("silence plays while a sender stalls: one starvation is counted, and no sample is lost", async (t) => {
  await withPacer(async ({ say, tracks, metrics, told, queued }) => {
    const segment = say("slow", ramp(HOP * 4));
    await waitFor(() => metrics.totals.starvations === 1, "the segment runs dry");
    segment.push(ramp(HOP * 4, HOP * 4 + 1));
    segment.end();
    await waitFor(() => told.length === 2, "it finishes");
    t.same(told, ["slow started", "slow finished 320"]);
    const positions = Array.from({ length: 8 }, (_, hop) => `slow ${hop * 40}-${(hop + 1) * 40}`);
    t.same(queued, positions, "the position stands still while it waits");
    const expected = [...ramp(HOP * 8)];
    let next = 0;
    // While it waits, the voice fades away: samples that are not the sender's.
    for (const sample of tracks.played) if (sample === expected[next]) next += 1;
    t.equal(next, expected.length, "all of the sender's samples, in order");
  });
});

t.test("an underrun within an utterance is counted, and the audio reserve is restored", async (t) => {
  await withPacer(async ({ say, tracks, metrics, told }) => {
    say("a", ramp(HOP * 10)).end();
    await waitFor(() => tracks.speech.length >= HOP * 3, "speech");
    const before = metrics.totals.audioGaps;
    tracks.runEmpty();
    await waitFor(() => metrics.totals.audioGaps > before, "the gap is counted");
    await waitFor(() => told.length === 2, "it finishes");
    t.same(tracks.speech, [...ramp(HOP * 10)]);
    t.same(told, ["a started", "a finished 400"]);
  });
});

t.test("a frame that cannot be rendered stops the pacer and is reported once", async (t) => {
  const avatar: Avatar = { ...posedAvatar(), render: () => Promise.reject(new Error("no frame")) };
  await withPacer(
    async ({ failures, pacer, tracks }) => {
      await waitFor(() => failures.length > 0, "the failure is reported");
      await pacer.close();
      await pacer.close();
      t.match(failures, [/no frame/]);
      t.equal(failures.length, 1);
      t.same(tracks.framesMs, []);
    },
    { avatar },
  );
});

t.test("nothing is reported or played after closing", async (t) => {
  await withPacer(async ({ say, pacer, tracks, told }) => {
    say("a", ramp(HOP * 50));
    await waitFor(() => tracks.speech.length > 0, "speech");
    await pacer.close();
    const [count, reports] = [tracks.played.length, told.length];
    t.same(pacer.clear(), []);
    pacer.audioArrived();
    await new Promise(setImmediate);
    t.same([tracks.played.length, told.length], [count, reports]);
  });
});
