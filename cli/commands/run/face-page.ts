// What the page of a face that the browser renders is made of: the built page, the face, and a voice of this computer.
import { randomBytes } from "node:crypto";
import { contentPolicy } from "../../../api/pages/content-policy.ts";
import { readAsset, readPage } from "../../../api/pages/page-files.ts";
import { isEngineError } from "../../../shared/engine-error.ts";
import { isServiceError } from "../../../shared/errors.ts";
import { type Expression, formatExpression } from "../../../shared/expressions.ts";
import type { Imx } from "../../../src/face/imx/imx.ts";
import type { LineSpeaker } from "./line-speaker.ts";
import { type PageAnswer, PageError, type PageRequest } from "./page-server.ts";

export interface ShownFace {
  name: string;
  /** Bytes of the `.imx`. */
  bundle: Uint8Array;
  imx: Imx;
}

/** What it says when it is asked to say something. */
const LINE = "Hello. This face is rendered in your browser, and this voice comes from your own computer.";
const VOICE = "F1";
const MAX_LINE = 300;
const HOUR_S = 3600;
const SPEECH = "/samples/face/speech";
const PERMISSIONS = "microphone=(self), autoplay=(self), camera=(), geolocation=()";
/** Workers have a policy of their own. */
const WORKER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";
const WAV = { "Content-Type": "audio/wav", "Cache-Control": "no-store" };

/** The answers of the page's addresses, for `startPageServer`. `face`: undefined for a page that waits for one. `mood`:
 *  what faces show before the visitor presses another mood. */
export function facePage(
  face: ShownFace | undefined,
  speaker: LineSpeaker,
  mood?: Expression,
): (request: PageRequest) => Promise<PageAnswer | undefined> {
  const token = randomBytes(24).toString("base64url");
  const policy = contentPolicy({ connect: [], frameAncestors: "'none'", makesFaces: true });
  return async ({ method, path, headers, body }) => {
    if (method === "POST") {
      // As the service answers its own pages on its machine.
      if (path === "/home/access") return json({ token, expires_at: Math.floor(Date.now() / 1000) + HOUR_S });
      if (path !== "/v1/tts") return undefined;
      if (headers.authorization !== `Bearer ${token}`) throw new PageError(401, "UNAUTHORIZED", "Load the page again.");
      return { headers: WAV, body: await speak(speaker, body) };
    }
    if (path === "/") {
      const html = withMood(await pageOf("run"), mood);
      const headers = {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": policy,
        "Permissions-Policy": PERMISSIONS,
        "Cache-Control": "no-store",
      };
      return { headers, body: html };
    }
    if (path.startsWith("/assets/")) return assetOf(path.slice("/assets/".length), String(headers["accept-encoding"]));
    if (path === "/samples") return json({ samples: face ? [viewOf(face, `http://${headers.host}`)] : [] });
    if (path === SPEECH) return { headers: WAV, body: await speaker.speak(LINE, VOICE) };
    if (!face) return undefined;
    if (path === "/samples/face/imx") return file(face.bundle, "application/octet-stream");
    if (path === "/samples/face/poster") return file(face.imx.poster, "image/jpeg");
    return undefined;
  };
}

/** The page reads it of its room. */
function withMood(html: string, mood: Expression | undefined): string {
  return mood ? html.replace(/(?<=<main\b)/, ` data-emotion="${formatExpression(mood)}"`) : html;
}

function viewOf({ name, imx }: ShownFace, origin: string) {
  const { widthPx, heightPx } = imx.manifest.canvas;
  const poster = `${origin}/samples/face/poster`;
  return {
    slug: "face",
    name,
    voice: VOICE,
    aspect_ratio: `${widthPx}:${heightPx}`,
    poster_url: poster,
    thumbnail_url: poster,
    portrait_url: poster,
    imx_url: `${origin}/samples/face/imx`,
    speech_url: `${origin}${SPEECH}`,
  };
}

async function speak(speaker: LineSpeaker, body: string): Promise<Uint8Array> {
  const { text, voice } = parse(body);
  if (typeof text !== "string" || text.trim() === "" || text.length > MAX_LINE) {
    throw new PageError(400, "VALIDATION_ERROR", `A line has 1 to ${MAX_LINE} characters.`);
  }
  try {
    return await speaker.speak(text, typeof voice === "string" ? voice : VOICE);
  } catch (cause) {
    const reason = isEngineError(cause) || isServiceError(cause) ? cause.message : "This computer's voice failed.";
    throw new PageError(503, "SERVICE_UNAVAILABLE", reason, { cause });
  }
}

function parse(body: string): { text?: unknown; voice?: unknown } {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}

async function pageOf(name: string): Promise<string> {
  try {
    return await readPage(name, "/");
  } catch (cause) {
    throw new PageError(503, "SERVICE_UNAVAILABLE", "The page is not built.", { cause });
  }
}

async function assetOf(name: string, acceptEncoding: string): Promise<PageAnswer | undefined> {
  const asset = await readAsset(name, acceptEncoding).catch(() => undefined);
  if (!asset) return undefined;
  const headers = {
    "Content-Type": asset.contentType,
    "Content-Security-Policy": WORKER_POLICY,
    // The next program on this port may be of another version.
    "Cache-Control": "no-cache",
    Vary: "Accept-Encoding",
    ...(asset.encoding && { "Content-Encoding": asset.encoding }),
  };
  return { headers, body: asset.bytes };
}

function json(value: object): PageAnswer {
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return { headers, body: JSON.stringify(value) };
}

function file(bytes: Uint8Array, contentType: string): PageAnswer {
  return { headers: { "Content-Type": contentType, "Cache-Control": "no-store" }, body: bytes };
}
