// What lets a page use the service: a short-lived token on the machine of the service, elsewhere an API secret that the
// visitor pastes. Neither appears in a URL.
import { isOnThisMachine } from "./is-on-this-machine.ts";
import { RequestError } from "./request-error.ts";
import { sendRequest } from "./send-request.ts";

const KEPT_SECRET = "api-secret";
/** A token is renewed this long before it expires, in s. */
const RENEWAL_S = 30;
/** Characters that a header may hold. */
const HEADER_VALUE = /^[\x21-\x7e]+$/;

type Credential = { kind: "page"; token: string; expiresAt: number } | { kind: "secret"; secret: string };

export interface AccessOptions {
  /** The address of the start page, below which everything is served. */
  base: URL;
  /** Keeps a secret until the tab is closed, if the visitor wishes; `sessionStorage`. */
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  /** Milliseconds since the epoch. Default: the browser's clock. */
  now?: () => number;
}

export class Access {
  readonly #options: AccessOptions;
  readonly #now: () => number;
  #credential: Credential | undefined;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Address below which the routes of the API lie. */
  get api(): URL {
    return this.#options.base;
  }

  /** It needs no cookie. */
  get hasCookie(): boolean {
    return false;
  }

  /** How the page has access now. */
  get kind(): Credential["kind"] | "none" {
    return this.#credential?.kind ?? "none";
  }

  /** Uses the kept secret, or asks for a token. Returns whether the page has access. Throws RequestError if the service
   *  cannot be reached. */
  async open(): Promise<boolean> {
    const secret = this.#options.storage.getItem(KEPT_SECRET);
    if (secret !== null) this.#credential = { kind: "secret", secret };
    else if (isOnThisMachine(this.#options.base.hostname)) await this.#requestToken();
    return this.kind !== "none";
  }

  /** Checks a secret with the service and uses it from now on. Throws RequestError with the reason if it is not
   *  accepted. */
  async useSecret(text: string, { isKept }: { isKept: boolean }): Promise<void> {
    const secret = text.trim();
    if (!HEADER_VALUE.test(secret)) throw new RequestError("UNAUTHORIZED", "This is not an API secret.");
    await sendRequest(new URL("v1/agents?limit=1", this.#options.base), { headers: { "api-secret": secret } });
    this.#credential = { kind: "secret", secret };
    if (isKept) this.#options.storage.setItem(KEPT_SECRET, secret);
  }

  /** Drops secret and token. */
  forget(): void {
    this.#credential = undefined;
    this.#options.storage.removeItem(KEPT_SECRET);
  }

  /** The headers of a request. Throws RequestError if the page has no access and gets none. */
  async headers(): Promise<Record<string, string>> {
    // The service may not have been there when the page was opened.
    if (this.kind === "none") await this.open();
    const known = this.#credential;
    if (known?.kind === "page" && known.expiresAt * 1000 < this.#now() + RENEWAL_S * 1000) await this.#requestToken();
    const credential = this.#credential;
    if (!credential) throw new RequestError("MISSING_AUTH", "An API secret is needed.");
    return credential.kind === "secret"
      ? { "api-secret": credential.secret }
      : { authorization: `Bearer ${credential.token}` };
  }

  /** Replaces a token that the service no longer accepts, after a restart for example. Returns whether there is a new
   *  one. */
  async renew(): Promise<boolean> {
    if (this.kind === "page") await this.#requestToken();
    return this.kind === "page";
  }

  async #requestToken(): Promise<void> {
    this.#credential = undefined;
    try {
      const url = new URL("home/access", this.#options.base);
      const answer = await sendRequest(url, { method: "POST", headers: { "x-start-page": "1" } });
      this.#credential = { kind: "page", token: String(answer.token), expiresAt: Number(answer.expires_at) };
    } catch (error) {
      // Refused: the page is not on the machine of the service, so a secret is needed.
      if (!(error instanceof RequestError && error.code === "FORBIDDEN")) throw error;
    }
  }
}
