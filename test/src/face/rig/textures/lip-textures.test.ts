import t from "tap";
import { createFaceGeometry } from "../../../../../src/face/rig/measure/face-geometry.ts";
import { luma, type Rgb } from "../../../../../src/face/rig/measure/rgb.ts";
import { createLipTextures } from "../../../../../src/face/rig/textures/lip-textures.ts";
import { drawnFace, finder, photographedFace } from "../../../../helpers/faces/face-of.ts";

t.teardown(() => finder.close());

for (const [name, face] of [
  ["photograph", await photographedFace()],
  ["drawing", await drawnFace()],
] as const) {
  const geometry = createFaceGeometry(face.points, face.image.widthPx);
  const { jawAlpha, jawColour, headColour, creases } = createLipTextures(face.image, geometry);
  const { mouth, regionPx } = geometry;
  const { frame, innerHalfWidth } = mouth;
  /** Place in the region above the lower lip, by u as a share of the opening's half width. */
  const above = (share: number, height: number) => {
    const u = share * innerHalfWidth;
    const v = mouth.innerLower(u) - height;
    return Math.round(frame.toY(u, v)) * regionPx + Math.round(frame.toX(u, v));
  };

  t.test(`${name}: flesh between the lips covers more and more of the opening towards its corners`, async (t) => {
    for (const side of [-1, 1]) {
      const cover = [0.2, 0.7, 0.8, 0.9].map((share) => jawAlpha.data[above(side * share, 0.08)]);
      t.equal(cover[0], 0, "none in the middle");
      const atEdge = [0.5, 0.6, 0.7].map((share) => jawAlpha.data[above(side * share, 0)]);
      t.ok(Math.min(...atEdge) > 0.95, `no dark line between it and the lip: ${atEdge}`);
      t.ok(cover[1] > 0.1 && cover[1] < cover[2] && cover[1] < cover[3] && cover[3] > 0.8, `${cover}`);
    }
  });

  t.test(`${name}: what a smile that is taken back had of creases is kept`, async (t) => {
    if (name === "drawing") {
      t.equal(creases, null, "none where the mouth is calm");
      return;
    }
    const level = (data: ArrayLike<number>, at: number) =>
      luma(Array.from({ length: 3 }, (_, i) => data[3 * at + i]) as unknown as Rgb);
    let deepest = 0;
    creases?.data.forEach((crease, at) => {
      if (crease >= -0.05 || Math.abs(frame.u(at % regionPx, Math.floor(at / regionPx))) < 1.1) return;
      deepest = Math.min(deepest, crease);
      const [before, restored] = [level(face.image.data, at), (1 + crease) * level(headColour.data, at)];
      if (Math.abs(before - restored) > 1) t.fail(`${before} in the picture, ${restored} with its crease`);
    });
    t.ok(deepest < -0.1, `creases of ${deepest}`);
  });

  t.test(`${name}: flesh is darker than the lip, and not black`, async (t) => {
    const level = (at: number) =>
      luma([jawColour.data[3 * at], jawColour.data[3 * at + 1], jawColour.data[3 * at + 2]]);
    for (const side of [-0.8, 0.8]) {
      const [flesh, lip] = [level(above(side, 0.1)), level(above(side, -0.08))];
      t.ok(flesh > 20 && flesh < 0.8 * lip, `${flesh} of ${lip}`);
    }
  });
}
