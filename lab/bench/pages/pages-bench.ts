// The pages as a visitor meets them, in a real browser in front of a service with one slot.
import type { Browser } from "playwright-core";
import type { Progress } from "../../../cli/start/progress.ts";
import { round } from "../round.ts";
import { type DrivenService, startOwnService } from "../service/own-service.ts";
import { withChromium } from "../with-chromium.ts";
import { benchConsole, type ConsoleMetrics } from "./console-bench.ts";
import { measureCreateView } from "./create-view.ts";
import { measureDemoStarts, measureReloads } from "./demo-times.ts";
import { type Figure, figure, type Metric, metric, type Spread, spread } from "./figures.ts";
import { measureFirstView } from "./first-view.ts";
import { bakeLargeFace } from "./large-face.ts";
import { measureLocalFace, measureLocalStarts } from "./local-face.ts";
import { measureOwnPicture } from "./own-picture.ts";
import { benchWidget, type WidgetMetrics } from "./widget-bench.ts";

/** Addresses for the first view. */
const PAGES = ["/", "/demo", "/local", "/realtime", "/docs", "/account/plan", "/nowhere"] as const;
/** A visitor with a camera and a microphone, and sound without a tap. */
const FLAGS = [
  "--autoplay-policy=no-user-gesture-required",
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream",
];
const GOALS = {
  movesMs: 4000,
  speaksMs: 5000,
  demoStartMs: 1200,
  reloadMs: 1500,
  firstViewKb: 200,
  wordMs: 10_000,
} as const;
/** Of a face that the tab renders. */
const LOCAL_GOALS = {
  firstMs: 2000,
  cachedMs: 700,
  firstViewKb: 2000,
  secondViewKb: 0,
  fps: 25,
  cpuPercent: 20,
  largeCpuPercent: 30,
  cpuMsPerFrame: 13,
  longestTaskMs: 50,
  offsetsPercent: 95,
} as const;

export interface PagesBenchOptions {
  environment: Readonly<Record<string, string | undefined>>;
  progress: Progress;
  /** Repetitions; each metric is a median of them. */
  times: number;
  /** Only parts with this in their name. */
  only?: string;
  /** Receives what must be closed if the bench is interrupted. */
  onClose(close: () => Promise<void>): void;
}

interface FirstViewMetric {
  kb: number;
  goal: number;
  header_kb: number;
  /** Portraits, models and bundles. */
  content_kb: number;
  requests: number;
}

/** What the chosen parts have measured. */
export interface PagesMetrics {
  picture_to_moving_face_ms?: Metric;
  make_it_talk_to_first_word_ms?: Metric;
  /** In the console, clicks at once. */
  picture_to_first_word_ms?: Metric;
  /** Where that time goes: each from the picture on. */
  picture_to_steps_ms?: Record<"face_in_the_tab" | "order_accepted" | "avatar_made", Spread>;
  demo_opened_to_first_frame_ms?: Metric;
  reload_to_first_frame_ms?: Metric;
  first_view_kb?: Record<string, FirstViewMetric>;
  local_starts?: LocalStartMetrics;
  local_face?: LocalFaceMetrics;
  /** Of 720 × 720 pixels. */
  local_face_720?: Pick<LocalFaceMetrics, "fps" | "cpu_percent_of_a_core">;
  widget?: WidgetMetrics;
  console?: ConsoleMetrics;
}

/** How soon a face is there that the tab renders. */
interface LocalStartMetrics {
  opened_to_first_frame_ms: Metric;
  cached_to_first_frame_ms: Metric;
  /** Until the face follows the avatar. */
  opened_to_live_ms: Spread;
  cached_to_live_ms: Spread;
  first_view_kb: Figure & { bundle_kb: number };
  second_view_kb: Figure;
}

/** The same face while it speaks. */
interface LocalFaceMetrics {
  fps: Figure;
  cpu_percent_of_a_core: Figure;
  cpu_ms_per_frame: Figure;
  longest_task_ms: Figure;
  offsets_within_percent: Figure & { offsets_ms: number[] };
}

interface PagesBench {
  browser: Browser;
  service: DrivenService;
  times: number;
}

interface PagesPart {
  name: string;
  measure(bench: PagesBench): Promise<PagesMetrics>;
}

