// In which order and when audio leaves the engine.
import t from "tap";
import { HOP_MS } from "../../../../shared/units.ts";
import type { EngineEvent, EngineTick } from "../../../../src/face/engine/engine.ts";
import {
  QUEUE_LIMIT_BYTES,
  QUEUE_LIMIT_SECONDS,
  QUEUE_LIMIT_SEGMENTS,
} from "../../../../src/face/engine/segment-sequencer.ts";
import { finished, HOP, play, RATE_HZ, ramp, started, withEngine } from "../../../helpers/faces/with-engine.ts";
import { LiveSender } from "../../../helpers/rooms/live-sender.ts";

for (const audioLeadTicks of [0, 1, 2] as const) {
  t.test(`audio leading by ${audioLeadTicks} steps`, async (t) => {
    t.test("segments play completely and in order, each with one start and one finish", async (t) => {
      await withEngine({ audioLeadTicks }, async (engine) => {
        const lengths = { a: HOP * 3, b: HOP + 480, c: 1 };
        for (const [name, length] of Object.entries(lengths)) {
          const segment = engine.openSegment(name, RATE_HZ);
          segment.push(ramp(length));
          segment.end();
          segment.end();
        }
        const { audio, events } = await play(engine, 12);
        t.same(events, [
          started("a"),
          finished("a", 120),
          started("b"),
          finished("b", 50),
          started("c"),
          finished("c", 1000 / RATE_HZ),
        ]);
        t.same(
          audio.filter((sample) => sample !== 0),
          [...ramp(HOP * 3), ...ramp(HOP + 480), ...ramp(1)],
          "every sample once, the last hop filled up with zeros",
        );
      });
    });

    t.test("a segment without audio only finishes", async (t) => {
      await withEngine({ audioLeadTicks }, async (engine) => {
        engine.openSegment("empty", 16_000).end();
        const after = engine.openSegment("after", RATE_HZ);
        after.push(ramp(HOP));
        after.end();
        const { events } = await play(engine, 4);
        t.same(events, [finished("empty", 0), started("after"), finished("after", 40)]);
      });
    });

    t.test("audio waits for the look-ahead of its video frame, and no longer", async (t) => {
      await withEngine({ audioLeadTicks }, async (engine) => {
        const segment = engine.openSegment("live", RATE_HZ);
        const startedAt: number[] = [];
        for (let hop = 0; hop < 6; hop++) {
          segment.push(ramp(HOP));
          const { events } = await play(engine, 1);
          if (events.length > 0) startedAt.push(hop);
        }
        t.same(startedAt, [2 - audioLeadTicks], "the frame's own hop and two more, less the lead");
      });
    });

    t.test("silence plays while a sender stalls, and no audio is lost", async (t) => {
      await withEngine({ audioLeadTicks }, async (engine) => {
        const segment = engine.openSegment("slow", RATE_HZ);
        segment.push(ramp(HOP * 4));
        const before = await play(engine, 10);
        segment.push(ramp(HOP * 4, HOP * 4 + 1));
        segment.end();
        const after = await play(engine, 10);
        t.ok(engine.stats().starvedTicks >= 5, `${engine.stats().starvedTicks} starved ticks`);
        t.same([...before.audio, ...after.audio], [...ramp(HOP * 8)]);
        t.same([...before.events, ...after.events], [started("slow"), finished("slow", 320)]);
        t.notOk(before.ticks.at(-1)?.isSpeaking, "stalled ticks are silent");
      });
    });

    t.test("clear interrupts everything at once, and each segment reports its position", async (t) => {
      await withEngine({ audioLeadTicks }, async (engine) => {
        for (const name of ["a", "b", "open"]) {
          const segment = engine.openSegment(name, RATE_HZ);
          segment.push(ramp(HOP * 10));
          if (name !== "open") segment.end();
        }
        await play(engine, 4);
        t.same(engine.clear(), ["a", "b", "open"]);
        t.same(engine.clear(), [], "a second clear has nothing to cut");
        const next = engine.openSegment("next", RATE_HZ);
        next.push(ramp(HOP));
        next.end();
        const { ticks, events } = await play(engine, 5);
        t.same(ticks[0].events.slice(0, 3), [
          finished("a", 160, true),
          finished("b", 0, true),
          finished("open", 0, true),
        ]);
        t.same(events.slice(3), [started("next"), finished("next", 40)], "what comes after plays as usual");
      });
    });

    t.test("a segment that is cleared while it is being heard does not affect the next one", async (t) => {
      await withEngine({ audioLeadTicks }, async (engine) => {
        const segment = engine.openSegment("cut", 16_000);
        segment.push(ramp(16_000));
        const running = engine.tick();
        engine.clear();
        await running;
        segment.push(ramp(16_000));
        segment.end();
        const { events, audio } = await play(engine, 10);
        const all = [...(await running).events, ...events];
        t.equal(all.filter((event) => event.type === "segment-finished").length, 1);
        t.same(audio, [], "audio pushed after the clear is ignored");
      });
    });
  });
}

