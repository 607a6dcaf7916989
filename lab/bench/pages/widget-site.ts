// A site of another origin with a widget on it.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface WidgetSite {
  origin: string;
  /** A page with a floating widget: followed by who is to render, `stream` or `local`. */
  withWidget: string;
  /** The same page without it. */
  without: string;
  close(): Promise<void>;
}

/** Serves the pages on a free port. */
export async function serveWidgetSite(service: { baseUrl: string; agentCode: string }): Promise<WidgetSite> {
  const server = createServer(({ url = "/" }, answer) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    if (pathname !== "/") return answer.writeHead(404).end();
    const render = searchParams.get("render");
    answer.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(pageWith(service, render));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  // Another site than 127.0.0.1, so that the frame has a process of its own.
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    withWidget: `${origin}/?render=`,
    without: `${origin}/`,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function pageWith({ baseUrl, agentCode }: { baseUrl: string; agentCode: string }, render: string | null): string {
  const tag = `<script src="${baseUrl}/widget.js" data-agent-id="${agentCode}" data-render="${render}"></script>`;
  const text = "<p>Bread and cakes, baked every morning.</p>".repeat(20);
  return `<!doctype html><html lang="en"><title>A shop</title><link rel="icon" href="data:,">
    <meta name="viewport" content="width=device-width"><body><h1>A shop</h1>${text}${render ? tag : ""}`;
}
