// The archive of the engine as programs get it: in an empty project, with and without a bundler.
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { build } from "esbuild";
import t, { type Test } from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../../lab/bench/with-chromium.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { bakedFace } from "../../helpers/faces/baked-face.ts";
import { folderSize } from "../../helpers/packages/folder-size.ts";
import type { PackedProject } from "../../helpers/packages/packed-project.ts";
import { withPackedProject } from "../../helpers/packages/with-packed-project.ts";

const MAX_INSTALLED_BYTES = 15e6;
/** Frames of the fixture. */
const FRAMES = 76;
const DIST = "/node_modules/@open-avatar/engine/dist/";
const IMPORT_MAP = `<script type="importmap">{ "imports": { "@open-avatar/engine": "${DIST}tab.js" } }</script>`;
const PAGE_SCRIPT = `
import { bake, open } from "@open-avatar/engine";
const assets = document.body.dataset.assets;
globalThis.used = (async () => {
  const avatar = await open("/face.imx", { assets });
  let frames = 0;
  for await (const _ of avatar.render("/said.wav", { format: "bitmap" })) frames++;
  await avatar.show(document.querySelector("canvas"));
  return [frames, await bake("/face.jpg", { assets }).catch(({ code, message }) => code + ": " + message)];
})().catch(({ name, message }) => [name + ": " + message]);
`;

t.test("the archive renders by itself, and names what bakes and writes films", async (t) => {
  const imx = await writeImx(await bakedFace("photograph", "essence-2-light"));
  const wav = await readFile(new URL("../../fixtures/speech/weather-en.wav", import.meta.url));
  const jpeg = await readFile(new URL("../../fixtures/portraits/turned.jpg", import.meta.url));
  await withPackedProject({ packages: ["engine"] }, async (project) => {
    const { folder } = project;
    const files = { "face.imx": imx, "said.wav": wav, "face.jpg": jpeg };
    for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
    const installed = await folderSize(join(folder, "node_modules"));
    t.ok(installed < MAX_INSTALLED_BYTES, `${Math.round(installed / 1e5) / 10} MB are installed`);
    await runsInNode(t, project);
    if (findChromium()) await runsInPages(t, folder);
    else t.comment(CHROMIUM_MISSING);
  });
});

async function runsInNode(t: Test, project: PackedProject): Promise<void> {
  const printed = await project.runModule(`
import { bake, open } from "@open-avatar/engine";
const avatar = await open("face.imx");
let frames = 0;
for await (const { frame } of avatar.render("said.wav")) frames += frame.data.length > 0;
const words = (work) => work().then(() => "none", ({ code, message }) => code + ": " + message);
console.log(JSON.stringify([
  frames,
  await words(() => bake("face.jpg")),
  await words(() => avatar.render("said.wav").toFile("film.mp4")),
]));`);
  const [frames, baking, film] = JSON.parse(printed);
  t.equal(frames, FRAMES);
  t.equal(baking, "unavailable: bake() needs sharp and onnxruntime-node: npm install sharp onnxruntime-node");
  t.match(film, /^none$|^unavailable: toFile\(\) needs FFmpeg: npm install node-av, or install ffmpeg/);
}

async function runsInPages(t: Test, folder: string): Promise<void> {
  const page = (body: string, script: string) =>
    `<!doctype html>${IMPORT_MAP}<body ${body}><canvas></canvas><script type="module" src="${script}"></script>`;
  await writeFile(join(folder, "main.js"), PAGE_SCRIPT);
  await writeFile(join(folder, "plain.html"), page("", "/main.js"));
  await writeFile(join(folder, "bundled.html"), page(`data-assets="${DIST}"`, "/esbuild.js"));
  await writeFile(join(folder, "index.html"), page("", "/main.js").replace(IMPORT_MAP, ""));
  const [entry, outfile] = [join(folder, "main.js"), join(folder, "esbuild.js")];
  await build({ entryPoints: [entry], outfile, bundle: true, format: "esm", target: "es2022", logLevel: "silent" });
  const vite = await import("vite");
  const outDir = join(folder, "vite");
  await vite.build({
    configFile: false,
    root: folder,
    base: "/vite/",
    logLevel: "silent",
    publicDir: false,
    build: { outDir },
  });

  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://page").pathname);
    const bytes = await readFile(join(folder, path)).catch(() => undefined);
    const type = { ".html": "text/html", ".js": "text/javascript" }[extname(path)] ?? "application/octet-stream";
    response.writeHead(bytes ? 200 : 404, { "content-type": type }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await withChromium(async (browser) => {
      const tab = await browser.newPage();
      for (const path of ["plain.html", "vite/index.html", "bundled.html"]) {
        await tab.goto(`${origin}/${path}`);
        const [frames, baking] = await tab.evaluate<[number, string]>("used");
        t.equal(frames, FRAMES, path);
        t.match(baking, /^unavailable: .*npm install onnxruntime-web/, `${path}: without the optional package`);
      }
    });
  } finally {
    server.close();
  }
}
