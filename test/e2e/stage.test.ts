// The stage in a real browser: how large the face is, and what lies on it, in every state and at every size.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import t from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { axeViolations } from "../helpers/pages/axe-violations.ts";

const PROJECT = join(import.meta.dirname, "..", "..");
const PORTRAIT = join(PROJECT, "models", "gallery", "lady-agnew.jpg");
const SIZES = [
  [320, 400],
  [320, 480],
  [360, 480],
  [390, 300],
  [390, 480],
  [390, 844],
  [640, 200],
  [640, 400],
  [768, 1024],
  [1280, 800],
  [1920, 1080],
] as const;
const LONG = "These words are long enough for several lines below a small face. ".repeat(4);

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("the face keeps its size, and nothing lies on it", { skip, timeout: 240_000 }, async (t) => {
  const { outputFiles } = await build({
    entryPoints: [join(PROJECT, "web", "shared", "stage", "stage.ts")],
    bundle: true,
    format: "iife",
    globalName: "stages",
    write: false,
  });
  const styles = await Promise.all(
    ["look.css", "controls.css", "stage/stage.css"].map((name) =>
      readFile(join(PROJECT, "web", "shared", name), "utf8"),
    ),
  );
  // The fonts are left out: their addresses are the build's.
  const tokens = (await readFile(join(PROJECT, "web", "shared", "tokens.css"), "utf8")).replace(
    /@font-face \{[^}]*\}/g,
    "",
  );
  const portrait = `data:image/jpeg;base64,${(await readFile(PORTRAIT)).toString("base64")}`;

  await withChromium(async (browser) => {
    const page = await browser.newPage();
    await page.setContent(`<!doctype html><html lang="en"><head><title>Stage</title><style>${tokens} ${styles.join(" ")}
      html, body { height: 100%; } main { --stage-reserve: 190px; height: 100dvh; } .lines { margin: 0; }</style></head><body><main></main></body>`);
    await page.addScriptTag({ content: outputFiles[0]?.text });
    await page.evaluate(`(async () => {
      const element = (html) => Object.assign(document.createElement("div"), { innerHTML: html });
      const canvas = Object.assign(document.createElement("canvas"), { width: 512, height: 512 });
      canvas.getContext("2d").fillRect(0, 0, 512, 512);
      window.stage = new stages.Stage({
        host: document.querySelector("main"), heading: 1, face: canvas,
        actions: element('<button class="chip" type="button">Nod</button>'),
        transcript: element('<ol class="lines"><li>Hello</li></ol>'),
        composer: element('<button class="main" type="button">Talk</button><br><input aria-label="Message">'),
      });
      stage.setName("Lady Agnew");
      stage.setDisclosure(true);
      stage.showPoster(${JSON.stringify(portrait)});
    })()`);
    await page.waitForFunction("document.querySelector('.stage-poster').complete");
    const ratioOf = (poster: string, ratio?: number) =>
      page.evaluate(`new Promise((resolve) => {
        const shown = () => resolve(Number(stage.root.style.getPropertyValue("--ratio")));
        document.querySelector(".stage-poster").addEventListener("load", shown, { once: true });
        stage.showPoster(${JSON.stringify(poster)}, ${ratio});
      })`);
    t.equal(await ratioOf(`${portrait}#2`, 2), 2, "a picture of another shape is cut to the face that comes");
    t.not(await ratioOf(portrait), 2, "else the picture gives the shape");

    for (const ratio of [1, 16 / 9, 9 / 16]) {
      for (const [width, height] of SIZES) {
        await page.setViewportSize({ width, height });
        await page.evaluate(`stage.setRatio(${ratio}); stage.setTranscript("auto")`);
        const before = await boxOf(page, ".stage-picture");
        const name = `${width} × ${height}, ratio ${ratio.toFixed(2)}`;
        t.ok(before.bottom - before.top >= 0.4 * height, `${name}: the face has 40 % of the height`);
        t.ok(
          before.left >= 0 && before.top >= 0 && before.right <= width && before.bottom <= height,
          `${name}: inside`,
        );
        await page.evaluate(`stage.reveal(); stage.setState("speaking"); stage.showCaption(${JSON.stringify(LONG)})`);
        t.same(await boxOf(page, ".stage-picture"), before, `${name}: it stays as it is while the avatar speaks`);
        for (const selector of [".stage-caption", ".stage-label", ".stage-actions", ".stage-composer"]) {
          t.notOk(overlaps(await boxOf(page, selector), before), `${name}: ${selector} does not lie on it`);
        }
        const composer = await boxOf(page, ".stage-composer");
        if (height >= 400) t.ok(composer.bottom <= height, `${name}: the composer is in view`);
        await page.evaluate(`stage.setState("listening"); stage.setLevel(1); stage.setTranscript("open")`);
        t.same(await boxOf(page, ".stage-picture"), before, `${name}: nor while the visitor speaks`);
        t.notOk(overlaps(await boxOf(page, ".stage-transcript"), before), `${name}: the transcript does not lie on it`);
        t.notOk(await page.locator(".stage-caption").isVisible(), `${name}: words are shown once`);
        await page.evaluate(
          `stage.showNotice({ title: "Ended", text: "Thank you.", actions: [{ label: "Again", act() {} }] })`,
        );
        t.same(await boxOf(page, ".stage-picture"), before, `${name}: nor beside a notice`);
        t.notOk(overlaps(await boxOf(page, ".stage-notice"), before), `${name}: which does not lie on it`);
        await page.evaluate(`stage.showNotice(undefined); stage.cover(); stage.showCaption(undefined)`);
      }
    }

    for (const colorScheme of ["light", "dark"] as const) {
      for (const state of ["waiting", "idle", "listening", "thinking", "speaking", "lost", "away"]) {
        await page.emulateMedia({ colorScheme });
        await page.evaluate(`stage.setState(${JSON.stringify(state)})`);
        t.same(await axeViolations(page), [], `${state}, ${colorScheme}`);
      }
    }
  });
});

