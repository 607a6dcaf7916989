// A page in a real browser that uses a package of `sdk/`, for tests and benchmarks.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { withChromium } from "../../../lab/bench/with-chromium.ts";

/** What a page needs that has a strict policy. */
export const STRICT_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src 'self' blob:; media-src 'self' blob:";
const CONTENT_TYPES: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript" };

export interface PackagePageOptions {
  /** Source of the page's script. */
  script: string;
  /** Served beside it, by name. */
  files?: Readonly<Record<string, Uint8Array>>;
  /** Default: STRICT_POLICY. */
  policy?: string;
  flags?: readonly string[];
}

export interface PackagePage {
  page: Page;
  browser: Browser;
  /** Loads it with another policy, in the same browser. */
  load(policy: string): Promise<void>;
}

/** Builds the page with Vite, serves it on loopback, opens it in headless Chromium, and closes everything afterwards.
 *  Throws what `withChromium` throws. */
export async function withPackagePage<T>(
  { script, files = {}, policy = STRICT_POLICY, flags = [] }: PackagePageOptions,
  work: (page: PackagePage) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "package-page-"));
  let served = policy;
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://page").pathname);
    const bytes = files[path.slice(1)] ?? (await readFile(join(folder, "dist", path)).catch(() => undefined));
    const type = CONTENT_TYPES[extname(path)] ?? "application/octet-stream";
    response.writeHead(bytes ? 200 : 404, { "content-type": type, "content-security-policy": served }).end(bytes);
  });
  try {
    await buildPage(folder, script);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/index.html`;
    return await withChromium(async (browser) => {
      const page = await browser.newPage();
      const load = async (next: string) => {
        served = next;
        await page.goto(address);
      };
      await load(policy);
      return work({ page, browser, load });
    }, flags);
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function buildPage(folder: string, script: string): Promise<void> {
  const { build } = await import("vite");
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  await writeFile(join(folder, "main.ts"), script.replaceAll("@open-avatar/engine", join(root, "sdk/engine/tab.ts")));
  const markup = '<!doctype html><title>page</title><canvas></canvas><script type="module" src="./main.ts"></script>';
  await writeFile(join(folder, "index.html"), markup);
  await build({
    configFile: false,
    logLevel: "error",
    root: folder,
    base: "./",
    publicDir: false,
    resolve: { preserveSymlinks: true },
    worker: { format: "es" },
    // The policy allows no data: addresses.
    build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  });
}
