// What a creation says at once about a portrait that does not suit its canvas.
import { readFileSync } from "node:fs";
import sharp from "sharp";
import t from "tap";
import { warnOfPortrait } from "../../../../api/agents/portraits/portrait-warnings.ts";
import { ASPECT_RATIOS, CANVAS_SIZES } from "../../../../src/face/figure/canvas-sizes.ts";
import { faceOval } from "../../../../src/face/portrait/face-points.ts";
import { framePortrait } from "../../../../src/face/rig/measure/frame-portrait.ts";
import { createRgbImage } from "../../../../src/signal/image/raster.ts";
import { withIdleApi } from "../../../helpers/service/with-api.ts";

const astronaut = readFileSync(new URL("../../../fixtures/portraits/astronaut.png", import.meta.url));
/** Close to the face. */
const FACE = { left: 125, top: 10, width: 200, height: 200 };

t.test("a creation warns at submit of a portrait that is too tight or too small for its canvas", async (t) => {
  await withIdleApi(async (api) => {
    const { secret } = await api.addAccount({ plan: "custom", credits: 20_000 });
    let agents = 0;
    const warningsFor = async (portrait: Buffer, aspectRatio: string, model = "essence-1") => {
      const image = portrait.toString("base64");
      const request = {
        agent_id: `nova-${++agents}`,
        prompt: "You are Nova.",
        model,
        image,
        aspect_ratio: aspectRatio,
      };
      const { status, body } = await api.call("POST", "/v1/agent/generate", { secret, body: request });
      t.equal(status, 200, JSON.stringify(body));
      return body.warnings;
    };
    const tight = await sharp(astronaut).extract(FACE).resize(400, 400).png().toBuffer();
    t.match(await warningsFor(tight, "16:9"), [
      {
        code: "PICTURE_TOO_TIGHT",
        message: /^The image shows too little for 16:9: it fills about \d\d % of the width/,
      },
    ]);
    t.match(await warningsFor(tight, "9:16", "auto"), [{ code: "PICTURE_TOO_TIGHT", message: /% of the height/ }]);
    t.equal(await warningsFor(tight, "1:1"), undefined);
    t.equal(await warningsFor(tight, "16:9", "expression-2"), undefined, "its face has not been looked for");
    t.equal(await warningsFor(astronaut, "16:9"), undefined);
    const small = await sharp(tight).resize(150).png().toBuffer();
    const tooSmall = { code: "PICTURE_TOO_SMALL", message: /^The image is enlarged about 3\.\d times/ };
    t.match(await warningsFor(small, "1:1"), [tooSmall]);
    t.match(await warningsFor(small, "1:1", "expression-2"), [{ ...tooSmall, message: /at least 3\.4 times/ }]);
  });
});

t.test("what it warns of holds for the frame that is baked", async (t) => {
  const json: number[][] = JSON.parse(readFileSync("models/gallery/maya.points.json", "utf8"));
  const points = Float32Array.from(json.flat());
  const faceHeightPx = faceOval(points).heightPx;
  const seen = { warned: 0, silent: 0 };
  for (const aspectRatio of ASPECT_RATIOS) {
    const canvas = CANVAS_SIZES[aspectRatio];
    for (const widthPx of [500, 768]) {
      for (const heightPx of [620, 1400]) {
        const codes = warnOfPortrait({ size: { widthPx, heightPx }, faceHeightPx }, aspectRatio).map(
          ({ code }) => code,
        );
        const { backdrop } = framePortrait(createRgbImage(widthPx, heightPx), points, { canvas, regionPx: 384 });
        const isTight = codes.includes("PICTURE_TOO_TIGHT");
        if (isTight) t.not(backdrop, "none", `${widthPx} × ${heightPx} on ${aspectRatio}`);
        seen[isTight ? "warned" : "silent"] += 1;
      }
    }
  }
  t.ok(seen.warned >= 3 && seen.silent >= 3, JSON.stringify(seen));
});
