// Who may use this worker's HTTP server. On loopback every program of this machine may, and the worker's own secret
// pays, but no page that a browser shows. On a public address every request needs a credential.
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isAddressedHere } from "../../program/http/local-request.ts";
import { ServiceError } from "../../shared/errors.ts";
import { HEADER_API_SECRET } from "../../shared/wire-names.ts";
import { fingerprintOf } from "./credential.ts";

export interface Caller {
  /** What the request brings; null if it brings nothing. */
  credential: string | null;
  /** Fingerprint of a credential that is not the worker's own; null for the operator of this worker. */
  owner: string | null;
}

export interface AccessOptions {
  /** Whether the server listens on more than loopback. */
  isPublic: boolean;
  /** The worker's own secret, if it has one. */
  secret: string | undefined;
}

/** Owner of no task: the credential is still to be read. */
const NOT_KNOWN = "";

export class Access {
  readonly #options: AccessOptions;

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  /** Reads the caller. `hasOtherCredential`: the body may bring one. Throws MISSING_AUTH on a public address without a
   *  credential, FORBIDDEN for a page of another site. */
  read(request: IncomingMessage, hasOtherCredential = false): Caller {
    const credential = credentialIn(request);
    if (credential !== null) return this.of(credential);
    if (this.#options.isPublic) {
      if (hasOtherCredential) return { credential: null, owner: NOT_KNOWN };
      throw new ServiceError("MISSING_AUTH", "Send the API secret or a token as Authorization: Bearer or api-secret");
    }
    // A browser on this machine sends requests of any page here. It names the page's origin, or for an image the
    // relation of its site to this one; `none` is an address that a person has typed.
    const { socket, headers } = request;
    const { origin, "sec-fetch-site": site = "none" } = headers;
    const isOfPage = origin !== undefined || (site !== "none" && site !== "same-origin");
    const isForeign = isOfPage || !isAddressedHere({ ip: socket.remoteAddress ?? "", headers });
    if (isForeign) throw new ServiceError("FORBIDDEN", "Pages of browsers and proxies must send a credential");
    return { credential: null, owner: null };
  }

  /** The caller with a credential. */
  of(credential: string): Caller {
    return { credential, owner: this.#isOwn(credential) ? null : fingerprintOf(credential) };
  }

  /** Throws FORBIDDEN unless the caller operates this worker: on loopback, everyone on this machine does. */
  assertOperator({ owner }: Caller): void {
    if (owner === null || !this.#options.isPublic) return;
    throw new ServiceError("FORBIDDEN", "Only the worker's own API secret may do this");
  }

  #isOwn(credential: string): boolean {
    const { secret } = this.#options;
    if (secret === undefined) return false;
    const [given, own] = [Buffer.from(fingerprintOf(credential)), Buffer.from(fingerprintOf(secret))];
    return timingSafeEqual(given, own);
  }
}

function credentialIn({ headers }: IncomingMessage): string | null {
  const secret = headers[HEADER_API_SECRET];
  if (typeof secret === "string" && secret !== "") return secret;
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? null;
}
