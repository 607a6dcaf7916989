// A real api on a fresh database, listening on a free port, for the length of a callback.
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Account } from "../../../api/accounts/account.ts";
import { createAccount } from "../../../api/accounts/account-store.ts";
import { grantCredits } from "../../../api/accounts/credits/ledger.ts";
import type { Plan } from "../../../api/accounts/plans/plans.ts";
import { addSecret } from "../../../api/accounts/secrets/secret-store.ts";
import type { Baker } from "../../../api/agents/portraits/portrait-process.ts";
import { type Api, createApi, type Policies } from "../../../api/create-api.ts";
import { createPool } from "../../../api/kernel/database/database.ts";
import { parseConfig } from "../../../program/config.ts";
import { createLogger } from "../../../program/log.ts";
import type { ResolveHost } from "../../../program/outgoing/resolve-host.ts";
import { goldenBaker } from "../faces/golden-baker.ts";
import { sharedPortraits } from "../faces/shared-portraits.ts";
import type { LiveKitAccess } from "../livekit/use-livekit.ts";
import { withDatabase } from "../servers/with-database.ts";
import { TestClock } from "../test-clock.ts";
import { within } from "../wait-for.ts";

export interface TestApi extends Api {
  /** `http://127.0.0.1:…` */
  baseUrl: string;
  /** The api's clock. */
  clock: TestClock;
  /** An account with one secret, and with credits if named. */
  addAccount(options?: { plan?: Plan; credits?: number }): Promise<{ account: Account; secret: string }>;
  /** Sends a request. A plain object is sent as JSON, any other body unchanged. */
  call(method: string, path: string, options?: CallOptions): Promise<TestAnswer>;
}

export interface CallOptions {
  secret?: string;
  bearer?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestAnswer {
  status: number;
  headers: Headers;
  /** The parsed body if it is JSON, otherwise the text. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely, and a wrong shape fails them anyway
  body: any;
}

export interface WithApiOptions {
  /** More environment, for example `AVATAR_NOW`. */
  environment?: Record<string, string>;
  /** Default: an address where nothing listens, for tests that need no room. */
  livekit?: LiveKitAccess;
  /** Default `silent`; use `debug` to investigate a test. */
  logLevel?: string;
  /** Gets each line of the log, of every level. */
  logLines?: string[];
  /** Default: the real ones, with delays of tens of seconds in total. */
  policies?: Partial<Policies>;
  /** Bakes avatars. Default: `goldenBaker`; `real` where baking is the subject. */
  baker?: Baker | "real";
  /** Looks up names that callers give. Default: DNS. */
  resolveHost?: ResolveHost;
  /** False for tests that only make requests: no loop and no job runs. `loops`: all but the jobs. Default true. */
  background?: boolean | "loops";
}

/** Agents are made by many tests, and filmed by one. */
const FEW_FILMS = { AVATAR_IDENTITY_CLIPS: "0" };

const NO_LIVEKIT: LiveKitAccess = {
  url: "ws://127.0.0.1:9",
  apiKey: "none",
  dispatchName: "none",
  apiSecret: "no-server-no-server-no-server-no-server",
};

/** Runs `work` with its own api and closes everything afterwards. Background work runs, too, unless the options switch
 *  it off. */
export function withApi<T>(work: (api: TestApi) => Promise<T>, options: WithApiOptions = {}): Promise<T> {
  return withDatabase(async ({ url }) => {
    const dataDir = await mkdtemp(join(tmpdir(), "open-avatar-service-api-"));
    try {
      return await withApiOn({ databaseUrl: url, dataDir }, work, options);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
}

/** As `withApi`, with a database and a data folder that stay. */
export async function withApiOn<T>(
  { databaseUrl: url, dataDir }: { databaseUrl: string; dataDir: string },
  work: (api: TestApi) => Promise<T>,
  options: WithApiOptions = {},
): Promise<T> {
  const server = createServer();
  // On a busy machine more than the default of 5 s may pass between two calls. A connection that the server closes
  // just then fails the second call.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  const config = parseConfig({ PORT: String(port), AVATAR_DATA_DIR: dataDir, ...FEW_FILMS, ...options.environment });
  const { logLevel = "silent", logLines } = options;
  const logger = logLines
    ? createLogger({ level: "trace", name: "test", stream: { write: (line) => logLines.push(line) } })
    : createLogger({ level: logLevel, name: "test" });
  const pool = createPool({ url, logger });
  const { livekit = NO_LIVEKIT, policies, resolveHost } = options;
  const baker = options.baker === "real" ? undefined : (options.baker ?? goldenBaker());
  const { inspector, voices } = sharedPortraits();
  const clock = new TestClock(config.clock.startsAt);
  const { now } = clock;
  const api = await createApi({ config, pool, livekit, logger, now, policies, baker, inspector, voices, resolveHost });
  server.on("request", api.app.callback());
  if (options.background !== false) await api.start({ runsJobs: options.background !== "loops" });
  try {
    return await work({
      ...api,
      baseUrl,
      clock,
      addAccount: (wanted) => addTestAccount(api, wanted),
      call: caller(baseUrl),
    });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await api.close();
    await pool.end();
  }
}

/** As `withApi`, for tests that only make requests: no loop and no job runs. */
export function withIdleApi<T>(work: (api: TestApi) => Promise<T>, options: WithApiOptions = {}): Promise<T> {
  return withApi(work, { ...options, background: false });
}

async function addTestAccount(
  { services }: Api,
  { plan = "pro", credits = 0 }: { plan?: Plan; credits?: number } = {},
): Promise<{ account: Account; secret: string }> {
  const { database, now } = services;
  const at = new Date(now());
  const account = await createAccount(database, { email: `${crypto.randomUUID()}@example.test`, plan, createdAt: at });
  if (!account) throw new Error("the address is random, so it cannot be taken");
  if (credits > 0) {
    const { userId } = account;
    await grantCredits(database, {
      userId,
      pool: "plan",
      amountCredits: credits,
      reason: "test",
      reference: "start",
      at,
    });
  }
  const secret = await addSecret(database, { userId: account.userId, alias: "test", createdAt: at });
  return { account, secret };
}

function caller(baseUrl: string): TestApi["call"] {
  return async (method, path, { secret, bearer, body, headers } = {}) => {
    const isPlain = body !== null && typeof body === "object" && Object.getPrototypeOf(body) === Object.prototype;
    const answered = fetch(baseUrl + path, {
      method,
      redirect: "manual",
      headers: {
        ...(secret !== undefined && { "api-secret": secret }),
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(isPlain && { "content-type": "application/json" }),
        ...headers,
      },
      body: isPlain ? JSON.stringify(body) : (body as BodyInit | undefined),
    });
    const response = await within(answered, `the answer to ${method} ${path}`);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") ?? false;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
}
