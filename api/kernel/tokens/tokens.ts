// Mints and verifies every token of this service: JWTs with an audience and a key per kind, so that no token is valid
// as another kind.
import { errors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import {
  AUDIENCE_EMBED,
  AUDIENCE_LAUNCH,
  AUDIENCE_MODEL_DOWNLOAD,
  AUDIENCE_PAGE,
  AUDIENCE_RUNTIME,
  AUDIENCE_RUNTIME_SESSION,
} from "../../../shared/wire-names.ts";
import { deriveKey } from "./derive-key.ts";

export const TOKEN_ISSUER = "open-avatar-service";

/** Account-wide runtime tokens: about five minutes. Source: the contract. */
const RUNTIME_LIFETIME_S = 300;
/** Of tokens for one session: renewed by every heartbeat; they outlive a tolerated loss of the network (5 minutes). */
const RUNTIME_SESSION_LIFETIME_S = 900;
/** Minted and embed tokens: one hour. Source: the contract. */
const HOUR_S = 3600;
/** The start page gets another one whenever it needs one. */
const PAGE_LIFETIME_S = 600;

const uuid = z.uuid();
const owner = { sub: uuid, key: uuid };
const launchScope = {
  agent: z.string(),
  room: z.string(),
  lk: z.string(),
  jti: z.string(),
  model: z.string().nullable().default(null),
};
const runtimeClaims = z.object({ ...owner, tx: uuid.optional(), launch: z.object(launchScope).optional() });
const runtimeSessionClaims = z.object({ sub: z.string(), dispatch: z.int() });
const launchClaims = z.object({ ...owner, ...launchScope });
const modelDownloadClaims = z.object({ ...owner, agent: z.string() });
const pageClaims = z.object(owner);
const embedClaims = z.preprocess(
  // The contract's other name for the visitor's claim.
  (claims: Record<string, unknown>) => ({ endUserId: claims.fingerprint, ...claims }),
  z.object({
    sub: uuid,
    key: uuid.optional(),
    sid: z.string(),
    agent: z.string(),
    endUserId: z.string().nullable(),
    model: z.string().nullable(),
    demo: z.boolean().optional(),
    console: z.boolean().optional(),
  }),
);

/** `sub` is the account, `key` the API secret behind the token; revoking the secret revokes the token. `tx` is the
 *  transaction_id of the exchange; `launch` is what the token may begin, if a launch token was exchanged. */
export type RuntimeClaims = z.infer<typeof runtimeClaims>;
/** `sub` is the avatar session, `dispatch` the number of the dispatch that the worker answers. */
export type RuntimeSessionClaims = z.infer<typeof runtimeSessionClaims>;
/** `lk` is the LiveKit URL; `jti` starts one avatar session; `model` is the only model that it may start, or null. */
export type LaunchClaims = z.infer<typeof launchClaims>;
export type ModelDownloadClaims = z.infer<typeof modelDownloadClaims>;
export type PageClaims = z.infer<typeof pageClaims>;
/** Without `key`, the token is that of a visitor of a public agent. `sid` is the embed session, `endUserId` the
 *  visitor, or null if visitors share the token. `demo` marks tokens of `/demo`, which caps avatar sessions;
 *  `console` those of a person who has signed in to the console. */
export type EmbedClaims = z.infer<typeof embedClaims>;

export interface MintedToken {
  token: string;
  /** Unix seconds. */
  expiresAt: number;
}

/** One kind of token. `verify` throws UNAUTHORIZED for anything but a valid, unexpired token of this kind. */
export interface TokenKind<Claims> {
  mint(claims: Claims): Promise<MintedToken>;
  verify(token: string): Promise<Claims>;
}

export interface Tokens {
  runtime: TokenKind<RuntimeClaims>;
  runtimeSession: TokenKind<RuntimeSessionClaims>;
  launch: TokenKind<LaunchClaims>;
  modelDownload: TokenKind<ModelDownloadClaims>;
  embed: TokenKind<EmbedClaims>;
  page: TokenKind<PageClaims>;
}

export interface TokensOptions {
  /** At least 32 bytes, kept by the installation. Each kind of token has a key derived from it. */
  signingKey: Uint8Array;
  /** Until when tokens signed directly with `signingKey` are accepted, in ms since the epoch. Default: never. */
  undividedKeyUntilMs?: number;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Mints and verifies the tokens of an installation. */
export function createTokens({ signingKey, undividedKeyUntilMs = 0, now }: TokensOptions): Tokens {
  function kind<Claims extends Record<string, unknown>>(
    audience: string,
    lifetimeS: number | ((claims: Claims) => number),
    schema: z.ZodType<Claims>,
  ): TokenKind<Claims> {
    const key = deriveKey(signingKey, `token:${audience}`);

    async function payloadOf(token: string, verifyKey: Uint8Array): Promise<unknown> {
      const { payload } = await jwtVerify(token, verifyKey, {
        algorithms: ["HS256"],
        issuer: TOKEN_ISSUER,
        audience,
        currentDate: new Date(now()),
        requiredClaims: ["exp"],
      });
      return payload;
    }

    return {
      async mint(claims) {
        const issuedAt = Math.floor(now() / 1000);
        const expiresAt = issuedAt + (typeof lifetimeS === "number" ? lifetimeS : lifetimeS(claims));
        const token = await new SignJWT(claims)
          .setProtectedHeader({ alg: "HS256" })
          .setIssuer(TOKEN_ISSUER)
          .setAudience(audience)
          .setIssuedAt(issuedAt)
          .setExpirationTime(expiresAt)
          .sign(key);
        return { token, expiresAt };
      },

      async verify(token) {
        try {
          const payload = await payloadOf(token, key).catch((error: unknown) => {
            const isOtherKey = error instanceof errors.JWSSignatureVerificationFailed;
            if (isOtherKey && now() < undividedKeyUntilMs) return payloadOf(token, signingKey);
            throw error;
          });
          return schema.parse(payload);
        } catch (cause) {
          const isExpired = cause instanceof errors.JWTExpired;
          throw new ServiceError("UNAUTHORIZED", isExpired ? "The token has expired" : "The token is not valid", {
            cause,
          });
        }
      },
    };
  }

  return {
    runtime: kind(
      AUDIENCE_RUNTIME,
      // A launch token is exchanged once, so its runtime token cannot be replaced after a loss of the network.
      ({ launch }) => (launch ? RUNTIME_SESSION_LIFETIME_S : RUNTIME_LIFETIME_S),
      runtimeClaims,
    ),
    runtimeSession: kind(AUDIENCE_RUNTIME_SESSION, RUNTIME_SESSION_LIFETIME_S, runtimeSessionClaims),
    launch: kind(AUDIENCE_LAUNCH, HOUR_S, launchClaims),
    modelDownload: kind(AUDIENCE_MODEL_DOWNLOAD, HOUR_S, modelDownloadClaims),
    embed: kind(AUDIENCE_EMBED, HOUR_S, embedClaims),
    page: kind(AUDIENCE_PAGE, PAGE_LIFETIME_S, pageClaims),
  };
}
