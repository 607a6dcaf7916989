// Runs the engine in a tab of a real browser, for benchmarks and for comparison with Node.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants as zlib } from "node:zlib";
import type { Page } from "playwright-core";
import { buildMeasurePage } from "../../web/build.ts";
import type { Measure } from "../../web/measure/main.ts";
import { withChromium } from "./with-chromium.ts";

/** As the build of the pages compresses large files. */
const compress = (bytes: Uint8Array) =>
  promisify(brotliCompress)(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: 9, [zlib.BROTLI_PARAM_LGWIN]: 24 } });
/** As strict as the api's for the page of the same purpose. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};

export interface EngineTabOptions {
  /** Files that the page may fetch, by name: bundles and graphs. */
  files: Readonly<Record<string, Uint8Array>>;
  /** Forbids WebAssembly by the policy. Default false. */
  forbidsWasm?: boolean;
  /** Paths that are not found. */
  missing?: RegExp;
  /** Additional flags for Chromium. */
  flags?: readonly string[];
}

/** A tab that has loaded the engine. */
export interface EngineTab {
  /** Calls a function of `web/measure` there. */
  call<Name extends keyof Measure>(name: Name, ...values: Parameters<Measure[Name]>): ReturnType<Measure[Name]>;
  /** CPU time that the tab's process has used since it started, ms. */
  cpuMs(): Promise<number>;
  /** True if the browser offers WebGPU here. */
  hasWebGpu(): Promise<boolean>;
  /** Compressed size of what the tab fetched of the page's own files since it was loaded, by path. */
  fetchedBytes(): Promise<ReadonlyMap<string, number>>;
  /** Errors that the page reported so far, and its requests to other origins. */
  readonly problems: readonly string[];
}

/** Builds the page, serves it on loopback, opens it in headless Chromium, and closes everything afterwards. Throws
 *  what `withChromium` throws. */
export async function withEngineTab<T>(options: EngineTabOptions, work: (tab: EngineTab) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "engine-tab-"));
  const fetched = new Set<string>();
  const server = createServer((request, response) => {
    fetched.add(pathOf(request));
    void answer(request, response, folder, options);
  });
  try {
    await buildMeasurePage(folder);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return await withChromium(async (browser) => {
      const page = await browser.newPage();
      const problems = watch(page, origin);
      await page.goto(`${origin}/index.html`);
      fetched.clear();
      const system = await browser.newBrowserCDPSession();
      return work({
        problems,
        call: <Name extends keyof Measure>(name: Name, ...values: Parameters<Measure[Name]>) =>
          page.evaluate(`measure.${name}(...${JSON.stringify(values)})`) as ReturnType<Measure[Name]>,
        async cpuMs() {
          const { processInfo } = await system.send("SystemInfo.getProcessInfo");
          const renderers = processInfo.filter(({ type }) => type === "renderer");
          return 1000 * Math.max(0, ...renderers.map(({ cpuTime }) => cpuTime));
        },
        async fetchedBytes() {
          const paths = [...fetched].filter((path) => path.startsWith("/assets/"));
          const sizes = paths.map(async (path) => (await compress(await readFile(join(folder, path)))).length);
          return new Map((await Promise.all(sizes)).map((size, index) => [paths[index], size]));
        },
        hasWebGpu: () =>
          page.evaluate(`navigator.gpu ? navigator.gpu.requestAdapter().then((adapter) => adapter !== null) : false`),
      });
    }, options.flags);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Collects errors of a page, and its requests to origins other than its own. */
export function watch(page: Page, origin: string): string[] {
  const problems: string[] = [];
  page.on("console", (message) => {
    // Only errors count: policy violations and failed loads.
    if (message.type() === "error") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith("blob:")) problems.push(`the page requested ${url}`);
  });
  return problems;
}

/** Normalized from the root, so that no path leads out of the folder. */
function pathOf(request: IncomingMessage): string {
  return normalize(`/${new URL(request.url ?? "/", "http://page").pathname}`);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  folder: string,
  { files, forbidsWasm = false, missing }: EngineTabOptions,
): Promise<void> {
  const path = pathOf(request);
  const bytes = files[path.slice(1)] ?? (await readFile(join(folder, path)).catch(() => null));
  response.setHeader("Content-Security-Policy", forbidsWasm ? POLICY.replace(" 'wasm-unsafe-eval'", "") : POLICY);
  response.setHeader("Content-Type", CONTENT_TYPES[extname(path)] ?? "application/octet-stream");
  // The browser asks for an icon on its own.
  response.statusCode = bytes && !missing?.test(path) ? 200 : path === "/favicon.ico" ? 204 : 404;
  response.end(response.statusCode === 200 ? bytes : undefined);
}
