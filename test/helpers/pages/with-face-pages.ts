// Pages with the plain module script of `<avatar-face>`, as its package has it, in a real browser under a strict
// policy.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { withChromium } from "../../../lab/bench/with-chromium.ts";
import { bundlePackage, SCRIPT_FOLDER } from "../../../lab/packages/bundle-package.ts";
import { readSourcePackages } from "../../../lab/packages/source-package.ts";
import { RECORDER, RECORDER_PATH } from "./face-element-sync.ts";

/** The policy that the package's README documents. */
export const FACE_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src 'self'; media-src 'self'";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  "": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".wasm": "application/wasm",
  ".wav": "audio/wav",
};

export interface FacePagesOptions {
  /** Files that pages may fetch, by name. */
  files: Readonly<Record<string, Uint8Array>>;
  /** More flags for Chromium. */
  flags?: readonly string[];
}

export interface FacePageOptions extends BrowserContextOptions {
  /** What the body holds. */
  body: string;
  /** Default FACE_POLICY. */
  policy?: string;
  /** Put before a file of the package. */
  before?: { file: string; script: string };
  /** Runs in the page before its scripts. */
  initScript?: string;
  /** What follows "#" in the address. */
  hash?: string;
  /** Answers a file only after this, ms. */
  delays?: Readonly<Record<string, number>>;
}

export interface FacePages {
  browser: Browser;
  /** The folder with the script and what lies beside it. */
  folder: string;
  origin: string;
  /** A page with the script. `problems`: its errors, violations of its policy, requests to elsewhere. */
  open(options: FacePageOptions): Promise<{ page: Page; problems: readonly string[] }>;
}

/** Bundles the package, serves it, and closes everything afterwards. Throws what `withChromium` throws. */
export async function withFacePages<T>(options: FacePagesOptions, work: (pages: FacePages) => Promise<T>): Promise<T> {
  const stage = await mkdtemp(join(tmpdir(), "face-pages-"));
  const folder = join(stage, SCRIPT_FOLDER);
  const opened: FacePageOptions[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.headers.referer ?? request.url ?? "/", "http://page");
    const page = opened[Number(searchParams.get("page") ?? opened.length - 1)];
    void answer(request, response, { folder, page, files: options.files });
  });
  try {
    const packages = await readSourcePackages();
    await bundlePackage(packages.find((one) => one.folder === "face")!, packages, stage);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return await withChromium(
      (browser) =>
        work({
          browser,
          folder,
          origin,
          async open(page) {
            const index = opened.push(page) - 1;
            return openPage(browser, page, `${origin}/?page=${index}#${page.hash ?? ""}`);
          },
        }),
      options.flags,
    );
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(stage, { recursive: true, force: true });
  }
}

async function openPage(browser: Browser, options: FacePageOptions, url: string) {
  const { body: _, policy: __, before: ___, initScript, delays: ____, hash: _____, ...contextOptions } = options;
  const context = await browser.newContext({ viewport: { width: 390, height: 700 }, ...contextOptions });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const problems: string[] = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(url).origin)) problems.push(`the page requested ${request.url()}`);
  });
  // The loader of this program names functions by a helper that the tab lacks.
  await page.addInitScript("globalThis.__name = (named) => named");
  if (initScript) await page.addInitScript(initScript);
  await page.goto(url);
  return { page, problems };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { folder, page, files }: { folder: string; page: FacePageOptions; files: Readonly<Record<string, Uint8Array>> },
): Promise<void> {
  const name = basename(new URL(request.url ?? "/", "http://page").pathname);
  const bytes = await contentOf(name, { folder, page, files });
  await new Promise((resolve) => setTimeout(resolve, page.delays?.[name] ?? 0));
  response.setHeader("Content-Security-Policy", page.policy ?? FACE_POLICY);
  response.setHeader("Content-Type", CONTENT_TYPES[extname(name)] ?? "application/octet-stream");
  // The browser asks for an icon on its own.
  response.statusCode = bytes ? 200 : name === "favicon.ico" ? 204 : 404;
  response.end(bytes);
}

async function contentOf(
  name: string,
  { folder, page, files }: { folder: string; page: FacePageOptions; files: Readonly<Record<string, Uint8Array>> },
): Promise<Uint8Array | string | undefined> {
  if (name === "")
    return `<!doctype html><html lang="en"><title>Face</title><script type="module" src="/avatar-face.js"></script><body><main><h1>Face</h1>${page.body}</main></body></html>`;
  if (name === basename(RECORDER_PATH)) return RECORDER;
  if (files[name]) return files[name];
  const bytes = await readFile(join(folder, name)).catch(() => undefined);
  return bytes && page.before?.file === name ? `${page.before.script}\n${bytes}` : bytes;
}
