// Signing in at an OpenID Connect issuer that the operator has configured: authorization code with PKCE.
import * as openid from "openid-client";
import type { Logger } from "../../../program/log.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { createTextSeal } from "../../kernel/tokens/sealed-text.ts";
import type { SignInConfig } from "./sign-in-config.ts";

/** How long a person may take at the issuer. */
export const ISSUER_STATE_MS = 10 * 60_000;
/** For each request to the issuer. */
const TIMEOUT_SECONDS = 10;
const SEAL = "console-sign-in";
const CALLBACK_PATH = "/console/callback";

/** A person, as the issuer names them. */
export interface Identity {
  issuer: string;
  /** Unique and unchanging at the issuer. */
  subject: string;
  /** Null if the issuer names none, or has not verified it. */
  verifiedEmail: string | null;
}

export interface Issuer {
  /** For the button. */
  name: string;
  /** Where the browser goes to sign in, and what it has to bring back. Throws UPSTREAM_UNAVAILABLE if the issuer does
   *  not answer. */
  begin(): Promise<{ url: string; state: string }>;
  /** The person that the issuer has sent back. `query`: of the callback. Throws UNAUTHORIZED if it does not belong to
   *  `state`, is too late or was forged, and UPSTREAM_UNAVAILABLE. */
  finish(state: string | null, query: string): Promise<Identity>;
}

export interface IssuerOptions {
  config: SignInConfig;
  /** Base of the service's URLs, without a trailing slash. */
  publicUrl: string;
  signingKey: Uint8Array;
  /** Milliseconds since the epoch. */
  now: () => number;
  logger: Logger;
}

interface State {
  state: string;
  nonce: string;
  verifier: string;
  untilMs: number;
}

/** The issuer; null if none is configured. */
export function createIssuer({ config, publicUrl, signingKey, now, logger }: IssuerOptions): Issuer | null {
  const { issuer: issuerUrl, clientId, clientSecret, issuerName } = config;
  if (issuerUrl === undefined || clientId === undefined) return null;
  const seal = createTextSeal(signingKey, SEAL);
  const redirectUri = publicUrl + CALLBACK_PATH;
  let discovered: Promise<openid.Configuration> | undefined;

  /** What the issuer says of itself, fetched once. */
  async function configuration(): Promise<openid.Configuration> {
    discovered ??= openid.discovery(
      new URL(issuerUrl as string),
      clientId as string,
      clientSecret,
      clientSecret === undefined ? openid.None() : undefined,
      {
        timeout: TIMEOUT_SECONDS,
        execute: [
          // Without it the signature of a token that comes from the issuer itself is not checked.
          openid.enableNonRepudiationChecks,
          // Only an operator names an issuer, and one on this machine may have no certificate.
          ...(issuerUrl?.startsWith("http:") ? [openid.allowInsecureRequests] : []),
        ],
      },
    );
    try {
      return await discovered;
    } catch (cause) {
      discovered = undefined;
      logger.warn({ err: cause }, "sign-in issuer did not answer");
      throw new ServiceError("UPSTREAM_UNAVAILABLE", `${issuerName} cannot be reached. Try again in a moment.`, {
        cause,
      });
    }
  }

  function open(sealed: string | null): State {
    try {
      const state: State = JSON.parse(seal.open(Buffer.from(sealed ?? "", "base64url")));
      if (state.untilMs > now()) return state;
    } catch {
      // Not one of ours: the answer is the same as for one that is too old.
    }
    throw new ServiceError("UNAUTHORIZED", "This sign-in took too long or began in another browser. Begin again.");
  }

  return {
    name: issuerName,
    async begin() {
      const server = await configuration();
      const state = openid.randomState();
      const nonce = openid.randomNonce();
      const verifier = openid.randomPKCECodeVerifier();
      const url = openid.buildAuthorizationUrl(server, {
        redirect_uri: redirectUri,
        scope: "openid email",
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        nonce,
      });
      const kept: State = { state, nonce, verifier, untilMs: now() + ISSUER_STATE_MS };
      return { url: url.href, state: seal.seal(JSON.stringify(kept)).toString("base64url") };
    },

    async finish(sealed, query) {
      const { state, nonce, verifier } = open(sealed);
      const server = await configuration();
      try {
        const tokens = await openid.authorizationCodeGrant(server, new URL(`${redirectUri}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new Error("the answer has no ID token");
        // Many issuers put the address into the user info alone.
        const { email, email_verified: isVerified } =
          claims.email === undefined && server.serverMetadata().userinfo_endpoint !== undefined
            ? await openid.fetchUserInfo(server, tokens.access_token, claims.sub)
            : claims;
        const verifiedEmail = typeof email === "string" && isVerified === true ? email : null;
        return { issuer: claims.iss, subject: claims.sub, verifiedEmail };
      } catch (cause) {
        logger.warn({ err: cause }, "sign-in at the issuer failed");
        throw new ServiceError("UNAUTHORIZED", `${issuerName} did not confirm who you are. Begin again.`, { cause });
      }
    },
  };
}
