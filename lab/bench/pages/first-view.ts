// What a browser fetches until a page can be used for the first time.
import type { Browser, Cookie, Response } from "playwright-core";

/** Portraits, models and bundles are what a page is about; they are not counted. */
const CONTENT = /\.(imx|onnx|bin|png|jpe?g|webp|wav|mp3|ogg|opus)(\?|$)|\/samples\/|\/poster/;
/** A page is usable once nothing has been fetched for this long. */
const QUIET_MS = 700;
const TIMEOUT_MS = 30_000;

export interface FirstView {
  /** Bytes over the wire, compressed as the service sends them, without headers. */
  bytes: number;
  headerBytes: number;
  /** Portraits, models and bundles besides. */
  contentBytes: number;
  requests: number;
}

/** Opens an address in a browser profile that has the cookies and nothing else. */
export async function measureFirstView(
  browser: Browser,
  address: string,
  cookies: readonly Cookie[] = [],
): Promise<FirstView> {
  const context = await browser.newContext();
  try {
    await context.addCookies([...cookies]);
    const page = await context.newPage();
    const responses: Response[] = [];
    let lastMs = performance.now();
    page.on("response", (response) => {
      responses.push(response);
      lastMs = performance.now();
    });
    await page.goto(address, { waitUntil: "load" });
    const endMs = performance.now() + TIMEOUT_MS;
    while (performance.now() - lastMs < QUIET_MS && performance.now() < endMs) await page.waitForTimeout(50);
    const view = { bytes: 0, headerBytes: 0, contentBytes: 0, requests: 0 };
    for (const response of responses) {
      // A stream of events never ends.
      const type = await response.headerValue("content-type").catch(() => null);
      if (type?.startsWith("text/event-stream")) continue;
      const sizes = await response
        .request()
        .sizes()
        .catch(() => undefined);
      if (!sizes) continue;
      if (CONTENT.test(response.url())) view.contentBytes += sizes.responseBodySize;
      else view.bytes += sizes.responseBodySize;
      view.headerBytes += sizes.responseHeadersSize;
      view.requests += 1;
    }
    return view;
  } finally {
    await context.close();
  }
}
