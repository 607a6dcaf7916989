// Where the page's embed token comes from: its address, a visit of a public agent, or the widget that shows it.
import { RequestError } from "../shared/request-error.ts";
import { sendRequest } from "../shared/send-request.ts";

export interface Credential {
  /** The present token; asks for one if there is none. Throws RequestError. */
  get(): Promise<string>;
  /** A token in the place of one that the service refused. Throws RequestError if there is none to get. */
  renew(): Promise<string>;
}

const TIMEOUT_MS = 20_000;
const SHARE_PATH = /\/share\/([^/]+)\/?$/;

/** A token that cannot be replaced. */
export function fixedToken(token: string): Credential {
  const renew = () => Promise.reject(expired());
  return { get: async () => token, renew };
}

/** The code of the agent at a public page's address; undefined for other addresses. */
export function sharedAgentOf(pageAddress: string): string | undefined {
  const [, code] = SHARE_PATH.exec(new URL(pageAddress).pathname) ?? [];
  try {
    return code === undefined ? undefined : decodeURIComponent(code);
  } catch {
    return undefined;
  }
}

/** The address beside which the page's routes lie: that of the embed page, also for a public one. */
export function routesAddress(pageAddress: string): URL {
  const url = new URL(pageAddress);
  url.pathname = url.pathname.replace(SHARE_PATH, "/embed/$1");
  return url;
}

/** The still of a public agent, which needs no token. */
export function posterAddress(pageAddress: string, agentCode: string): string {
  return new URL(`../share/${encodeURIComponent(agentCode)}/poster`, routesAddress(pageAddress)).href;
}

/** Tokens for the visitor of a public agent. */
export function visitOf(pageAddress: string, agentCode: string, tabId: string): Credential {
  return renewable(undefined, async () => {
    const { token } = await sendRequest(new URL("visit", routesAddress(pageAddress)), {
      method: "POST",
      body: { agent_id: agentCode, tab_id: tabId },
      timeoutMs: TIMEOUT_MS,
    });
    if (typeof token !== "string") throw new RequestError("BAD_ANSWER", "The service gave no token.");
    return token;
  });
}

/** Tokens that `ask` gets when they are needed. Requests at once share one question. */
export function renewable(
  first: string | undefined,
  ask: (reason: "missing" | "expired") => Promise<string>,
): Credential & {
  /** A token that came unasked takes the place of the present one. */
  give(token: string): void;
} {
  let token = first;
  let asked: Promise<string> | undefined;
  const askOnce = (reason: "missing" | "expired"): Promise<string> => {
    asked ??= ask(reason)
      .then((fresh) => {
        token = fresh;
        return fresh;
      })
      .finally(() => {
        asked = undefined;
      });
    return asked;
  };
  return {
    get: async () => token ?? askOnce("missing"),
    renew: () => askOnce("expired"),
    give: (fresh) => {
      token = fresh;
    },
  };
}

export function expired(): RequestError {
  return new RequestError("UNAUTHORIZED", "The token has expired.");
}
