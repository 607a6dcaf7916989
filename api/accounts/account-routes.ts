// Routes about accounts.
import { z } from "zod";
import { HEADER_API_SECRET } from "../../shared/wire-names.ts";
import { type Route, route } from "../kernel/http/route.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { findBySecret } from "./account-store.ts";

export function accountRoutes({ database }: Kernel): Route[] {
  return [
    route({
      method: "post",
      path: "/v1/validate",
      operation: "secrets.validate",
      tier: "none",
      // It answers for every credential, so it looks at the header itself.
      auth: "none",
      summary: "Say whether an API secret is valid; never refuses",
      tags: ["Accounts"],
      response: z.object({ valid: z.boolean() }),
      errors: [],
      async handler({ request }) {
        const secret = request.headers[HEADER_API_SECRET];
        if (typeof secret !== "string" || secret === "") return { valid: false };
        const owner = await findBySecret(database, secret);
        return { valid: owner !== null && !owner.isRevoked && owner.account.status === "active" };
      },
    }),
  ];
}
