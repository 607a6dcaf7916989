import { z } from "zod";
import { httpUrl, text } from "./values.ts";

/** The OpenID Connect issuer at which people may sign in to the console. */
export const signInSettings = z
  .object({
    AVATAR_OIDC_ISSUER: httpUrl.optional(),
    AVATAR_OIDC_CLIENT_ID: text.optional(),
    AVATAR_OIDC_CLIENT_SECRET: text.optional(),
    AVATAR_OIDC_NAME: text.optional(),
  })
  .transform((given, context) => {
    const { AVATAR_OIDC_ISSUER: issuer, AVATAR_OIDC_CLIENT_ID: clientId } = given;
    if ((issuer === undefined) !== (clientId === undefined)) {
      context.addIssue({
        code: "custom",
        path: ["AVATAR_OIDC_ISSUER"],
        message: "must be set together with AVATAR_OIDC_CLIENT_ID",
      });
    }
    return {
      issuer,
      clientId,
      clientSecret: given.AVATAR_OIDC_CLIENT_SECRET,
      /** As the button names it. Default: the issuer's host. */
      issuerName: given.AVATAR_OIDC_NAME ?? (issuer === undefined ? "" : new URL(issuer).hostname),
    };
  });
