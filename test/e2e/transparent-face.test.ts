// Faces on a ground of one colour over a chequered page, in a real browser with WebGL in software: what is transparent,
// what stays, and what the settings change.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import sharp from "sharp";
import t from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { waitFor } from "../helpers/wait-for.ts";

const EMBED = join(import.meta.dirname, "..", "..", "web", "embed");
const SIZE_PX = 256;
const GREEN = [20, 200, 40];
const skip = findChromium() ? false : CHROMIUM_MISSING;
const SETTINGS = { similarity: 0.4, smoothness: 0.08, spill: 0.1, erodePx: 0 };

/** Draws a head of skin and hair on a ground; at 1, it has moved. */
const DRAW = `function draw(context, ground, moved = 0) {
  context.fillStyle = ground;
  context.fillRect(0, 0, ${SIZE_PX}, ${SIZE_PX});
  for (const [colour, y, radius] of [["#281c14", 120, 74], ["#d2a087", 140, 60]]) {
    context.fillStyle = colour;
    context.beginPath();
    context.arc(128, y + moved, radius, 0, 7);
    context.fill();
  }
}`;

/** Sources of a picture by name, as the page has them. */
const SOURCES = `
const ground = "rgb(${GREEN})";
const canvas = (ground) => {
  const made = Object.assign(document.createElement("canvas"), { width: ${SIZE_PX}, height: ${SIZE_PX} });
  draw(made.getContext("2d"), ground);
  return made;
};
const image = async (ground) => {
  const made = new Image();
  made.src = canvas(ground).toDataURL();
  await made.decode();
  return made;
};
const video = async () => {
  const made = canvas(ground);
  let moved = 0;
  setInterval(() => draw(made.getContext("2d"), ground, (moved = 8 - moved)), 40);
  const video = Object.assign(document.createElement("video"), { muted: true, srcObject: made.captureStream(25) });
  await video.play();
  return video;
};
const workerCanvas = async () => {
  const work = draw + \`; onmessage = ({ data }) => {
    const context = data.getContext("2d", { alpha: false });
    const other = new OffscreenCanvas(${SIZE_PX}, ${SIZE_PX}).getContext("2d");
    let moved = 0;
    setInterval(() => {
      draw(other, "\${ground}", (moved = 8 - moved));
      context.putImageData(other.getImageData(0, 0, ${SIZE_PX}, ${SIZE_PX}), 0, 0);
    }, 40);
  };\`;
  const made = Object.assign(document.createElement("canvas"), { width: ${SIZE_PX}, height: ${SIZE_PX} });
  const offscreen = made.transferControlToOffscreen();
  new Worker(URL.createObjectURL(new Blob([work]))).postMessage(offscreen, [offscreen]);
  return made;
};`;

