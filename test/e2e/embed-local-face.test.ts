// The embed page with a face that its tab renders, in a real browser and a real room. The avatar in the room is of this
// test, so that it can be older, refuse, stall and leave.
import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AccessToken } from "livekit-server-sdk";
import type { Browser, Page } from "playwright-core";
import t, { type Test } from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import type { WatchNeeds, WatchReply } from "../../shared/watch.ts";
import type { Imx } from "../../src/face/imx/imx.ts";
import { sha256Hex } from "../../src/face/imx/sha256.ts";
import { writeImx } from "../../src/face/imx/write-imx.ts";
import { joinSamples } from "../../src/signal/audio/join-samples.ts";
import { bakedFace } from "../helpers/faces/baked-face.ts";
import { MotionAvatar } from "../helpers/rooms/motion-avatar.ts";
import { type TestStack, withStack } from "../helpers/service/with-stack.ts";
import { speakSentences } from "../helpers/speech/spoken.ts";
import { waitFor } from "../helpers/wait-for.ts";

const ARTIFACTS = join(import.meta.dirname, "..", ".artifacts");
const HOUR_MS = 3_600_000;
const SENTENCES = [
  "Papa bought five open boxes. Oh, my mother always heard a far piano, and we saw a big brown owl go by.",
  "Papa bought a map of Panama, and my mother saw a big open boat. Oh, far away, an owl hummed all morning.",
];
const BUSY: WatchReply = { ok: false, code: "SERVICE_UNAVAILABLE", message: "No room for video." };
const FORBIDDEN: WatchReply = { ok: false, code: "FORBIDDEN", message: "Not in this session." };

/** How many pictures of the canvas differ, looking every 20 ms. */
const COUNT_CHANGES = `window.changesOf = async (ms) => {
  const canvas = document.querySelector("canvas.stage-face");
  const small = new OffscreenCanvas(32, 32).getContext("2d", { willReadFrequently: true });
  const untilMs = performance.now() + ms;
  let before, changes = 0;
  while (performance.now() < untilMs) {
    small.drawImage(canvas, 0, 0, 32, 32);
    const now = small.getImageData(0, 0, 32, 32).data.join();
    if (before !== undefined && now !== before) changes += 1;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return changes;
};`;
/** A page that can be hidden: a headless browser has no other tab in front. */
const HIDEABLE = `(() => {
  let isHidden = false;
  Object.defineProperty(document, "visibilityState", { get: () => (isHidden ? "hidden" : "visible") });
  window.hide = (next) => {
    isHidden = next;
    document.dispatchEvent(new Event("visibilitychange"));
  };
})();`;

/** A device that draws one frame in 90 ms. */
const SLOW_DRAWING = `{
  const { putImageData } = OffscreenCanvasRenderingContext2D.prototype;
  OffscreenCanvasRenderingContext2D.prototype.putImageData = function (...drawn) {
    const untilMs = performance.now() + 90;
    while (performance.now() < untilMs);
    return Reflect.apply(putImageData, this, drawn);
  };
}`;
/** Sums up the video that the page receives, over all its connections. */
const COUNT_VIDEO = `(() => {
  const connections = [];
  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(...options) {
      super(...options);
      connections.push(this);
    }
  };
  window.videoBytes = async () => {
    let bytes = 0;
    for (const connection of connections)
      for (const one of (await connection.getStats()).values())
        if (one.type === "inbound-rtp" && one.kind === "video") bytes += one.bytesReceived;
    return bytes;
  };
})();`;

/** Whether a file was requested, and answered. */
const FETCHED_BUNDLE = `performance.getEntriesByType("resource").some(({ name }) => name.includes("/embed/bundle"))`;

interface Meeting {
  page: Page;
  avatar: MotionAvatar;
  /** Another avatar of the same identity. */
  joinAgain(): Promise<MotionAvatar>;
}

