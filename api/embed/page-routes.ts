// The pages: the start page, the embed page, the page that draws an avatar in the tab itself, and the way to the demo.
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { findAccountByEmail } from "../accounts/account-store.ts";
import { OPERATOR_EMAIL } from "../accounts/operator-account.ts";
import { findAgentByCode } from "../agents/agent-store.ts";
import { Answer, redirectTo } from "../http/answer.ts";
import { isLoopback } from "../http/loopback.ts";
import { type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { type PageFile, readAsset, readPage } from "./page-files.ts";

/** Agent that `npm start` makes for the demo. */
const DEMO_AGENT_CODE = "demo";
/** Names of assets contain a hash of their content. */
const ASSET_CACHING = "public, max-age=31536000, immutable";

/** The routes. All are left out of the OpenAPI document: they are for people. */
export function pageRoutes(services: Services): Route[] {
  const { config, database, livekit, tokens } = services;
  const embedPolicy = contentPolicy({ connect: originsOf(livekit.url), frameAncestors: config.AVATAR_FRAME_ANCESTORS });
  const homePolicy = contentPolicy({ connect: [], frameAncestors: "'none'" });
  const localPolicy = contentPolicy({ connect: [], frameAncestors: "'none'", allowsWasm: true });
  const docsPolicy = contentPolicy({ connect: [], frameAncestors: "'none'" });
  const shared = { method: "get", tier: "none", auth: "none", tags: ["Pages"], internal: true, errors: [] } as const;
  const assetParams = z.object({ file: z.string() });

  return [
    route({
      ...shared,
      path: "/",
      summary: "Start page",
      handler: async () => pageAnswer(await readPage("home"), homePolicy),
    }),
    route({
      ...shared,
      path: "/home/assets/:file",
      summary: "A file of the start page",
      params: assetParams,
      handler: async ({ params }) => assetAnswer(await readAsset("home", params.file)),
    }),
    ...["/account/plan", "/account/credits"].map((path) =>
      route({
        ...shared,
        path,
        summary: "What to do about a plan or credits; refusals link here",
        handler: async () => pageAnswer(await readPage("account"), homePolicy),
      }),
    ),
    route({
      ...shared,
      path: "/account/assets/:file",
      summary: "A file of that page",
      params: assetParams,
      handler: async ({ params }) => assetAnswer(await readAsset("account", params.file)),
    }),
    route({
      ...shared,
      path: "/embed/assets/:file",
      summary: "A file of the embed page",
      params: assetParams,
      handler: async ({ params }) => assetAnswer(await readAsset("embed", params.file)),
    }),
    route({
      ...shared,
      path: "/embed/:agent_id",
      summary: "Embed page of an agent",
      params: z.object({ agent_id: z.string() }),
      // The same for every agent: whether one exists is for the token to decide.
      handler: async () => pageAnswer(await readPage("embed"), embedPolicy),
    }),
    route({
      ...shared,
      path: "/local",
      summary: "Page that draws an avatar file in the visitor's own browser",
      handler: async () => pageAnswer(await readPage("local"), localPolicy),
    }),
    route({
      ...shared,
      path: "/local/assets/:file",
      summary: "A file of that page",
      params: assetParams,
      handler: async ({ params }) => assetAnswer(await readAsset("local", params.file)),
    }),
    route({
      ...shared,
      path: "/mark/:code",
      summary: "Page to place the marks of an agent's face",
      params: z.object({ code: z.string() }),
      handler: async () => pageAnswer(await readPage("mark"), homePolicy),
    }),
    route({
      ...shared,
      path: "/mark/assets/:file",
      summary: "A file of that page",
      params: assetParams,
      handler: async ({ params }) => assetAnswer(await readAsset("mark", params.file)),
    }),
    route({
      ...shared,
      path: "/docs",
      summary: "The REST interface, to read and to try",
      handler: async () => pageAnswer(await readPage("docs"), docsPolicy),
    }),
    route({
      ...shared,
      path: "/docs/assets/:file",
      summary: "A file of that page",
      params: assetParams,
      handler: async ({ params }) => assetAnswer(await readAsset("docs", params.file)),
    }),
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
