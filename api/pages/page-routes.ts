// The pages: the start page, the embed page, the page that renders an avatar in the browser, and pages that error
// messages link to.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { CONSOLE_VIEWS } from "../../shared/console-views.ts";
import { findPublicAgent } from "../agents/sharing/sharing-store.ts";
import { type FrameAncestors, findFrameAncestorsOfAgent } from "../embed/embed-settings.ts";
import { Answer } from "../kernel/http/answer.ts";
import { type RequestInfo, type Route, route } from "../kernel/http/route.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { compressHtml } from "./compress-html.ts";
import { contentPolicy } from "./content-policy.ts";
import { FRAMED_HEADERS } from "./framed-headers.ts";
import { type PageFile, readAsset, readPage, readWidget } from "./page-files.ts";

/** Names of the pages in `web/build.ts`. */
type Page = "account" | "console" | "docs" | "embed" | "home" | "local" | "mark" | "preview" | "realtime";
const EMBED_PATH = "/embed/:agent_id";
const SHARE_PATH = "/share/:agent_id";
/** Addresses of the console: its views, and what is below them. */
const CONSOLE_PATHS = [
  "/console",
  ...CONSOLE_VIEWS.flatMap((view) => ["", "/:item", "/:item/:part"].map((below) => `/console/${view}${below}`)),
];
/** Where the console's HTML names the random value of its styles. */
const NONCE_PLACEHOLDER = "__nonce__";
/** Names of assets contain a hash of their content. */
const ASSET_CACHING = "public, max-age=31536000, immutable";

/** The address stays while the script changes, so browsers ask again after this time. */
const WIDGET_CACHING = "public, max-age=300, stale-while-revalidate=86400";

/** Scripts that run as workers have a policy of their own: one holds the picture of a visitor. */
const WORKER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

const PERMISSIONS = "microphone=(self), autoplay=(self), camera=(), geolocation=()";
/** Start page and console take photographs, and show the embed page. */
const HOME_PERMISSIONS = "microphone=(self), autoplay=(self), camera=(self), geolocation=()";
/** A site that frames the embed page may delegate the camera too (`allow="microphone *; camera *; autoplay *"`). */
const EMBED_PERMISSIONS = "microphone=(self), autoplay=(self), camera=(self), geolocation=()";

