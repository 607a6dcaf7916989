// The embed page in Firefox: a face that the tab renders becomes live and speaks, also where the stream was wanted and
// the browser cannot decode it.
import { setTimeout as delay } from "node:timers/promises";
import { type DrivenService, startOwnService } from "../../bench/service/own-service.ts";
import type { FirefoxTab } from "../browser/firefox-tab.ts";
import { withFirefox } from "../browser/with-firefox.ts";

const TIMEOUT_MS = 60_000;
const SPEECH_MS = 9_500;
const SENTENCES = "Papa bought five open boxes. My mother always heard a far piano.";
/** Reading the canvas of a worker blocks Firefox's page for ten seconds at times; these gaps are the sampler's. */
const BLOCKED_MS = 1_000;
/** On a busy machine; 25 are drawn. */
const LEAST_FPS = 20;

/** Counts pictures that differ, in the tab. */
const SAMPLE = `void (() => {
  const small = new OffscreenCanvas(48, 48).getContext("2d", { willReadFrequently: true });
  globalThis.changes = [];
  let before = "";
  const look = (nowMs) => {
    small.drawImage(document.querySelector(".stage-face"), 0, 0, 48, 48);
    const now = small.getImageData(0, 0, 48, 48).data.join();
    if (now !== before) changes.push(nowMs);
    before = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;

export interface FirefoxSoakOptions {
  environment: Readonly<Record<string, string | undefined>>;
  report(line: string): void;
}

interface FaceInFirefox {
  live_ms: number;
  /** Pictures that differ, while it speaks. */
  fps: number;
}

export interface FirefoxSoakResult {
  browser: string;
  /** By what the page's address asks for. */
  faces: Record<string, FaceInFirefox>;
  violations: string[];
}

/** Throws StartError if there is no Firefox, and Error if a face does not become live. */
export async function soakFirefox({ environment, report }: FirefoxSoakOptions): Promise<FirefoxSoakResult> {
  const service = await startOwnService({ environment: { ...environment, AVATAR_LIVEKIT_OWN_ADDRESS: "1" }, report });
  try {
    return await withFirefox(environment, async ({ name, openTab }) => {
      const result: FirefoxSoakResult = { browser: name, faces: {}, violations: [] };
      for (const render of ["local", "auto", "stream"]) {
        const tab = await openTab();
        result.faces[render] = await watchFace(tab, service, render, result.violations);
        await tab.close();
      }
      return result;
    });
  } finally {
    await service.close();
  }
}

async function watchFace(
  tab: FirefoxTab,
  service: DrivenService,
  render: string,
  violations: string[],
): Promise<FaceInFirefox> {
  const { baseUrl } = service.client;
  const startMs = performance.now();
  const token = await mintToken(service, `${render} ${Date.now()}`);
  await tab.goto(`${baseUrl}/embed/${service.agentCode}?render=${render}#token=${token}`);
  await tab.until(`document.querySelector("#page")?.dataset.state === "live"`, TIMEOUT_MS);
  const liveMs = Math.round(performance.now() - startMs);
  await tab.evaluate(`void document.querySelector("#puppet").click()`);
  await tab.evaluate(`void (() => {
    const text = document.querySelector("#text");
    text.value = ${JSON.stringify(SENTENCES)};
    text.dispatchEvent(new Event("input", { bubbles: true }));
    text.form.requestSubmit();
  })()`);
  await tab.until(`document.querySelector("#page").textContent.includes("Papa bought five")`, TIMEOUT_MS);
  await tab.evaluate(SAMPLE);
  await delay(SPEECH_MS);
  const changes = await tab.evaluate<number[]>("changes");
  const gaps = changes.slice(1).map((atMs, i) => atMs - changes[i]);
  const seen = gaps.filter((gapMs) => gapMs < BLOCKED_MS);
  const fps = seen.length === 0 ? 0 : (1000 * seen.length) / seen.reduce((sum, gapMs) => sum + gapMs, 0);
  if (fps < LEAST_FPS) violations.push(`${render}: ${fps.toFixed(1)} fps`);
  violations.push(...tab.log.filter((line) => line.startsWith("error")).map((line) => `${render}: ${line}`));
  return { live_ms: liveMs, fps: Math.round(10 * fps) / 10 };
}

async function mintToken({ client, apiSecret, agentCode }: DrivenService, fingerprint: string): Promise<string> {
  const answer = await fetch(`${client.baseUrl}/v1/embed-tokens/request`, {
    method: "POST",
    headers: { "api-secret": apiSecret, "content-type": "application/json" },
    body: JSON.stringify({ agent_id: agentCode, fingerprint }),
  });
  return ((await answer.json()) as { data: { token: string } }).data.token;
}