interface MeetingOptions {
  render: "local" | "auto" | "stream";
  answer?: ((needs: WatchNeeds) => WatchReply) | null;
  /** Version byte of the avatar's motion; default the present one. */
  motionVersion?: number;
  /** What the file's requests get; default the file. */
  file?: (bytes: Uint8Array) => Uint8Array;
  /** Default: local. */
  renderer?: "local" | "stream";
  /** Replaces a part of the page's policy. */
  policy?: (policy: string) => string;
  /** Put before the script of the face's worker. */
  workerScript?: string;
  /** The file that the page is told of before its session. Default: none. */
  early?: "same" | "older" | "gone";
  /** Its session is answered then. */
  begins?: Promise<void>;
}

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("the tab renders the avatar", { skip, timeout: 420_000 }, async (t) => {
  const imx = await bakedFace("photograph");
  const bytes = await writeImx(imx);
  const sha256 = await sha256Hex(bytes);
  const spoken = await speakSentences(SENTENCES, ["F1"]);
  const speech = { samples: joinSamples(spoken.map(({ samples }) => samples)), sampleRateHz: spoken[0].sampleRateHz };
  await mkdir(ARTIFACTS, { recursive: true });

  await withStack((stack) =>
    withChromium(
      async (browser) => {
        const meet = (options: MeetingOptions, use: (meeting: Meeting) => Promise<void>) =>
          withMeeting(browser, stack, { ...options, imx, bytes, sha256 }, use);

        await t.test("it moves, speaks and falls silent without a byte of video", (t) =>
          meet({ render: "local" }, async ({ page, avatar }) => {
            await untilState(page, "live");
            t.same(avatar.asked, ["motion"]);
            await moves(page, 10, "it moves");
            avatar.say(speech);
            await page.waitForTimeout(2500);
            await page.screenshot({ path: join(ARTIFACTS, "embed-local-face.png") });
            await moves(page, 20, "it speaks");
            avatar.interrupt();
            await page.waitForTimeout(400);
            await moves(page, 10, "it goes on after an interruption");
            t.equal(await videoBytes(page), 0);
          }),
        );
        await t.test("the face stands at rest while the session begins, which may have another file", async (t) => {
          for (const early of ["same", "older", "gone"] as const) {
            let begin = (): void => undefined;
            const begins = new Promise<void>((resolve) => {
              begin = resolve;
            });
            await meet({ render: "local", early, begins }, async ({ page, avatar }) => {
              // The page's policy forbids what `waitForFunction` does.
              if (early === "gone")
                await waitFor(() => page.evaluate(FETCHED_BUNDLE) as Promise<boolean>, "the request");
              else await page.locator(".stage[data-face=alive]").waitFor();
              t.equal(await page.locator("#page").getAttribute("data-state"), "connecting", early);
              t.equal(await changes(page, 300), 0, "it does not move");
              t.same(avatar.asked, []);
              begin();
              await untilState(page, "live");
              await moves(page, 10, "it moves");
              t.same(avatar.asked, ["motion"]);
            });
          }
        });
        await t.test("a hidden page renders nothing, and comes back in step after an hour", (t) =>
          meet({ render: "auto" }, async ({ page, avatar }) => {
            await untilState(page, "live");
            await page.evaluate("hide(true)");
            await page.waitForTimeout(200);
            t.equal(await changes(page, 1500), 0);
            t.equal(await page.evaluate("document.getElementById('audio').paused"), false, "it is still heard");
            avatar.advanceClock(HOUR_MS);
            await page.waitForTimeout(1500);
            await page.evaluate("hide(false)");
            await page.waitForTimeout(200);
            await moves(page, 10, "it moves again");
          }),
        );
        await t.test("motion and audio that stall and burst move on, and another avatar takes over", (t) =>
          meet({ render: "auto" }, async ({ page, avatar, joinAgain }) => {
            await untilState(page, "live");
            avatar.say(speech);
            for (const stall of ["isStalled", "isFrozen"] as const) {
              avatar[stall] = true;
              await page.waitForTimeout(1200);
              avatar[stall] = false;
              await page.waitForTimeout(300);
              await moves(page, 20, "it moves after the burst");
            }
            await avatar.close();
            await untilState(page, "reconnecting");
            const next = await joinAgain();
            await untilState(page, "live");
            t.same(next.asked, ["motion"]);
            await moves(page, 10, "the next one moves");
          }),
        );
        await t.test(
          "a visitor takes the stream of a slow device's face, which stays while there is none",
          async (t) => {
            let isBusy = true;
            const answer = (needs: WatchNeeds): WatchReply =>
              needs === "video" && isBusy ? BUSY : { ok: true, renders: needs };
            await meet({ render: "auto", answer, workerScript: SLOW_DRAWING }, async ({ page, avatar }) => {
              await untilState(page, "live");
              const offer = page.locator(".stage-notice", { hasText: "This device is slow" });
              await offer.waitFor();
              t.match(await offer.textContent(), /of 25 frames a second/);
              t.equal(await videoBytes(page), 0, "it does not change by itself");
              await page.getByRole("button", { name: "Show the video" }).click();
              await page.locator(".stage-notice", { hasText: "No video is free" }).waitFor();
              await moves(page, 2, "the local face stays");
              isBusy = false;
              await page.getByRole("button", { name: "Try again" }).click();
              await page.locator("video.stage-face").waitFor();
              await waitFor(async () => (await videoBytes(page)) > 0, "video");
              await untilState(page, "live");
              await page.locator(".stage[data-face=alive]").waitFor();
              t.same(avatar.asked, ["motion", "video", "video"]);
              t.equal(await page.locator(".stage-notice").isVisible(), false);
            });
          },
        );
        for (const [name, answer] of [
          ["of an older version", null],
          ["that forbids it", () => FORBIDDEN],
        ] as const) {
          await t.test(`an avatar ${name} is streamed, or offered as a stream`, async (t) => {
            const forbid =
              answer &&
              ((needs: WatchNeeds) => (needs === "motion" ? answer() : { ok: true, renders: needs }) as WatchReply);
            await meet({ render: "auto", answer: forbid }, async ({ page }) => {
              await untilState(page, "live");
              t.ok((await videoBytes(page)) > 0);
              t.equal(await page.locator(".stage-notice").isVisible(), false);
            });
            await meet({ render: "local", answer: forbid }, ({ page }) => takeOffer(t, page, /comes as video only/));
          });
        }
        await t.test("motion that only a newer page can read is streamed, or offered as a stream", async (t) => {
          await meet({ render: "auto", motionVersion: 2 }, ({ page }) => untilState(page, "live"));
          await meet({ render: "local", motionVersion: 2 }, ({ page }) => takeOffer(t, page, /has stopped/));
        });
        await t.test("an agent that the service streams is streamed, whatever the address asks for", async (t) => {
          await meet({ render: "local", renderer: "stream" }, async ({ page, avatar }) => {
            await untilState(page, "live");
            t.ok((await videoBytes(page)) > 0);
            t.equal(await page.locator(".stage-notice").isVisible(), false);
            t.same(avatar.asked, ["video"]);
          });
        });
        const files: [string, NonNullable<MeetingOptions["file"]>][] = [
          ["cut short", (file) => file.subarray(0, 9_000)],
          ["of another agent", (file) => file.map((byte) => byte ^ 1)],
        ];
        for (const [name, file] of files) {
          await t.test(`a file ${name} is explained, with the stream as a way out`, async (t) => {
            await meet({ render: "local", file }, ({ page }) => takeOffer(t, page, /could not be loaded/));
            await meet({ render: "auto", file }, ({ page }) => untilState(page, "live"));
          });
        }
        const policies: [string, NonNullable<MeetingOptions["policy"]>][] = [
          ["WebAssembly", (policy) => policy.replaceAll(" 'wasm-unsafe-eval'", "")],
          ["workers", (policy) => policy.replace("worker-src 'self'", "worker-src 'none'")],
        ];
        for (const [name, policy] of policies) {
          await t.test(`a policy without ${name} is explained, with the stream as a way out`, async (t) => {
            await meet({ render: "local", policy }, ({ page }) => takeOffer(t, page, /cannot draw the face/));
            await meet({ render: "auto", policy }, ({ page }) => untilState(page, "live"));
          });
        }
        await t.test("a page that is streamed says that it watches, also to an older avatar", async (t) => {
          await meet({ render: "stream", renderer: "stream" }, async ({ page, avatar }) => {
            await untilState(page, "live");
            t.same(avatar.asked, ["video"]);
          });
          await meet({ render: "stream", renderer: "stream", answer: null }, ({ page }) => untilState(page, "live"));
        });
      },
      // A page with changed headers counts as one of elsewhere, which may not reach this machine.
      ["--autoplay-policy=no-user-gesture-required", "--disable-features=LocalNetworkAccessChecks"],
    ),
  );
});