t.test(
  "a segment starts when its reserve has arrived, or when it has ended; an underrun asks for it again",
  async (t) => {
    await withEngine({ audioLeadTicks: 2, startReserveMs: 100 }, async (engine) => {
      const segment = engine.openSegment("live", RATE_HZ);
      const push = async (hops: number) => {
        segment.push(ramp(HOP * hops));
        const before = engine.readiness();
        return `${before} ${(await play(engine, 1)).ticks[0].speechMs}`;
      };
      t.same([await push(1), await push(1), await push(0.5)], ["waiting 0", "waiting 0", "ready 40"]);
      t.same([await push(0), await push(0)], ["ready 40", "waiting 0"], "then it starves");
      t.same([await push(1.5), await push(0.5)], ["waiting 0", "ready 40"]);
      const short = engine.openSegment("short", RATE_HZ);
      short.push(ramp(HOP));
      segment.end();
      short.end();
      t.same((await play(engine, 4)).events, [{ ...finished("live", 180) }, started("short"), finished("short", 40)]);
    });
  },
);

t.test(
  "with a start reserve, a hop is output as soon as it has arrived, at every rate, and ends at its length",
  async (t) => {
    await withEngine({ audioLeadTicks: 2, startReserveMs: 40 }, async (engine) => {
      for (const rateHz of [8000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000]) {
        const segment = engine.openSegment(String(rateHz), rateHz);
        const spoken: number[] = [];
        for (let hop = 0; hop < 6; hop++) {
          // Sums of 40 ms, also where 40 ms are no whole number of samples.
          const samples = Math.ceil((rateHz * (hop + 1)) / 25) - Math.ceil((rateHz * hop) / 25);
          segment.push(ramp(samples));
          t.equal(engine.readiness(), "ready");
          spoken.push((await play(engine, 1)).ticks[0].speechMs);
        }
        t.same(spoken, [40, 40, 40, 40, 40, 40], `${rateHz} Hz`);
        t.equal(engine.readiness(), "waiting");
        const starved = await play(engine, 2);
        segment.end();
        const { events } = await play(engine, 4);
        const end = [...starved.events, ...events].at(-1);
        t.ok(end?.type === "segment-finished" && Math.abs(end.positionMs - 240) < 0.1, JSON.stringify(end));
        t.equal(engine.readiness(), "idle");
      }
    });
  },
);

t.test("after a shortening left less than a step, the engine is not ready, and nothing starves", async (t) => {
  const sender = new LiveSender();
  await withEngine({ audioLeadTicks: 2, startReserveMs: 100, liveClock: sender.clock }, async (engine) => {
    const input = engine.openSegment("live", RATE_HZ);
    let waits = 0;
    let starved = 0;
    for (let i = 0; i < 100; i++) {
      sender.nowMs += HOP_MS;
      input.push(ramp(HOP));
      await engine.prepare();
      if (engine.readiness() === "ready") starved += (await engine.nextAudio(200)).frameInput.isStarved ? 1 : 0;
      else if (i > 3) waits += 1;
    }
    t.ok(waits > 0, "the delay was caught up");
    t.equal(starved, 0);
  });
});

t.test("audio that is queued behind the engine counts as delay, what a start needs does not", async (t) => {
  for (const [queuedMs, isCut] of [
    [0, false],
    [200, true],
  ] as const) {
    const sender = new LiveSender();
    await withEngine({ audioLeadTicks: 2, startReserveMs: 100, liveClock: sender.clock }, async (engine) => {
      const input = engine.openSegment("live", RATE_HZ);
      let playedMs = 0;
      for (let i = 0; i < 60; i++) {
        sender.nowMs += HOP_MS;
        input.push(ramp(HOP));
        playedMs += (await engine.nextAudio(queuedMs)).speechMs;
      }
      input.end();
      while (engine.readiness() !== "idle") playedMs += (await engine.nextAudio(queuedMs)).speechMs;
      t.equal(playedMs < 60 * HOP_MS - 50, isCut, `${playedMs} ms played with ${queuedMs} ms queued`);
    });
  }
});

