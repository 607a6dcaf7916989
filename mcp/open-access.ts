// What the tools of an account work with.
import { Client } from "../sdk/client/index.ts";
import type { ToolContext, ToolFiles } from "./tool.ts";

/** What tools work with, besides the call itself. */
export interface ToolAccess extends Pick<ToolContext, "client" | "userId" | "files"> {
  /** Never part of a result. */
  secrets: readonly string[];
}

export interface AccessOptions {
  /** Address of the service, without a trailing slash. */
  baseUrl: string;
  /** Null for none: then only open calls succeed. */
  apiSecret: string | null;
  files: ToolFiles | null;
  /** Of the secret's account. Default: the service is asked, once. */
  userId?: string;
  /** Default: the platform's. */
  fetch?: typeof fetch;
  /** Further attempts after 429 and 5xx. Default: the client's. */
  maxRetries?: number;
}

export function openAccess({ files, userId, ...options }: AccessOptions): ToolAccess {
  const client = new Client(options);
  let known = userId === undefined ? undefined : Promise.resolve(userId);
  return {
    client,
    files,
    secrets: options.apiSecret === null ? [] : [options.apiSecret],
    async userId() {
      known ??= client.accounts.me().then(({ user_id }) => user_id);
      try {
        return await known;
      } catch (error) {
        known = undefined;
        throw error;
      }
    },
  };
}