const PARTS: readonly PagesPart[] = [
  {
    name: "demo",
    async measure({ browser, service, times }) {
      const starts = await measureDemoStarts(browser, service.client.baseUrl, times);
      return { demo_opened_to_first_frame_ms: metric(starts, GOALS.demoStartMs) };
    },
  },
  {
    name: "reload",
    async measure({ browser, service, times }) {
      const reloads = await measureReloads(browser, service.client.baseUrl, times);
      return { reload_to_first_frame_ms: metric(reloads, GOALS.reloadMs) };
    },
  },
  { name: "first-view", measure: measureFirstViews },
  { name: "local-starts", measure: benchLocalStarts },
  { name: "local-face", measure: benchLocalFace },
  { name: "local-face-720", measure: benchLargeFace },
  { name: "widget", measure: ({ browser, service, times }) => benchWidget(browser, service, times) },
  {
    name: "console",
    measure: async ({ browser, service, times }) => ({ console: await benchConsole(browser, service, times) }),
  },
  {
    name: "create",
    async measure({ browser, service, times }) {
      const { chosenMs, acceptedMs, madeMs, wordMs } = await measureCreateView(browser, service, times);
      return {
        picture_to_first_word_ms: metric(wordMs, GOALS.wordMs),
        picture_to_steps_ms: {
          face_in_the_tab: spread(chosenMs),
          order_accepted: spread(acceptedMs),
          avatar_made: spread(madeMs),
        },
      };
    },
  },
  {
    name: "own-picture",
    async measure({ browser, service, times }) {
      const { movesMs, speaksMs } = await measureOwnPicture(browser, service.client.baseUrl, times);
      return {
        picture_to_moving_face_ms: metric(movesMs, GOALS.movesMs),
        make_it_talk_to_first_word_ms: metric(speaksMs, GOALS.speaksMs),
      };
    },
  },
];

/** Measures the parts, one after the other. Throws RangeError if no part is chosen. */
export async function benchPages(options: PagesBenchOptions): Promise<PagesMetrics> {
  const { environment, progress, times, only = "", onClose } = options;
  const chosen = PARTS.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) throw new RangeError(`--only: parts are ${PARTS.map(({ name }) => name).join(", ")}`);
  const start = () =>
    startOwnService({
      environment: { ...environment, AVATAR_MAX_SESSIONS: "1" },
      report: (line) => progress.note(line),
    });
  const service = await progress.step("service", start, ({ client }) => client.baseUrl);
  onClose(service.close);
  return withChromium(async (browser) => {
    const metrics: PagesMetrics = {};
    for (const { name, measure } of chosen) {
      const work = () => measure({ browser, service, times });
      Object.assign(metrics, await progress.step(name, work, () => "measured"));
    }
    return metrics;
  }, FLAGS);
}

async function measureFirstViews({ browser, service }: PagesBench): Promise<PagesMetrics> {
  const views: Record<string, FirstViewMetric> = {};
  for (const path of PAGES) {
    const { bytes, headerBytes, contentBytes, requests } = await measureFirstView(
      browser,
      `${service.client.baseUrl}${path}`,
    );
    views[path] = {
      kb: round(bytes / 1000),
      goal: GOALS.firstViewKb,
      header_kb: round(headerBytes / 1000),
      content_kb: round(contentBytes / 1000),
      requests,
    };
  }
  return { first_view_kb: views };
}

async function benchLocalStarts({ browser, service, times }: PagesBench): Promise<PagesMetrics> {
  const starts = await measureLocalStarts(browser, service, times);
  return {
    local_starts: {
      opened_to_first_frame_ms: metric(starts.firstMs, LOCAL_GOALS.firstMs),
      cached_to_first_frame_ms: metric(starts.cachedMs, LOCAL_GOALS.cachedMs),
      opened_to_live_ms: spread(starts.firstLiveMs),
      cached_to_live_ms: spread(starts.cachedLiveMs),
      first_view_kb: {
        ...figure(starts.bytes / 1000, LOCAL_GOALS.firstViewKb),
        bundle_kb: round(starts.bundleBytes / 1000),
      },
      second_view_kb: figure(starts.secondBytes / 1000, LOCAL_GOALS.secondViewKb),
    },
  };
}

async function benchLocalFace({ browser, service }: PagesBench): Promise<PagesMetrics> {
  const run = await measureLocalFace(browser, service);
  return {
    local_face: {
      fps: figure(run.fps, LOCAL_GOALS.fps),
      cpu_percent_of_a_core: figure(100 * run.cpuShare, LOCAL_GOALS.cpuPercent),
      cpu_ms_per_frame: figure(run.cpuMsPerFrame, LOCAL_GOALS.cpuMsPerFrame),
      longest_task_ms: figure(run.longestTaskMs, LOCAL_GOALS.longestTaskMs),
      offsets_within_percent: { ...figure(100 * run.within, LOCAL_GOALS.offsetsPercent), offsets_ms: run.offsetsMs },
    },
  };
}

async function benchLargeFace({ browser, service }: PagesBench): Promise<PagesMetrics> {
  const { fps, cpuShare } = await measureLocalFace(browser, service, await bakeLargeFace());
  return {
    local_face_720: {
      fps: figure(fps, LOCAL_GOALS.fps),
      cpu_percent_of_a_core: figure(100 * cpuShare, LOCAL_GOALS.largeCpuPercent),
    },
  };
}
