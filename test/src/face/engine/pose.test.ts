// Poses without frames: they are those that are rendered, also after a motion packet, and those that are not shown are
// taken back.
import t from "tap";
import { FACE_PARAMETER_INDEX } from "../../../../shared/face-parameters.ts";
import { decodeMotionPacket, encodeMotionPacket } from "../../../../shared/motion-packet.ts";
import { createEngine } from "../../../../src/face/engine/create-engine.ts";
import type { Engine, FrameInput, FramePose } from "../../../../src/face/engine/engine.ts";
import { openAvatar } from "../../../../src/face/rendering/open-avatar.ts";
import { bakedFace } from "../../../helpers/faces/baked-face.ts";
import { lipSyncModel, posedAvatar, runtime, withEngine } from "../../../helpers/faces/with-engine.ts";
import { BILABIAL_SENTENCES, speakSentences } from "../../../helpers/speech/spoken.ts";

const SILENCE: FrameInput = { speech: null, isStarved: false };
const JAW = FACE_PARAMETER_INDEX.jaw;
const [sentence] = await speakSentences([BILABIAL_SENTENCES[0]], ["M1"]);

/** Inputs of the next frames; with `speaks`, of a sentence. */
async function inputs(engine: Engine, count: number, speaks = true): Promise<FrameInput[]> {
  if (speaks) {
    const segment = engine.openSegment("speech", sentence.sampleRateHz);
    segment.push(sentence.samples);
    segment.end();
  }
  const all: FrameInput[] = [];
  for (let step = 0; step < count; step++) all.push((await engine.nextAudio()).frameInput);
  return all;
}

function valuesOf({ parameters, breath }: FramePose): number[] {
  return [...parameters, breath];
}

t.test("from the same samples and seed, poses are those that are rendered", async (t) => {
  const rendered: number[][] = [];
  const avatar = posedAvatar();
  const breathing = {
    ...avatar,
    render: async (pose: Float32Array, breath: number) => {
      rendered.push([...pose, breath]);
      return avatar.render(pose, breath, null);
    },
  };
  await withEngine({ avatar: breathing, seed: 5 }, async (engine) => {
    for (const input of await inputs(engine, 50)) await engine.render(input);
  });
  await withEngine({ seed: 5 }, async (engine) => {
    const poses = (await inputs(engine, 50)).map((input) => engine.pose(input));
    t.same(poses.map(valuesOf), rendered);
    t.ok(
      poses.some(({ parameters }) => parameters[JAW] > 0.2),
      "the mouth opens",
    );
    t.equal(engine.stats().ticks, 50);
  });
});

t.test("poses may be made while a frame is rendered, and poses and frames may alternate", async (t) => {
  const alternate = async (isPosed: (frame: number) => boolean) => {
    const shown: number[][] = [];
    await withEngine({ avatar: slowAvatar(shown), seed: 5 }, async (engine) => {
      const pending: Promise<unknown>[] = [];
      for (const [frame, input] of (await inputs(engine, 40)).entries()) {
        if (isPosed(frame)) shown.push([...engine.pose(input).parameters]);
        else {
          await pending.pop();
          pending.push(engine.render(input));
        }
      }
      await pending.pop();
    });
    return shown;
  };
  t.same(await alternate((frame) => frame % 3 !== 0), await alternate(() => false));
});

t.test("a frame rendered from a pose after a packet is within one level of the frame rendered directly", async (t) => {
  const avatar = await openAvatar(await bakedFace("photograph"), runtime);
  const engine = await createEngine({ avatar, runtime, lipSyncModel });
  let largest = 0;
  try {
    const frames = (await inputs(engine, 40)).filter((_, frame) => frame % 4 === 0);
    for (const [index, input] of frames.entries()) {
      const pose = engine.pose(input);
      const direct = (await engine.renderPose(pose)).data.slice();
      const { parameters, breath } = pose;
      const sent = { index, atMs: 40 * index, isSpeaking: true, isStarved: false, breath, parameters };
      const packet = { epoch: 1, sequence: 1, sentAtMs: 40 * index, cuts: [], frames: [sent] };
      const [received] = decodeMotionPacket(encodeMotionPacket(packet))!.frames;
      t.ok(received.parameters.every((value, k) => Math.abs(value - parameters[k]) < 1e-3));
      const decoded = await engine.renderPose({ ...received, input });
      for (const [i, level] of decoded.data.entries()) largest = Math.max(largest, Math.abs(level - direct[i]));
    }
  } finally {
    await engine.close();
    await avatar.close();
  }
  t.ok(largest <= 1, `differs by ${largest} levels`);
});

t.test("poses that are taken back take no time of the face, whatever was said in them", async (t) => {
  const straight: number[][] = [];
  await withEngine({ seed: 9 }, async (engine) => {
    const spoken = await inputs(engine, 30);
    engine.clear();
    for (const input of [...spoken.slice(0, 20), ...Array(30).fill(SILENCE)])
      straight.push(valuesOf(engine.pose(input)));
  });
  await withEngine({ seed: 9 }, async (engine) => {
    const poses = (await inputs(engine, 30)).map((input) => engine.pose(input));
    engine.takeBack(poses[25]);
    engine.takeBack(poses[20]);
    t.equal(engine.stats().ticks, 20);
    const rest = Array.from({ length: 30 }, () => engine.pose(SILENCE));
    t.same([...poses.slice(0, 20), ...rest].map(valuesOf), straight);
  });
});

t.test("gestures and listening that were commanded since hold when poses are taken back", async (t) => {
  const after = async (command: (engine: Engine) => void, isAhead: boolean) => {
    let values: number[][] = [];
    await withEngine({ seed: 9 }, async (engine) => {
      engine.trigger("wave");
      engine.pose(SILENCE);
      const ahead = isAhead ? Array.from({ length: 12 }, () => engine.pose(SILENCE)) : [];
      let told = 0;
      const endFollowing = engine.onCommand(() => (told += 1));
      command(engine);
      t.equal(told, 1, "who follows is told");
      endFollowing();
      if (isAhead) engine.takeBack(ahead[0]);
      values = Array.from({ length: 40 }, () => valuesOf(engine.pose(SILENCE)));
    });
    return values;
  };
  const commands: Record<string, (engine: Engine) => void> = {
    "a gesture that was triggered": (engine) => engine.trigger("wave"),
    "a gesture that was stopped": (engine) => engine.stopGesture(),
    listening: (engine) => engine.listening(true),
  };
  for (const [title, command] of Object.entries(commands)) {
    t.same(await after(command, true), await after(command, false), title);
  }
  t.notSame(await after(commands["a gesture that was triggered"], true), await after(commands.listening, true));
});

/** Its frames take a moment. */
function slowAvatar(shown: number[][]) {
  return {
    ...posedAvatar(),
    render: async (pose: Float32Array) => {
      shown.push([...pose]);
      const before = pose.slice();
      await new Promise((resolve) => setImmediate(resolve));
      t.same(pose, before, "nothing changes a pose while it is rendered");
      return { data: new Uint8Array((16 * 16 * 3) / 2), widthPx: 16, heightPx: 16 };
    },
  };
}