t.test(
  "delayed audio of a real-time sender catches up inaudibly, and its position counts the removed samples",
  async (t) => {
    const sender = new LiveSender();
    await withEngine({ audioLeadTicks: 1, liveClock: sender.clock }, async (engine) => {
      const input = engine.openSegment("live", RATE_HZ);
      const events: EngineEvent[] = [];
      let playedMs = 0;
      let largestStep = 0;
      let last: number | null = null;
      const take = (tick: EngineTick) => {
        events.push(...tick.events);
        playedMs += tick.speechMs;
        for (const sample of tick.audio.subarray(0, (tick.speechMs * RATE_HZ) / 1000)) {
          largestStep = Math.max(largestStep, Math.abs(sample - (last ?? sample)));
          last = sample;
        }
      };
      const run = async (ticks: number, isHeldUp = false) => {
        for (let i = 0; i < ticks; i++) take(await sender.tick(engine, input, isHeldUp));
        return sender.nowMs - playedMs;
      };
      const delayMs = await run(25);
      t.equal(await run(5, true), delayMs + 200, "five ticks without audio delay all that follows");
      t.equal(await run(20), delayMs + 200, "what waits may be needed soon: for most of a second nothing is left out");
      await run(75);
      input.end();
      const endedAtMs = playedMs;
      while (events.length < 2) take(await engine.tick());
      t.ok(playedMs - endedAtMs < delayMs + 50, `three seconds later ${playedMs - endedAtMs} ms were still to play`);
      t.ok(playedMs < sender.sentMs - 150, `${playedMs} ms played of ${sender.sentMs}`);
      t.ok(largestStep < 8000 * 0.0197 * 1.1, `no step is larger than the tone's own: ${largestStep}`);
      const end = events[1];
      t.ok(end.type === "segment-finished" && Math.abs(end.positionMs - sender.sentMs) < 0.1, JSON.stringify(end));
    });
  },
);

t.test("a real-time sender catches up after late first audio, too", async (t) => {
  const sender = new LiveSender();
  await withEngine({ audioLeadTicks: 1, liveClock: sender.clock }, async (engine) => {
    const input = engine.openSegment("live", RATE_HZ);
    // What a busy machine held up arrives at once.
    for (let i = 0; i < 266; i++) await sender.tick(engine, input, i < 16);
    input.end();
    let leftMs = 0;
    while (engine.readiness() !== "idle") leftMs += (await engine.tick()).speechMs;
    t.ok(leftMs < 150, `ten seconds later ${leftMs} ms wait, of 640`);
  });
});

t.test("on an underrun the voice fades out without a click; an interrupted voice is silent at once", async (t) => {
  const sender = new LiveSender();
  await withEngine({ audioLeadTicks: 1 }, async (engine) => {
    const input = engine.openSegment("live", RATE_HZ);
    for (let i = 0; i < 9; i++) await sender.tick(engine, input);
    const last = (await sender.tick(engine, input)).audio.slice();
    const { audio, isSpeaking, speechMs } = await engine.tick();
    t.same({ isSpeaking, speechMs }, { isSpeaking: false, speechMs: 0 });
    const joined = [...last.subarray(HOP - 100), ...audio];
    const largestStep = Math.max(...joined.slice(1).map((sample, i) => Math.abs(sample - joined[i])));
    t.ok(largestStep < 8000 * 0.0197 * 1.3, `no step is much larger than the tone's own: ${largestStep}`);
    t.ok(
      audio.subarray(0, HOP / 4).some((sample) => sample > 3000),
      "the voice goes on",
    );
    t.ok(audio.subarray(HOP / 2).every((sample) => sample === 0) && (await engine.tick()).audio.every((s) => s === 0));
    for (let i = 0; i < 3; i++) await sender.tick(engine, input);
    engine.clear();
    t.ok((await engine.tick()).audio.every((sample) => sample === 0));
  });
});

