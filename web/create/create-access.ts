// What lets the flow use the service: the page's own access on the start page, the session's cookie in the console.

export interface CreateAccess {
  /** How there is access now. `session`: by the console's cookie. */
  readonly kind: "none" | "page" | "secret" | "session";
  /** Address below which the routes of the API lie. */
  readonly api: URL;
  /** Whether the browser adds its cookie. */
  readonly hasCookie: boolean;
  /** Returns whether there is access. Throws RequestError if the service cannot be reached. */
  open(): Promise<boolean>;
  /** The headers of a request. Throws RequestError without access. */
  headers(): Promise<Record<string, string>>;
  /** Replaces what the service no longer accepts. Returns whether there is something new. */
  renew(): Promise<boolean>;
}

export interface SessionAccessOptions {
  /** Address of the start page. */
  base: URL;
  /** For which the person acts; null for none. */
  organizationId: string | null;
}

/** Access by the cookie of someone who is signed in. */
export class SessionAccess implements CreateAccess {
  readonly kind = "session";
  readonly hasCookie = true;
  readonly api: URL;
  readonly #headers: Record<string, string>;

  constructor({ base, organizationId }: SessionAccessOptions) {
    this.api = new URL("console/api/", base);
    this.#headers = organizationId === null ? {} : { "x-service-organization": organizationId };
  }

  async open(): Promise<boolean> {
    return true;
  }

  async headers(): Promise<Record<string, string>> {
    return this.#headers;
  }

  async renew(): Promise<boolean> {
    return false;
  }
}
