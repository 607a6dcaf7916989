import { readFile } from "node:fs/promises";
import t from "tap";
import {
  bakeImx,
  choosePortraitFace,
  createEngine,
  createNodeRuntime,
  decodeImage,
  FaceFinder,
  loadBakeTools,
  loadFaceModels,
  loadLipSyncModel,
  openAvatar,
  readImx,
  writeImx,
} from "../../src/index.ts";

t.test("the library renders video frames from a photograph and audio, without the service", async (t) => {
  const runtime = createNodeRuntime();
  const portrait = await decodeImage(await readFile(new URL("../fixtures/portraits/astronaut.png", import.meta.url)));
  const finder = await FaceFinder.load(runtime, await loadFaceModels());
  const face = await choosePortraitFace(portrait, finder);
  await finder.close();
  const { imx } = await bakeImx(portrait, { points: face.landmarks.points }, await loadBakeTools(runtime), {
    family: "essence-2-light",
  });
  const avatar = await openAvatar(await readImx(await writeImx(imx)), runtime);
  const engine = await createEngine({ avatar, runtime, lipSyncModel: await loadLipSyncModel(), sampleRateHz: 16_000 });

  const segment = engine.openSegment("greeting", 16_000);
  segment.push(Int16Array.from({ length: 16_000 }, (_, i) => 9000 * Math.sin(i / 20) * Math.sin(i / 900)));
  segment.end();
  const events = [];
  const frames = new Set<string>();
  for (let tick = 0; tick < 40; tick++) {
    const { videoFrame, audio, events: happened } = await engine.tick();
    t.equal(videoFrame.data.length, (avatar.widthPx * avatar.heightPx * 3) / 2);
    t.equal(audio.length, 640);
    frames.add(Buffer.from(videoFrame.data).toString("base64"));
    events.push(...happened.map((event) => event.type));
  }
  t.same(events, ["segment-started", "segment-finished"]);
  t.ok(frames.size > 30, `the face moves: ${frames.size} different frames of 40`);
  await engine.close();
  await avatar.close();
});