interface MeetingDetails extends MeetingOptions {
  imx: Parameters<typeof writeImx>[0];
  bytes: Uint8Array;
  sha256: string;
}

/** Opens the page before an avatar of the test, in a room of its own. */
async function withMeeting(
  browser: Browser,
  { baseUrl, livekit }: TestStack,
  {
    render,
    answer,
    file = (bytes) => bytes,
    renderer = "local",
    policy,
    workerScript,
    motionVersion,
    early,
    begins,
    imx,
    bytes,
    sha256,
  }: MeetingDetails,
  use: (meeting: Meeting) => Promise<void>,
): Promise<void> {
  const roomName = `local-face-${randomUUID()}`;
  const mint = async (identity: string, kind: "agent" | "standard") => {
    const token = new AccessToken(livekit.apiKey, livekit.apiSecret, { identity, ttl: 600 });
    token.kind = kind;
    token.addGrant({ room: roomName, roomJoin: true, canPublish: true, canPublishData: true });
    return token.toJwt();
  };
  const join = async () =>
    MotionAvatar.join({ url: livekit.url, token: await mint("avatar", "agent"), imx, answer, motionVersion });
  const avatars: MotionAvatar[] = [];
  const context = await browser.newContext({ viewport: { width: 900, height: 700 } });
  try {
    const page = await context.newPage();
    for (const script of [COUNT_CHANGES, HIDEABLE, COUNT_VIDEO]) await page.addInitScript(script);
    const bundle = { url: `${baseUrl}/embed/bundle?sha256=${sha256}`, sha256, bytes: bytes.length };
    const session = {
      livekit_url: livekit.url,
      room_name: roomName,
      token: await mint("visitor", "standard"),
      agent: { name: "Mona Lisa" },
      renderer,
      bundle: renderer === "local" ? bundle : null,
    };
    await page.route("**/embed/session", async (route) => {
      await begins;
      await route.fulfill({ json: session });
    });
    await page.route("**/embed/bundle?*", (route) => route.fulfill({ body: Buffer.from(file(bytes)) }));
    if (early) await tellEarly(page, { early, bundle, imx });
    if (policy || workerScript !== undefined) await changeAnswers(page, policy ?? ((given) => given), workerScript);
    const demo = await fetch(`${baseUrl}/demo`, { redirect: "manual" });
    const address = new URL(demo.headers.get("location") ?? "", `${baseUrl}/demo`);
    address.searchParams.set("render", render);
    avatars.push(await join());
    await page.goto(address.href);
    await use({
      page,
      avatar: avatars[0],
      joinAgain: async () => {
        const next = await join();
        avatars.push(next);
        return next;
      },
    });
  } finally {
    await context.close();
    for (const avatar of avatars) await avatar.close();
  }
}

