// A host of MCP Apps in a real browser: its page, and apps in frames without an origin, under a policy of the test.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core";
import { withChromium } from "../../../lab/bench/with-chromium.ts";
import type { HostPageOptions } from "./app-host-page.ts";

/** What hosts apply where a resource names no origins. Source: the specification of MCP Apps, 2026-01-26. */
export const DEFAULT_APP_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";
/** Of a host that lets WebAssembly and workers run, and nothing else. */
export const WASM_APP_POLICY = `${DEFAULT_APP_POLICY.replace("'unsafe-inline'", "'unsafe-inline' 'wasm-unsafe-eval' blob: data:")}; worker-src blob:`;

const PAGE = fileURLToPath(new URL("./app-host-page.ts", import.meta.url));

export interface ShownApp extends Omit<HostPageOptions, "frame" | "theme"> {
  html: string;
  policy: string;
  theme?: "light" | "dark";
  /** What the host passes on. */
  callTool(name: string, given: Record<string, unknown>): Promise<Record<string, unknown>>;
  context?: BrowserContextOptions;
  /** Runs in the frame before its scripts. */
  initScript?: string;
}

export interface OpenedApp {
  page: Page;
  frame: Frame;
  /** Errors of the console and of scripts. */
  problems: string[];
  /** What was requested from elsewhere than the host. */
  requests: string[];
}

export interface AppHost {
  browser: Browser;
  open(app: ShownApp): Promise<OpenedApp>;
}

/** Gives `work` a host, and closes it afterwards. Throws what `withChromium` throws. */
export async function withAppHost<T>(work: (host: AppHost) => Promise<T>): Promise<T> {
  const { outputFiles } = await build({
    entryPoints: [PAGE],
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    logLevel: "silent",
  });
  const script = outputFiles[0].text;
  const apps: ShownApp[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://host");
    const app = apps[Number(searchParams.get("app") ?? -1)];
    if (pathname === "/app" && app) response.setHeader("Content-Security-Policy", app.policy);
    else if (pathname !== "/host" && pathname !== "/host.js")
      response.statusCode = pathname === "/favicon.ico" ? 204 : 404;
    response.setHeader("Content-Type", pathname === "/host.js" ? "text/javascript" : "text/html; charset=utf-8");
    response.end(pathname === "/app" ? app?.html : pathname === "/host.js" ? script : HOST);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return await withChromium((browser) =>
      work({ browser, open: (app) => open(browser, app, `${origin}/app?app=${apps.push(app) - 1}`) }),
    );
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const HOST = `<!doctype html><html lang="en"><title>Conversation</title>
<style>body { margin: 0; padding: 12px; font: 15px system-ui } body[data-theme="dark"] { background: #222; color: #eee } iframe { width: 100%; height: 200px; border: 1px solid #8888; border-radius: 12px }</style>
<body><main><h1>Conversation</h1></main><script src="/host.js"></script></body></html>`;

async function open(browser: Browser, app: ShownApp, address: string): Promise<OpenedApp> {
  const { origin } = new URL(address);
  const { html: _, policy: __, callTool, context: options, theme = "light", initScript, ...shown } = app;
  const context = await browser.newContext({ viewport: { width: 720, height: 700 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  context.on("request", (request) => {
    if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url())) requests.push(request.url());
  });
  await page.exposeFunction("callTool", callTool);
  // The loader of this program names functions by a helper that the tab lacks.
  await page.addInitScript("globalThis.__name = (named) => named");
  if (initScript) await page.addInitScript(initScript);
  await page.goto(`${origin}/host`);
  const opening = { ...shown, theme, frame: address };
  await page.evaluate((given) => window.showApp(given), opening);
  const frame = page.frames().find((one) => one.url() === address);
  if (!frame) throw new Error("the host shows no frame");
  return { page, frame, problems, requests };
}
