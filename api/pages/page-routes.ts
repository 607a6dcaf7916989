// The pages: the start page, the embed page, the page that draws an avatar in the tab itself, and the way to the demo.
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { isLoopback } from "../../shared/loopback.ts";
import { findAccountByEmail } from "../accounts/account-store.ts";
import { OPERATOR_EMAIL } from "../accounts/operator-account.ts";
import { findAgentByCode } from "../agents/agent-store.ts";
import { Answer, redirectTo } from "../kernel/http/answer.ts";
import { type Route, route } from "../kernel/http/route.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { type PageFile, readAsset, readPage } from "./page-files.ts";

/** As `web/build.ts` names them. */
const PAGES = ["account", "docs", "embed", "home", "local", "mark"] as const;
type Page = (typeof PAGES)[number];
/** Agent that `npm start` makes for the demo. */
const DEMO_AGENT_CODE = "demo";
/** Names of assets contain a hash of their content. */
const ASSET_CACHING = "public, max-age=31536000, immutable";

/** The routes. All are left out of the OpenAPI document: they are for people. */
export function pageRoutes(services: Kernel): Route[] {
  const { config, database, livekit, tokens } = services;
  const embedPolicy = contentPolicy({ connect: originsOf(livekit.url), frameAncestors: config.AVATAR_FRAME_ANCESTORS });
  const plainPolicy = contentPolicy({ connect: [], frameAncestors: "'none'" });
  const localPolicy = contentPolicy({ connect: [], frameAncestors: "'none'", allowsWasm: true });
  const shared = { method: "get", tier: "none", auth: "none", tags: ["Pages"], internal: true, errors: [] } as const;

  function page(path: string, name: Page, summary: string, policy: string): Route {
    return route({ ...shared, path, summary, handler: async () => pageAnswer(await readPage(name), policy) });
  }

  return [
    page("/", "home", "Start page", plainPolicy),
    page("/account/plan", "account", "What to do about a plan; refusals link here", plainPolicy),
    page("/account/credits", "account", "What to do about credits; refusals link here", plainPolicy),
    // The same for every agent: whether one exists is for the token to decide.
    page("/embed/:agent_id", "embed", "Embed page of an agent", embedPolicy),
    page("/local", "local", "Page that draws an avatar file in the visitor's own browser", localPolicy),
    page("/mark/:code", "mark", "Page to place the marks of an agent's face", plainPolicy),
    page("/docs", "docs", "The REST interface, to read and to try", plainPolicy),
    ...PAGES.map((name) =>
      route({
        ...shared,
        path: `/${name}/assets/:file`,
        summary: "A file of a page",
        params: z.object({ file: z.string() }),
        handler: async ({ params }) => assetAnswer(await readAsset(name, params.file)),
      }),
    ),
    route({
      ...shared,
      path: "/demo",
      summary: "Embed page of the demo agent, with a fresh token",
      async handler({ request }) {
        // The link spends the operator's credits without a credential, so by default it is for the machine itself.
        const isLocal = isLoopback(request.ip) && request.headers["x-forwarded-for"] === undefined;
        if (!isLocal && config.PUBLIC_URL === undefined) {
          throw new ServiceError("FORBIDDEN", "The demo is open to this machine only, unless PUBLIC_URL is set");
        }
        const token = await mintDemoToken();
        // In the fragment a token reaches no server and no log.
        return redirectTo(`/embed/${DEMO_AGENT_CODE}#token=${token}`);
      },
    }),
  ];

  async function mintDemoToken(): Promise<string> {
    const account = await findAccountByEmail(database, OPERATOR_EMAIL);
    const agent = await findAgentByCode(database, DEMO_AGENT_CODE);
    if (!account || !agent || agent.userId !== account.userId || agent.deletedAt) {
      throw new ServiceError("NOT_FOUND", "There is no demo agent; npm start makes one");
    }
    const secret = await database
      .selectFrom("api_secrets")
      .select("id")
      .where("user_id", "=", account.userId)
      .where("revoked_at", "is", null)
      .orderBy("created_at", "desc")
      .executeTakeFirst();
    if (!secret) throw new ServiceError("NOT_FOUND", "The operator account has no API secret");
    const sid = randomUUID();
    const claims = { sub: account.userId, key: secret.id, sid, agent: agent.code, endUserId: sid, model: null };
    return (await tokens.embed.mint(claims)).token;
  }
}

function pageAnswer(page: PageFile, policy: string): Answer<undefined> {
  return new Answer({
    bytes: page.bytes,
    headers: {
      "Content-Type": page.contentType,
      "Content-Security-Policy": policy,
      "Permissions-Policy": "microphone=(self), autoplay=(self), camera=(), geolocation=()",
      "Cache-Control": "no-cache",
    },
  });
}

function assetAnswer(file: PageFile): Answer<undefined> {
  return new Answer({
    bytes: file.bytes,
    headers: { "Content-Type": file.contentType, "Cache-Control": ASSET_CACHING },
  });
}

/** Only our own files, no inline code; connections to us and to the LiveKit server alone. */
function contentPolicy(options: {
  connect: readonly string[];
  frameAncestors: string;
  /** Lets the page compile WebAssembly, but still no script. */
  allowsWasm?: boolean;
}): string {
  return [
    "default-src 'none'",
    `script-src 'self'${options.allowsWasm ? " 'wasm-unsafe-eval'" : ""}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "media-src 'self' blob: mediastream:",
    `connect-src ${["'self'", ...options.connect].join(" ")}`,
    `frame-ancestors ${options.frameAncestors}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** A LiveKit server is reached by WebSocket, and by HTTP to find out why that failed. */
function originsOf(livekitUrl: string): string[] {
  const { host, protocol } = new URL(livekitUrl);
  const isSecure = protocol === "wss:" || protocol === "https:";
  return isSecure ? [`wss://${host}`, `https://${host}`] : [`ws://${host}`, `http://${host}`];
}
