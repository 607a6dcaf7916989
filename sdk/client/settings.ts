// What a client is set up with.
import { ConfigurationError } from "./errors.ts";

/** Where a client reports what it does: `console` or a logger of the application. */
export interface Logger {
  debug?(message: string): void;
  warn?(message: string): void;
}

export interface ClientOptions {
  /** Address of the service. Default: `AVATAR_API_URL` of the environment. */
  baseUrl?: string;
  /** API secret of the account, or a minted token where the service takes one. Default: `AVATAR_API_SECRET`. Null for
   *  none, where `fetch` or `headers` open the calls. */
  apiSecret?: string | null;
  /** Default: the platform's. */
  fetch?: typeof fetch;
  /** Gets a line for each attempt (`debug`) and each retry (`warn`); never a secret. Default: none. */
  logger?: Logger;
  /** Time for each attempt, until the answer is read, ms. Default: `AVATAR_API_TIMEOUT` (in seconds), else 120,000. */
  timeoutMs?: number;
  /** Further attempts after 429 and 5xx. Default 2. */
  maxRetries?: number;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
  /** Called with a notice about the account's plan, once for each text, which should be shown as it is. */
  onPlanNotice?(notice: string): void;
}

export interface Settings {
  /** Without a trailing slash. */
  baseUrl: string;
  /** Null for none; undefined for one that is missing. */
  apiSecret: string | null | undefined;
  fetch: typeof fetch;
  logger: Logger;
  timeoutMs: number;
  maxRetries: number;
  headers: Readonly<Record<string, string>>;
  onPlanNotice: ((notice: string) => void) | undefined;
}

const DEFAULT_TIMEOUT_MS = 120_000;
const DEFAULT_RETRIES = 2;
/** Whether this process has been told about the old name. */
let hasWarned = false;

/** Options, completed by the environment. Throws ConfigurationError if they are unusable. */
export function toSettings(options: ClientOptions): Settings {
  const environment = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};
  const baseUrl = (options.baseUrl ?? environment.AVATAR_API_URL ?? "").replace(/\/+$/, "");
  if (!/^https?:\/\/[^/]/.test(baseUrl)) {
    const what = baseUrl ? `baseUrl "${baseUrl}" is no URL` : "baseUrl is missing";
    throw new ConfigurationError(
      `${what}. Pass the service's address, as https://avatars.example, or set AVATAR_API_URL.`,
    );
  }
  const apiSecret =
    options.apiSecret === undefined
      ? environment.AVATAR_API_SECRET || oldSecret(environment, options.logger)
      : options.apiSecret;
  // The platform's own error would quote it.
  if (typeof apiSecret === "string" && !/^[\x21-\x7e]+$/.test(apiSecret)) {
    throw new ConfigurationError(
      "apiSecret must be letters, digits and signs of ASCII, without spaces and line breaks.",
    );
  }
  return {
    baseUrl,
    apiSecret,
    // Called without `this`, which browsers refuse.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    logger: options.logger ?? {},
    timeoutMs: options.timeoutMs ?? (Number(environment.AVATAR_API_TIMEOUT) * 1000 || DEFAULT_TIMEOUT_MS),
    maxRetries: options.maxRetries ?? DEFAULT_RETRIES,
    headers: options.headers ?? {},
    onPlanNotice: options.onPlanNotice,
  };
}

function oldSecret(environment: Record<string, string | undefined>, logger: Logger = console): string | undefined {
  const secret = environment.AVATAR_API_KEY || undefined;
  if (secret && !hasWarned) {
    hasWarned = true;
    logger.warn?.("AVATAR_API_KEY is deprecated: set AVATAR_API_SECRET.");
  }
  return secret;
}
