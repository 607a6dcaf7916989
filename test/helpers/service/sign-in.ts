// Signs in to the console as a browser does.
import { createSignInLink } from "../../../api/accounts/sign-in/sign-in-links.ts";
import type { CallOptions, TestAnswer, TestApi } from "./with-api.ts";

/** What browsers add to the requests of the service's own pages. */
export const OWN_PAGE = Object.freeze({ "sec-fetch-site": "same-origin" });

/** A browser of one person: keeps the cookie, and sends it as the console does. */
export interface ConsoleBrowser {
  /** `name=value`. */
  cookie: string;
  call(method: string, path: string, options?: CallOptions): Promise<TestAnswer>;
}

/** The secret part of a new link. */
export async function makeLink(api: TestApi, userId: string): Promise<string> {
  const { database, now, config } = api.services;
  const { url } = await createSignInLink(database, {
    userId,
    publicUrl: config.http.publicUrl,
    now: new Date(now()),
  });
  return new URLSearchParams(new URL(url).hash.slice(1)).get("link") ?? "";
}

/** Sends a proof to the service. */
export function sendProof(api: TestApi, proof: object, headers: Record<string, string> = {}): Promise<TestAnswer> {
  return api.call("POST", "/console/session", { body: proof, headers: { ...OWN_PAGE, ...headers } });
}

/** The cookie that an answer sets, as a browser sends it back. */
export function cookieOf({ headers }: TestAnswer): string {
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** Signs an account in with a link. */
export async function signIn(api: TestApi, userId: string): Promise<ConsoleBrowser> {
  return browserWith(api, cookieOf(await sendProof(api, { link: await makeLink(api, userId) })));
}

/** A browser with this cookie. */
export function browserWith(api: TestApi, cookie: string): ConsoleBrowser {
  return {
    cookie,
    call: (method, path, options = {}) =>
      api.call(method, path, { ...options, headers: { ...OWN_PAGE, cookie, ...options.headers } }),
  };
}