async function tellEarly(
  page: Page,
  { early, bundle, imx }: { early: "same" | "older" | "gone"; bundle: { url: string; sha256: string }; imx: Imx },
): Promise<void> {
  const older = await writeImx({ ...imx, poster: Uint8Array.of(...imx.poster, 0) });
  const sha256 = early === "same" ? bundle.sha256 : await sha256Hex(older);
  const url = bundle.url.replace(bundle.sha256, sha256);
  const told = early === "same" ? bundle : { url, sha256, bytes: older.length };
  if (early !== "same") {
    const gone = { status: 404, json: { error: { code: "NOT_FOUND", message: "There is no such file." } } };
    await page.route(url, (route) => route.fulfill(early === "older" ? { body: Buffer.from(older) } : gone));
  }
  await page.route("**/embed/agent?*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), bundle: told } });
  });
}

async function changeAnswers(page: Page, policy: (policy: string) => string, workerScript = ""): Promise<void> {
  const isWorker = (url: URL) => url.pathname.includes("motion-worker");
  const isPage = (url: URL) => url.pathname.startsWith("/embed/demo");
  await page.route(
    (url) => isWorker(url) || isPage(url),
    async (route) => {
      const response = await route.fetch();
      const headers = response.headers();
      headers["content-security-policy"] = policy(headers["content-security-policy"] ?? "");
      // Playwright has decoded the body.
      delete headers["content-encoding"];
      const script = isWorker(new URL(route.request().url())) ? workerScript : "";
      await route.fulfill({ status: response.status(), headers, body: script + (await response.text()) });
    },
  );
}

/** The page offers the stream, and shows it once the visitor has agreed. */
async function takeOffer(t: Test, page: Page, title: RegExp): Promise<void> {
  await page.locator(".stage-notice", { hasText: title }).waitFor();
  t.equal(await videoBytes(page), 0, "nothing is streamed before");
  await page.getByRole("button", { name: "Show the video" }).click();
  await untilState(page, "live");
  t.ok((await videoBytes(page)) > 0);
}

async function changes(page: Page, ms: number): Promise<number> {
  return Number(await page.evaluate(`changesOf(${ms})`));
}

/** Resolves when more pictures than `least` have differed within 2 s. On a busy machine frames are left out. */
async function moves(page: Page, least: number, what: string): Promise<void> {
  await waitFor(async () => (await changes(page, 2000)) > least, what);
}

/** Bytes of video that the page received, of all its connections. */
async function videoBytes(page: Page): Promise<number> {
  return Number(await page.evaluate("videoBytes()"));
}

async function untilState(page: Page, name: string): Promise<void> {
  await page.locator(`#page[data-state=${name}]`).waitFor();
}
