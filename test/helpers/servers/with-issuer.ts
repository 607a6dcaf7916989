// An OpenID Connect issuer on this machine: discovery, keys, codes with PKCE and signed ID tokens. A browser that
// opens its page is sent back at once.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

export interface TestIssuer {
  /** Its address, and the name in its tokens. */
  url: string;
  clientId: string;
  clientSecret: string;
  /** Claims of the person who signs in next. */
  person: { sub: string; email?: string; email_verified?: boolean };
  /** What its ID tokens say instead of the truth: for forged ones. */
  forged: { iss?: string; aud?: string; nonce?: string; isForeignKey?: boolean };
  /** What a person does at the issuer: signs in, and is sent back with the query that this returns. */
  signIn(authorizationUrl: string): string;
}

interface Grant {
  nonce: string;
  challenge: string;
  redirectUri: string;
}

/** Runs `work` with an issuer and closes it afterwards. */
export async function withIssuer<T>(work: (issuer: TestIssuer) => Promise<T>): Promise<T> {
  const own = await generateKeyPair("RS256");
  const foreign = await generateKeyPair("RS256");
  const jwk = { ...(await exportJWK(own.publicKey)), kid: "k1", alg: "RS256", use: "sig" };
  const grants = new Map<string, Grant>();
  const clientId = "console";
  const clientSecret = "a secret of the client";
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/authorize?")) {
      const asked = new URL(request.url, url);
      const back = `${asked.searchParams.get("redirect_uri")}?${issuer.signIn(asked.href)}`;
      return response.writeHead(302, { location: back }).end();
    }
    answer(request).then(
      (body) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body)),
      () => response.writeHead(400, { "content-type": "application/json" }).end('{"error":"invalid_grant"}'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: TestIssuer = {
    url,
    clientId,
    clientSecret,
    person: { sub: "person-1" },
    forged: {},
    signIn(authorizationUrl) {
      const { searchParams } = new URL(authorizationUrl);
      const code = crypto.randomUUID();
      const named = (name: string) => searchParams.get(name) ?? "";
      grants.set(code, {
        nonce: named("nonce"),
        challenge: named("code_challenge"),
        redirectUri: named("redirect_uri"),
      });
      return new URLSearchParams({ code, state: named("state"), iss: url }).toString();
    },
  };

  async function answer(request: IncomingMessage): Promise<object> {
    if (request.url === "/.well-known/openid-configuration") {
      return {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
        authorization_response_iss_parameter_supported: true,
      };
    }
    if (request.url === "/keys") return { keys: [jwk] };
    if (request.url !== "/token") throw new Error(`no endpoint ${request.url}`);
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const code = form.get("code") ?? "";
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight = grant?.challenge === challenge && grant.redirectUri === form.get("redirect_uri");
    if (!isRight || form.get("client_secret") !== clientSecret) throw new Error("wrong grant");
    const { forged, person } = issuer;
    const token = await new SignJWT({ nonce: forged.nonce ?? grant.nonce, ...person })
      .setProtectedHeader({ alg: "RS256", kid: "k1" })
      .setIssuer(forged.iss ?? url)
      .setAudience(forged.aud ?? clientId)
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(forged.isForeignKey ? foreign.privateKey : own.privateKey);
    return { access_token: "access", token_type: "Bearer", expires_in: 300, id_token: token };
  }

  try {
    return await work(issuer);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