t.test("the poster stays until the face moves", { skip, timeout: 60_000 }, async (t) => {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { Stage } from "./stage.ts"; window.stage = new Stage({ host: document.body });`,
      resolveDir: join(PROJECT, "web", "shared", "stage"),
    },
    bundle: true,
    format: "iife",
    write: false,
  });
  const style = await readFile(join(PROJECT, "web", "shared", "stage", "stage.css"), "utf8");
  await withChromium(async (browser) => {
    const page = await browser.newPage({ reducedMotion: "reduce" });
    await page.setContent(`<style>${style}</style>`);
    await page.addScriptTag({ content: outputFiles[0]?.text });
    const opacity = () => page.evaluate("Number(getComputedStyle(stage.face).opacity)");
    t.equal(await opacity(), 0);
    await page.evaluate("stage.reveal()");
    t.equal(await opacity(), 1);
    await page.evaluate(`stage.setFace(document.createElement("canvas"))`);
    t.equal(await opacity(), 0, "another source starts behind the poster again");
    await page.evaluate(`stage.showPoster("data:image/png;base64,broken")`);
    await page.waitForFunction("document.querySelector('.stage-poster').hidden", undefined, { timeout: 5_000 });
    t.ok(true, "a picture that cannot be loaded leaves a silhouette");
  });
});

async function boxOf(page: Page, selector: string): Promise<Box> {
  return (await page.evaluate(`(({ left, top, right, bottom }) => ({ left, top, right, bottom }))(
    document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`)) as Box;
}

function overlaps(a: Box, b: Box): boolean {
  // A box of no size lies on nothing; one pixel is rounding.
  const hasSize = a.right - a.left > 0 && a.bottom - a.top > 0;
  return hasSize && a.left < b.right - 1 && a.right > b.left + 1 && a.top < b.bottom - 1 && a.bottom > b.top + 1;
}
