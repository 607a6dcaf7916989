// A widget on a site of another origin: what it weighs there, and how soon it shows a face.
import type { Browser } from "playwright-core";
import { percentile } from "../percentile.ts";
import type { DrivenService } from "../service/own-service.ts";
import { type Figure, figure, type Metric, metric, type Spread, spread } from "./figures.ts";
import { measureWidgetHost, widgetScriptBytes } from "./widget-host.ts";
import { measureWidgetOpenings } from "./widget-openings.ts";
import { serveWidgetSite } from "./widget-site.ts";

const GOALS = { scriptKb: 12, requests: 2, layoutShift: 0, threadMs: 20, localMs: 2000, cachedMs: 700 } as const;
/** A page needs this much longer than a listener who waits in the room, ms. */
const STREAMED_BEYOND_SESSION_MS = 500;

export interface WidgetMetrics {
  script_kb: Figure;
  requests_before_opening: Figure;
  layout_shift: Figure;
  /** CPU time, beyond that of the same page without the widget. */
  main_thread_ms: Figure & { with_widget: Spread; without: Spread };
  session_request_to_first_frame_ms: Spread;
  /** The goal is the session's median and half a second. */
  streamed_opened_to_first_frame_ms: Metric;
  local_opened_to_first_frame_ms: Metric;
  local_cached_to_first_frame_ms: Metric;
}

/** Shares the service's agent with everyone. Throws Error if the service refuses. */
export async function benchWidget(
  browser: Browser,
  service: DrivenService,
  times: number,
): Promise<{ widget: WidgetMetrics }> {
  const { baseUrl } = service.client;
  const site = await serveWidgetSite({ baseUrl, agentCode: service.agentCode });
  try {
    await share(service, site.origin);
    const host = await measureWidgetHost(browser, site, times);
    const opened = await measureWidgetOpenings(browser, { service, site, visitors: times });
    const added = percentile(host.threadMs, 0.5) - percentile(host.bareThreadMs, 0.5);
    const session = spread(opened.sessionMs);
    return {
      widget: {
        script_kb: figure((await widgetScriptBytes(baseUrl)) / 1000, GOALS.scriptKb),
        requests_before_opening: figure(host.requests, GOALS.requests),
        layout_shift: figure(host.layoutShift, GOALS.layoutShift),
        main_thread_ms: {
          ...figure(added, GOALS.threadMs),
          with_widget: spread(host.threadMs),
          without: spread(host.bareThreadMs),
        },
        session_request_to_first_frame_ms: session,
        streamed_opened_to_first_frame_ms: metric(opened.streamedMs, session.median + STREAMED_BEYOND_SESSION_MS),
        local_opened_to_first_frame_ms: metric(opened.localMs, GOALS.localMs),
        local_cached_to_first_frame_ms: metric(opened.cachedMs, GOALS.cachedMs),
      },
    };
  } finally {
    await site.close();
  }
}

async function share({ client, apiSecret, agentCode }: DrivenService, origin: string): Promise<void> {
  const answer = await fetch(`${client.baseUrl}/v1/agent/${agentCode}/sharing`, {
    method: "PUT",
    headers: { "api-secret": apiSecret, "content-type": "application/json" },
    body: JSON.stringify({ is_public: true, origins: [origin] }),
  });
  if (!answer.ok) throw new Error(`sharing the agent answered ${answer.status}`);
  await client.allowLocalRendering(agentCode);
}