/** The routes. They are not part of the OpenAPI document, because they are pages for people. */
export function pageRoutes(services: Kernel): Route[] {
  const { config, database, livekit } = services;
  const embedPolicy = contentPolicy({
    connect: originsOf(livekit.publicUrl),
    frameAncestors: withSelf(config.pages.frameAncestors),
    rendersFaces: true,
  });
  const plainPolicy = contentPolicy({ connect: [], frameAncestors: "'none'" });
  const homePolicy = contentPolicy({ connect: [], frameAncestors: "'none'", makesFaces: true, showsPages: true });
  /** Start page and console show it in a frame. */
  const markPolicy = contentPolicy({ connect: [], frameAncestors: "'self'", makesFaces: true });
  /** The console shows it in a frame. */
  const previewPolicy = contentPolicy({ connect: [], frameAncestors: "'self'", showsPages: true });
  const facePolicy = contentPolicy({ connect: [], frameAncestors: "'none'", makesFaces: true });
  const shared = { method: "get", tier: "none", auth: "none", tags: ["Pages"], internal: true, errors: [] } as const;

  function page(path: string, name: Page, summary: string, policy: string, permissions = PERMISSIONS): Route {
    return route({
      ...shared,
      path,
      operation: `pages.${path}`,
      summary,
      handler: async ({ request }) => pageAnswer(await readPage(name, path), request, policy, permissions),
    });
  }

  /** Its controls add styles of their own while they are used. */
  function consolePage(path: string, summary: string): Route {
    return route({
      ...shared,
      path,
      operation: `pages.${path}`,
      summary,
      async handler({ request }) {
        const styleNonce = randomBytes(16).toString("base64");
        const html = (await readPage("console", path)).replace(NONCE_PLACEHOLDER, styleNonce);
        // It makes avatars as the start page does, and joins rooms itself.
        const policy = contentPolicy({
          connect: originsOf(livekit.publicUrl),
          frameAncestors: "'none'",
          makesFaces: true,
          showsPages: true,
          styleNonce,
        });
        return pageAnswer(html, request, policy, HOME_PERMISSIONS);
      },
    });
  }

  return [
    page("/", "home", "Start page", homePolicy, HOME_PERMISSIONS),
    page("/account/plan", "account", "What to do about a plan; refusals link here", plainPolicy),
    page("/account/credits", "account", "What to do about credits; refusals link here", plainPolicy),
    ...CONSOLE_PATHS.map((path) => consolePage(path, "The console")),
    consolePage("/console/sign-in", "Where a link signs in: the page posts it from within the site"),
    consolePage("/console/callback", "Where an issuer sends people back: the page goes on by itself"),
    consolePage("/device", "Where a person confirms the code of a computer"),
    // The page is the same for every agent, also for an agent that does not exist: the token decides.
    route({
      ...shared,
      path: EMBED_PATH,
      operation: "pages.embed",
      summary: "Embed page of an agent",
      params: z.object({ agent_id: z.string() }),
      async handler({ params, request }) {
        const frameAncestors = await findFrameAncestorsOfAgent(database, params.agent_id);
        const policy = withFrameAncestors(embedPolicy, frameAncestors);
        const html = await readPage("embed", EMBED_PATH);
        return pageAnswer(html, request, policy, EMBED_PERMISSIONS, { isFramed: true });
      },
    }),
    // The same for an agent that is not shared and for one that does not exist.
    route({
      ...shared,
      path: SHARE_PATH,
      operation: "pages.share",
      summary: "Public page of an agent, for visitors without a token",
      params: z.object({ agent_id: z.string() }),
      async handler({ params, request }) {
        const agent = await findPublicAgent(database, params.agent_id);
        const policy = withFrameAncestors(embedPolicy, agent?.sharing.origins ?? []);
        const html = await readPage("embed", SHARE_PATH);
        return pageAnswer(html, request, policy, EMBED_PERMISSIONS, { isFramed: true });
      },
    }),
    page("/local", "local", "Page that renders an avatar file in the visitor's own browser", facePolicy),
    page("/mark/:code", "mark", "Page to place the marks of an agent's face", markPolicy),
    page(
      "/preview",
      "preview",
      "Site in which the console previews an agent's widget",
      previewPolicy,
      HOME_PERMISSIONS,
    ),
    page("/realtime", "realtime", "Page that tries realtime calls", facePolicy),
    page("/docs", "docs", "The reference of the REST API", plainPolicy),
    route({
      ...shared,
      path: "/assets/:file",
      operation: "pages.assets",
      summary: "A file of the pages",
      params: z.object({ file: z.string() }),
      handler: async ({ params, request }) =>
        assetAnswer(await readAsset(params.file, acceptEncoding(request)), ASSET_CACHING),
    }),
    route({
      ...shared,
      path: "/widget.js",
      operation: "pages.widget",
      summary: "The script of the widgets, for other sites",
      handler: async ({ request }) => assetAnswer(await readWidget(acceptEncoding(request)), WIDGET_CACHING),
    }),
  ];
}

function acceptEncoding({ headers }: RequestInfo): string {
  return String(headers["accept-encoding"] ?? "");
}

async function pageAnswer(
  html: string,
  request: RequestInfo,
  policy: string,
  permissions: string,
  { isFramed = false } = {},
): Promise<Answer<undefined>> {
  const { bytes, encoding } = await compressHtml(html, acceptEncoding(request));
  return new Answer({
    bytes,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy,
      "Permissions-Policy": permissions,
      "Cache-Control": "no-cache",
      Vary: "Accept-Encoding",
      ...(encoding && { "Content-Encoding": encoding }),
      ...(isFramed && FRAMED_HEADERS),
    },
  });
}

function assetAnswer({ bytes, contentType, encoding }: PageFile, caching: string): Answer<undefined> {
  return new Answer({
    bytes,
    headers: {
      "Content-Type": contentType,
      "Cache-Control": caching,
      "Content-Security-Policy": WORKER_POLICY,
      ...FRAMED_HEADERS,
      Vary: "Accept-Encoding",
      ...(encoding && { "Content-Encoding": encoding }),
    },
  });
}

/** The operator's list of sites that may show the embed page. The start page always may. */
function withSelf(frameAncestors: string): string {
  const sites = frameAncestors.trim().split(/\s+/);
  if (sites.includes("*") || sites.includes("'self'")) return frameAncestors;
  return ["'self'", ...sites.filter((site) => site !== "'none'")].join(" ");
}

/** Adds an account's or an agent's limit as a second policy. Browsers enforce both: the operator's list stays the upper
 *  bound. */
function withFrameAncestors(policy: string, frameAncestors: FrameAncestors): string {
  return frameAncestors === null ? policy : `${policy}, frame-ancestors ${["'self'", ...frameAncestors].join(" ")}`;
}

/** Browsers reach a LiveKit server by WebSocket, and by HTTP to find out why that failed. */
function originsOf(livekitUrl: string): string[] {
  const { host, protocol } = new URL(livekitUrl);
  const isSecure = protocol === "wss:" || protocol === "https:";
  return isSecure ? [`wss://${host}`, `https://${host}`] : [`ws://${host}`, `http://${host}`];
}