t.test("a face without its ground", { skip, timeout: 180_000 }, async (t) => {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { Stage } from "../shared/stage/stage.ts";
        export { KeyPainter } from "./transparency/key-painter.ts";
        export { KeyedPicture } from "./transparency/keyed-picture.ts";`,
      resolveDir: EMBED,
    },
    bundle: true,
    format: "iife",
    globalName: "parts",
    write: false,
  });
  const style = await readFile(join(EMBED, "..", "shared", "stage", "stage.css"), "utf8");
  await withChromium(
    async (browser) => {
      const page = await browser.newPage({ viewport: { width: SIZE_PX, height: SIZE_PX } });
      await page.setContent(`<!doctype html><style>${style}
        html, body { height: 100%; margin: 0; overflow: hidden; --line: #999; --motion-dissolve: 0s; --motion-out: 0s; }
        body { background: repeating-conic-gradient(#e00 0 25%, #fff 0 50%) 0 0 / 32px 32px; }
        .stage .stage-grid { display: block; padding: 0; }
        .stage .stage-mat { border: 0; padding: 0; }
        .stage .stage-picture { width: ${SIZE_PX}px; height: ${SIZE_PX}px; border-radius: 0; }</style><body>`);
      await page.addScriptTag({ content: `${outputFiles[0]?.text}; ${DRAW} ${SOURCES}` });

      for (const source of ["image(ground)", "video()", "workerCanvas()"]) {
        await t.test(`of ${source.split("(")[0]}`, async (t) => {
          await page.evaluate(`(async () => {
            document.body.replaceChildren();
            window.stage = new parts.Stage({ host: document.body });
            const source = await ${source};
            if (source instanceof HTMLImageElement) stage.showPoster(source.src);
            else stage.setFace(source), stage.reveal();
            const keyed = new parts.KeyedPicture({ ...${JSON.stringify(SETTINGS)}, keyColour: "",
              onShown: (isShown) => stage.showDrawing(isShown) });
            stage.drawOn(keyed.canvas, () => keyed.show(stage.picture));
            keyed.show(stage.picture);
            window.keyed = keyed;
          })()`);
          await page.locator(".stage[data-drawn]").waitFor();
          const first = await seen(page);
          t.ok(near(first.at(6, 6), [238, 0, 0], 20) || near(first.at(6, 6), [255, 255, 255], 6), `${first.at(6, 6)}`);
          t.ok(near(first.at(128, 160), [210, 160, 135], 14), `skin stays: ${first.at(128, 160)}`);
          t.equal(first.greens, 0, "no green is left at the edges");
          if (source !== "image(ground)") {
            await waitFor(async () => !(await seen(page)).data.equals(first.data), "another frame");
            await page.evaluate(
              `stage.root.querySelector(".stage-picture").style.cssText = "width: 64px; height: 64px"`,
            );
            const drawnPx = () => page.evaluate("keyed.canvas.width") as Promise<number>;
            await waitFor(async () => (await drawnPx()) === 64, "no more pixels are drawn than are seen");
          }
          await page.evaluate("keyed.close()");
          t.equal(await page.locator(".stage[data-drawn]").count(), 0, "closed, it shows what is below it");
        });
      }

      await t.test("a ground of no colour, or no picture of ours, is left as it is", async (t) => {
        const isShown = (what: string) =>
          page.evaluate(`(async () => {
            const keyed = new parts.KeyedPicture({ ...${JSON.stringify(SETTINGS)}, keyColour: "",
              onShown: (is) => { window.isShown = is; } });
            keyed.show(await ${what});
            const is = isShown;
            keyed.close();
            return is;
          })()`);
        t.equal(await isShown("image(ground)"), true);
        t.equal(await isShown("image('#888')"), false);
        t.equal(await isShown("Object.assign(document.createElement('canvas'), { width: 9, height: 9 })"), false);
        await page.evaluate("HTMLCanvasElement.prototype.getContext = () => null");
        await t.rejects(isShown("image(ground)"), /no WebGL 2/);
        await page.reload();
      });

      await t.test("what the settings change", async (t) => {
        await page.addScriptTag({ content: `${outputFiles[0]?.text}; ${DRAW} ${SOURCES}` });
        const opacities = (changes: Partial<typeof SETTINGS>, colour = GREEN) =>
          page.evaluate(`(() => {
            const painter = new parts.KeyPainter(${JSON.stringify({ ...SETTINGS, ...changes })});
            painter.paint(canvas(ground), [${SIZE_PX}, ${SIZE_PX}], 1, ${JSON.stringify(colour)});
            const copy = Object.assign(document.createElement("canvas"), { width: ${SIZE_PX}, height: ${SIZE_PX} });
            const context = copy.getContext("2d");
            context.drawImage(painter.canvas, 0, 0);
            painter.close();
            const { data } = context.getImageData(0, 128, ${SIZE_PX}, 1);
            return Array.from({ length: ${SIZE_PX} }, (_, x) => data[4 * x + 3] / 255);
          })()`) as Promise<number[]>;
        const widthOf = (row: number[]) => row.filter((opacity) => opacity > 0.5).length;
        const usual = await opacities({});
        t.ok(Math.abs(widthOf(usual) - 148) <= 5, `the head is as wide as it was drawn: ${widthOf(usual)}`);
        t.equal(usual[0], 0);
        t.equal(usual[128], 1);
        const eroded = widthOf(await opacities({ erodePx: 6 }));
        t.ok(Math.abs(widthOf(usual) - eroded - 12) <= 2, `6 px less at each side: ${eroded}`);
        t.equal(widthOf(await opacities({ similarity: 1 })), 0, "all colours are near");
        t.equal(widthOf(await opacities({ similarity: 0, smoothness: 0, spill: 0 }, [0, 0, 255])), SIZE_PX, "none is");
        const soft = await opacities({ similarity: 0.1, smoothness: 1 });
        t.ok(soft[128] > 0.2 && soft[128] < 0.9, `a wide transition reaches the face: ${soft[128]}`);
      });
    },
    ["--enable-unsafe-swiftshader", "--autoplay-policy=no-user-gesture-required"],
  );
});

interface Seen {
  data: Buffer;
  at(x: number, y: number): number[];
  greens: number;
}

async function seen(page: Page): Promise<Seen> {
  const shot = await page.screenshot();
  const { data } = await sharp(shot).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  let greens = 0;
  for (let at = 0; at < data.length; at += 3)
    if (data[at + 1] > data[at] + 24 && data[at + 1] > data[at + 2] + 24) greens++;
  return { data, greens, at: (x, y) => [...data.subarray(3 * (y * SIZE_PX + x), 3 * (y * SIZE_PX + x) + 3)] };
}

function near(colour: number[], other: number[], by: number): boolean {
  return colour.every((value, index) => Math.abs(value - other[index]) <= by);
}