t.test("a real-time sender without delays keeps every sample", async (t) => {
  const sender = new LiveSender();
  await withEngine({ audioLeadTicks: 1, liveClock: sender.clock }, async (engine) => {
    const input = engine.openSegment("live", RATE_HZ);
    let heardMs = 0;
    for (let i = 0; i < 100; i++) heardMs += (await sender.tick(engine, input)).speechMs;
    input.end();
    for (let i = 0; i < 6; i++) heardMs += (await engine.tick()).speechMs;
    t.equal(heardMs, sender.sentMs);
  });
});

t.test("audio of a sender that pushes faster than real time is never shortened", async (t) => {
  let nowMs = 0;
  await withEngine({ audioLeadTicks: 1, liveClock: () => nowMs }, async (engine) => {
    for (const [name, pieces, pieceMs] of [
      ["at once", 1, 4000],
      ["faster than speech", 40, 100],
    ] as const) {
      const input = engine.openSegment(name, RATE_HZ);
      const played: number[] = [];
      const tick = async () => {
        nowMs += HOP_MS;
        const { audio, speechMs } = await engine.tick();
        played.push(...audio.subarray(0, (speechMs * RATE_HZ) / 1000));
      };
      for (let piece = 0; piece < pieces; piece++) {
        input.push(new Int16Array((pieceMs * RATE_HZ) / 1000).fill(1));
        await tick();
      }
      for (let i = 0; i < 60; i++) await tick();
      input.end();
      for (let i = 0; i < 60; i++) await tick();
      t.equal(played.length, 4 * RATE_HZ, name);
    }
  });
});

t.test("audio of every rate from 8 to 192 kHz is output at the engine's rate with the same duration", async (t) => {
  await withEngine({}, async (engine) => {
    for (const rateHz of [8000, 11_025, 22_050, 44_100, 192_000]) {
      const segment = engine.openSegment(String(rateHz), rateHz);
      segment.push(new Int16Array(rateHz / 5).fill(1000));
      segment.end();
      const { events } = await play(engine, 8);
      t.same(events, [started(String(rateHz)), finished(String(rateHz), 200)]);
    }
    for (const rateHz of [0, 7999, 200_000, Number.NaN]) t.throws(() => engine.openSegment("x", rateHz), RangeError);
  });
});

t.test("a push of a minute of audio does not delay a tick", async (t) => {
  await withEngine({}, async (engine) => {
    const segment = engine.openSegment("long", RATE_HZ);
    segment.push(ramp(RATE_HZ * 60));
    const cpu = process.cpuUsage();
    await play(engine, 1);
    const { user, system } = process.cpuUsage(cpu);
    t.ok(user + system < 40_000, `${((user + system) / 1000).toFixed(1)} ms of CPU in the first tick`);
  });
});

t.test("the queue is bounded and counts dropped samples", async (t) => {
  await withEngine({}, async (engine) => {
    const segment = engine.openSegment("flood", 8000);
    const minute = new Int16Array(8000 * 60);
    for (let i = 0; i < QUEUE_LIMIT_SECONDS / 60 + 2; i++) segment.push(minute);
    t.equal(engine.stats().droppedSamples, 2 * minute.length);
    for (let i = 1; i < QUEUE_LIMIT_SEGMENTS; i++) engine.openSegment(String(i), 8000);
    t.throws(() => engine.openSegment("one too many", 8000), RangeError);
    t.equal(engine.clear().length, QUEUE_LIMIT_SEGMENTS);
    t.equal((await engine.tick()).events.length, QUEUE_LIMIT_SEGMENTS);
  });
});

t.test(
  "the queue is bounded in bytes, too: high rates fill it sooner, and tiny chunks need no more memory than large ones",
  async (t) => {
    await withEngine({}, async (engine) => {
      const segment = engine.openSegment("fine", 192_000);
      const minute = new Int16Array(192_000 * 60);
      for (let i = 0; i < 3; i++) segment.push(minute);
      t.equal(engine.stats().droppedSamples, 3 * minute.length - QUEUE_LIMIT_BYTES / 2);
      engine.clear();
      const tiny = engine.openSegment("tiny", RATE_HZ);
      const chunk = new Int16Array(2);
      const before = process.memoryUsage();
      for (let i = 0; i < 500_000; i++) tiny.push(chunk);
      const after = process.memoryUsage();
      const grownMb = (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / 1e6;
      t.ok(grownMb < 40, `2 MB of audio in chunks of 2 samples take ${grownMb.toFixed(1)} MB`);
    });
  },
);
