// Ticks, frames, and what ends an engine; the order of its audio is in playout.test.ts.
import t from "tap";
import { FACE_PARAMETER_INDEX } from "../../../../shared/face-parameters.ts";
import { createEngine } from "../../../../src/face/engine/create-engine.ts";
import type { Avatar } from "../../../../src/face/rendering/avatar.ts";
import {
  finished,
  HOP,
  lipSyncModel,
  play,
  posedAvatar,
  RATE_HZ,
  ramp,
  runtime,
  started,
  withEngine,
} from "../../../helpers/faces/with-engine.ts";
import { BILABIAL_SENTENCES, speakSentences } from "../../../helpers/speech/spoken.ts";

const JAW = FACE_PARAMETER_INDEX.jaw;

t.test("ticks count from zero, and silence is silent", async (t) => {
  await withEngine({}, async (engine) => {
    const { ticks } = await play(engine, 5);
    t.same(
      ticks.map(({ index }) => index),
      [0, 1, 2, 3, 4],
    );
    t.ok(ticks.every(({ audio, isSpeaking }) => !isSpeaking && audio.every((sample) => sample === 0)));
    t.equal(ticks[0].audio.length, HOP);
    t.equal(ticks[0].videoFrame.data.length, (16 * 16 * 3) / 2);
  });
});

t.test("the mouth moves with speech and eases to rest after a clear", async (t) => {
  const [sentence] = await speakSentences([BILABIAL_SENTENCES[0]], ["M1"]);
  await withEngine({}, async (engine, poses) => {
    const segment = engine.openSegment("speech", sentence.sampleRateHz);
    segment.push(sentence.samples);
    segment.end();
    while (poses.length < 20 || poses[poses.length - 1][JAW] < 0.25) {
      if (poses.length > 200) throw new Error("the mouth never opened");
      await engine.tick();
    }
    const open = poses[poses.length - 1][JAW];
    engine.clear();
    await play(engine, 6);
    const after = poses.slice(-6).map((pose) => pose[JAW]);
    t.ok(after[0] < open && after[0] > open * 0.5, "no snap");
    t.ok(after[3] < 0.02, "at rest after 160 ms");
  });
});

t.test("the same seed and audio give the same video, and another seed a different one", async (t) => {
  const film = async (seed: number) => {
    let rendered: Float32Array[] = [];
    await withEngine({ seed }, async (engine, poses) => {
      await play(engine, 60);
      rendered = poses;
    });
    return rendered;
  };
  const first = await film(1);
  t.same(await film(1), first);
  t.notSame(await film(2), first);
});

t.test("a known gesture plays, an unknown one is refused", async (t) => {
  await withEngine({}, async (engine, poses) => {
    t.equal(engine.trigger("nothing of the kind"), false);
    t.equal(engine.trigger("wave"), true);
    await play(engine, 4);
    const jaw = poses.map((pose) => pose[JAW]);
    t.same(jaw, [0.5, 0.5, 0.5, 0]);
  });
});

t.test("a frame that cannot be rendered loses no event", async (t) => {
  let isBroken = true;
  const avatar = posedAvatar();
  const fragile: Avatar = {
    ...avatar,
    render: async (pose) => {
      if (isBroken) throw new Error("no frame");
      return avatar.render(pose);
    },
  };
  await withEngine({ avatar: fragile }, async (engine) => {
    const segment = engine.openSegment("a", RATE_HZ);
    segment.push(ramp(HOP));
    segment.end();
    await t.rejects(engine.tick(), /no frame/);
    isBroken = false;
    t.same((await play(engine, 2)).events, [started("a"), finished("a", 40)]);
  });
});

t.test("overlapping calls are refused; a closed engine refuses steps, and closing twice is safe", async (t) => {
  const engine = await createEngine({ avatar: posedAvatar(), runtime, lipSyncModel });
  const first = engine.tick();
  await t.rejects(engine.tick(), /overlap/);
  await first;
  const { audio, frameInput } = await engine.nextAudio();
  t.equal(audio.length, HOP);
  const rendering = engine.render(frameInput);
  t.throws(() => engine.skip(frameInput), /overlap/);
  await t.rejects(engine.render(frameInput), /overlap/);
  t.equal((await rendering).widthPx, 16);
  const last = t.rejects(engine.tick(), /closed/);
  await Promise.all([engine.close(), engine.close()]);
  await last;
  await t.rejects(engine.tick(), /closed/);
  t.throws(() => engine.openSegment("late", 16_000), /closed/);
});

t.test("audio may be ahead of its frames; a skipped frame moves the face as a rendered one does", async (t) => {
  const [sentence] = await speakSentences([BILABIAL_SENTENCES[0]], ["M1"]);
  const film = async (isSkipped: (frame: number) => boolean) => {
    const shown: (Float32Array | null)[] = [];
    await withEngine({ audioLeadTicks: 2 }, async (engine, poses) => {
      const segment = engine.openSegment("speech", sentence.sampleRateHz);
      segment.push(sentence.samples);
      segment.end();
      const ahead = [];
      for (let step = 0; step < 40; step++) ahead.push((await engine.nextAudio()).frameInput);
      for (const [frame, input] of ahead.entries()) {
        if (isSkipped(frame)) engine.skip(input);
        else await engine.render(input);
        shown.push(isSkipped(frame) ? null : poses[poses.length - 1]);
      }
      await engine.renderRest();
      t.ok(
        poses[poses.length - 1].every((value) => value === 0),
        "at rest nothing moves",
      );
      t.equal(engine.stats().ticks, 40);
    });
    return shown;
  };
  const all = await film(() => false);
  const half = await film((frame) => frame % 2 === 1);
  t.ok(
    all.some((pose) => (pose?.[JAW] ?? 0) > 0.2),
    "the mouth opens",
  );
  t.same(
    half,
    all.map((pose, frame) => (frame % 2 === 1 ? null : pose)),
  );
});

t.test("a rate without a whole number of samples per step and an unusable model are refused", async (t) => {
  const avatar = posedAvatar();
  await t.rejects(createEngine({ avatar, runtime, lipSyncModel, sampleRateHz: 11_024.5 }), RangeError);
  await t.rejects(createEngine({ avatar, runtime, lipSyncModel: new Uint8Array(4) }));
});
