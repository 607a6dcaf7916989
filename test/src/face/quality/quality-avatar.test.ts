import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { isEngineError } from "../../../../shared/engine-error.ts";
import { createEngine } from "../../../../src/face/engine/create-engine.ts";
import { loadLipSyncModel } from "../../../../src/face/lip-sync/lip-sync-model.ts";
import { openFamilyAvatar } from "../../../../src/face/quality/open-family-avatar.ts";
import type { I420Frame } from "../../../../src/signal/image/i420-frame.ts";
import { GraphBuilder } from "../../../../src/signal/onnx/graph-builder.ts";
import { bakedFace } from "../../../helpers/faces/baked-face.ts";
import { finder, runtime } from "../../../helpers/faces/face-of.ts";
import { smallQualityNetwork } from "../../../helpers/faces/small-quality-network.ts";
import { BILABIAL_SENTENCES, speakSentences } from "../../../helpers/speech/spoken.ts";

t.teardown(() => finder.close());
const folder = t.testdir();
const imx = await bakedFace("drawing", "essence-2-light");
const box = imx.manifest.face!;

async function networkFile(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

async function refusal(path: string | undefined): Promise<{ code: string; message: string }> {
  try {
    await (await openFamilyAvatar(imx, "essence-2-quality", { runtime, qualityNetworkPath: path })).close();
  } catch (error) {
    if (isEngineError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: "", message: "" };
}

/** Mean red-difference chroma (V) of a part of the face, given in shares of its box. */
function redness(frame: I420Frame, [from, to]: readonly [number, number]): number {
  const start = (frame.widthPx * frame.heightPx * 5) / 4;
  let sum = 0;
  let count = 0;
  for (let y = Math.ceil(box.y + from * box.heightPx); y < box.y + to * box.heightPx; y += 2) {
    for (let x = Math.ceil(box.x + 0.3 * box.widthPx); x < box.x + 0.7 * box.widthPx; x += 2, count++) {
      sum += frame.data[start + (y >> 1) * (frame.widthPx >> 1) + (x >> 1)];
    }
  }
  return sum / count;
}

const EYES = [0.2, 0.42] as const;
const MOUTH = [0.66, 0.82] as const;

for (const facePx of [96, 256]) {
  t.test(`a network of ${facePx} px renders the lower face during speech, and nothing else`, async (t) => {
    const path = await networkFile(`mouth-${facePx}.onnx`, smallQualityNetwork(facePx));
    const avatar = await openFamilyAvatar(imx, "essence-2-quality", { runtime, qualityNetworkPath: path });
    const engine = await createEngine({ avatar, runtime, lipSyncModel: await loadLipSyncModel() });
    const [sentence] = await speakSentences([BILABIAL_SENTENCES[2]], ["F1"]);
    const idle = (await engine.tick()).videoFrame;
    const before = { eyes: redness(idle, EYES), mouth: redness(idle, MOUTH) };
    const segment = engine.openSegment("speech", sentence.sampleRateHz);
    segment.push(sentence.samples);
    segment.end();
    const mouths: number[] = [];
    let eyes = 0;
    for (let tick = 0; tick < 50; tick++) {
      const { videoFrame, isSpeaking } = await engine.tick();
      if (!isSpeaking) continue;
      mouths.push(redness(videoFrame, MOUTH) - before.mouth);
      eyes = Math.max(eyes, Math.abs(redness(videoFrame, EYES) - before.eyes));
    }
    t.ok(Math.max(...mouths) > 25, `the mouth is the network's: ${Math.max(...mouths).toFixed(1)}`);
    t.ok(new Set(mouths.map((value) => value.toFixed())).size > 5, "and follows the audio");
    t.ok(
      Math.max(...mouths.slice(1).map((value, i) => value - mouths[i])) < 0.6 * Math.max(...mouths),
      "it comes softly",
    );
    t.ok(eyes < 6, `the eyes are the rig's: ${eyes.toFixed(1)}`);
    engine.clear();
    for (let tick = 0; tick < 25; tick++) await engine.tick();
    const after = redness((await engine.tick()).videoFrame, MOUTH);
    t.ok(Math.abs(after - before.mouth) < 3, "at rest the mouth is the rig's again");
    await engine.close();
    await avatar.close();
  });
}

t.test(
  "without a network the model is not offered, and a network of another kind is refused with its kind",
  async (t) => {
    t.match(await refusal(undefined), { code: "no-mouth-network", message: /not offered/ });
    t.match(await refusal(join(folder, "none.onnx")), { code: "unavailable", message: /cannot be read/ });
    const text = await networkFile("text.onnx", new TextEncoder().encode("no network at all, but long enough"));
    t.match(await refusal(text), { code: "unavailable", message: /not an ONNX file/ });
    const wrong = await networkFile("wrong.onnx", smallQualityNetwork(128));
    t.match(await refusal(wrong), { message: /face \[batch, 6, 128, 128\].*inputs must be mel/ });
    const broken = new GraphBuilder("broken");
    broken.input("mel", "float32", [1, 1, 80, 16]);
    broken.input("face", "float32", [1, 6, 96, 96]);
    broken.output("picture", "float32", [1, 3, 96, 96]);
    broken.node("NoSuchOperator", ["face"], {}, "picture");
    t.match(await refusal(await networkFile("broken.onnx", broken.toModel())), { message: /cpu cannot load it/ });
    t.equal((await refusal(await networkFile("good.onnx", smallQualityNetwork(96)))).code, "");
    const { face: _, ...faceless } = imx.manifest;
    const old = openFamilyAvatar({ ...imx, manifest: faceless }, "essence-2-quality", {
      runtime,
      qualityNetworkPath: join(folder, "good.onnx"),
    });
    await t.rejects(old, { code: "bundle-outdated" });
  },
);
