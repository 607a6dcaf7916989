import { z } from "zod";
import { isLoopbackHost } from "../outgoing/loopback.ts";
import { flag, httpUrl, port, text, withoutTrailingSlash } from "./values.ts";

const PUBLIC_URL = httpUrl.optional();

/** Where the service listens, and how it is reached. */
export const httpSettings = z
  .object({
    PORT: port.default(8080),
    HOST: text.default("127.0.0.1"),
    PUBLIC_URL,
    AVATAR_API_URL: httpUrl.optional(),
    AVATAR_TRUST_PROXY: flag.default(false),
  })
  .transform(({ PORT, HOST, AVATAR_API_URL, AVATAR_TRUST_PROXY, ...given }) => {
    const publicUrl = given.PUBLIC_URL ?? `http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${PORT}`;
    return {
      port: PORT,
      host: HOST,
      /** Base of every URL in an answer, without a trailing slash. */
      publicUrl: withoutTrailingSlash(publicUrl),
      /** Base of the runtime API as avatar workers reach it, without a trailing slash. Default: `publicUrl`. */
      apiUrl: withoutTrailingSlash(AVATAR_API_URL ?? publicUrl),
      hasOwnApiUrl: AVATAR_API_URL !== undefined,
      hasLocalUrl: isLocal(given.PUBLIC_URL),
      trustProxy: AVATAR_TRUST_PROXY,
    };
  });

/** What the pages may do and say. */
export const pageSettings = z
  .object({
    PUBLIC_URL,
    AVATAR_FRAME_ANCESTORS: text.default("*"),
    AVATAR_DEMO: flag.default(false),
    AVATAR_DISCLOSURE: flag.default(true),
  })
  .transform((page) => ({
    frameAncestors: page.AVATAR_FRAME_ANCESTORS,
    /** Who may open `/demo`, which spends the operator's resources without a credential. */
    demoAccess: page.AVATAR_DEMO ? "everyone" : isLocal(page.PUBLIC_URL) ? "this-machine" : "no-one",
    hasDisclosure: page.AVATAR_DISCLOSURE,
  }));

/** Whether `PUBLIC_URL` is unset or names this machine. Any other means a proxy, behind which every visitor may look
 *  like this machine. */
function isLocal(publicUrl: string | undefined): boolean {
  return publicUrl === undefined || isLoopbackHost(new URL(publicUrl).hostname);
}
