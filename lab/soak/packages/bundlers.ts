// The packages for pages in a real browser, built by the bundlers that pages are built with, and without any.
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type { Browser } from "playwright-core";
import type { PackedProject } from "../../../test/helpers/packages/packed-project.ts";
import { withPackedProject } from "../../../test/helpers/packages/with-packed-project.ts";
import { waitFor } from "../../../test/helpers/wait-for.ts";
import { withChromium } from "../../bench/with-chromium.ts";
import { ROOT } from "../../packages/source-package.ts";

/** They are no packages of this repository, so the check names their versions. */
const WEBPACK = ["webpack@5.112.2", "webpack-cli@6.0.1"] as const;
const SHOWN_WITHIN_MS = 60_000;
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};
/** As the packages' READMEs say. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src 'self' blob: data:; style-src 'self'; media-src 'self' blob:";

interface Bundler {
  name: string;
  /** The page's module, which imports the packages. */
  module: string;
  /** Makes the site in the folder `dist` of the project, from `main.js` and `index.html`. */
  build(project: PackedProject): Promise<unknown>;
}

const FACE = 'import "@open-avatar/face";\n';
const ENGINE = moduleWith('import { open } from "@open-avatar/engine";');
const PACKAGES = "node_modules/@open-avatar";

const BUNDLERS: readonly Bundler[] = [
  {
    name: "vite",
    module: FACE + ENGINE,
    build: (project) => project.run("npx", ["vite", "build", "--base", "./"]),
  },
  {
    name: "webpack",
    module: FACE + ENGINE,
    async build(project) {
      await project.run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--legacy-peer-deps", ...WEBPACK]);
      await project.run("npx", ["webpack", "--mode", "production", "--entry", "./main.js", "--output-path", "dist"]);
      await cp(join(project.folder, "index.html"), join(project.folder, "dist", "index.html"));
    },
  },
  {
    name: "esbuild",
    module: `import "/script/avatar-face.js";\n${moduleWith('import { open } from "@open-avatar/engine";', '{ assets: "/engine/" }')}`,
    async build(project) {
      const { folder } = project;
      const flags = ["--bundle", "--format=esm", "--outdir=dist", "--external:/script/*", "--external:onnxruntime-web"];
      await project.run("npx", ["esbuild", "main.js", ...flags]);
      await cp(join(folder, PACKAGES, "engine/dist"), join(folder, "dist/engine"), { recursive: true });
      await cp(join(folder, PACKAGES, "face/script"), join(folder, "dist/script"), { recursive: true });
      await cp(join(folder, "index.html"), join(folder, "dist/index.html"));
    },
  },
  {
    name: "no bundler",
    module: `import "/script/avatar-face.js";\n${moduleWith('import { open } from "/engine/tab.js";')}`,
    async build({ folder }) {
      await cp(join(folder, PACKAGES, "engine/dist"), join(folder, "dist/engine"), { recursive: true });
      await cp(join(folder, PACKAGES, "face/script"), join(folder, "dist/script"), { recursive: true });
      for (const name of ["index.html", "main.js"]) await cp(join(folder, name), join(folder, "dist", name));
    },
  },
];

const PAGE = `<!doctype html>
<html lang="en">
  <title>page</title>
  <canvas></canvas>
  <avatar-face src="/maya.imx"></avatar-face>
  <script type="module" src="./main.js"></script>
</html>
`;

/** Names of those with which a page shows no face, with what went wrong. */
export async function checkBundlers(report: (line: string) => void): Promise<string[]> {
  const violations: string[] = [];
  await withChromium(async (browser) => {
    for (const bundler of BUNDLERS) {
      const failure = await check(bundler, browser).catch((error: Error) => error);
      if (failure) violations.push(`${bundler.name}: ${failure.message}`);
      report(`${bundler.name}: ${failure ? failure.message : "the engine and <avatar-face> show a face"}`);
    }
  });
  return violations;
}

async function check({ module, build }: Bundler, browser: Browser): Promise<undefined> {
  await withPackedProject({ packages: ["engine", "face"], also: ["vite", "esbuild"] }, async (project) => {
    const { folder } = project;
    const site = join(folder, "dist");
    await writeFile(join(folder, "index.html"), PAGE);
    await writeFile(join(folder, "main.js"), module);
    await mkdir(site);
    await build(project);
    const bake = ["--import", "tsx", join(ROOT, "cli/avatar.ts"), "bake", join(ROOT, "models/gallery/amara.png")];
    await project.link("tsx");
    await project.run(process.execPath, [...bake, "--output", join(site, "maya.imx")]);
    await showSite(site, browser);
  });
}

async function showSite(site: string, browser: Browser): Promise<void> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url!, "http://site");
    const file = join(site, pathname === "/" ? "index.html" : pathname);
    const bytes = await readFile(file).catch(() => null);
    if (bytes === null) return response.writeHead(404).end();
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    return response.writeHead(200, { "content-type": type, "content-security-policy": POLICY }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("requestfailed", (request) => problems.push(`${request.url()} failed`));
  try {
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const isShown = () =>
      page.evaluate(() => {
        const face = document.querySelector("avatar-face") as HTMLElement & { state?: string };
        return document.title === "shown" && face.state === "idle";
      });
    await waitFor(isShown, "both faces", SHOWN_WITHIN_MS).catch((error: Error) => {
      throw new Error(`${error.message}: ${problems.join("; ")}`);
    });
  } finally {
    await page.close();
    server.close();
  }
}

/** A page's module that shows a face on its canvas. */
function moduleWith(imports: string, options = "{}"): string {
  return `${imports}
const avatar = await open("/maya.imx", ${options});
await avatar.show(document.querySelector("canvas"));
document.title = "shown";
`;
}
