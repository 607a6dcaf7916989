// Routes about accounts.
import { z } from "zod";
import { HEADER_API_SECRET } from "../../shared/wire-names.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { SECRET_MAX_CHARACTERS } from "./authenticator.ts";
import type { SecretGate } from "./secrets/secret-gate.ts";

export function accountRoutes(gate: SecretGate): Route[] {
  return [
    route({
      method: "post",
      path: "/v1/validate",
      operation: "secrets.validate",
      // By contract it always answers 200, without rate headers. The gate looks up concurrent requests in one
      // statement.
      tier: "none",
      // It answers every credential with 200, so it reads the header itself.
      auth: "none",
      summary: "Check whether an API secret is valid",
      tags: ["Accounts"],
      response: z.object({ valid: z.boolean() }),
      errors: [],
      async handler({ request }) {
        const secret = request.headers[HEADER_API_SECRET];
        if (typeof secret !== "string" || secret === "" || secret.length > SECRET_MAX_CHARACTERS)
          return { valid: false };
        const owner = (await gate.open(secret, null))?.owner;
        return { valid: owner !== undefined && !owner.isRevoked && owner.standing === "active" };
      },
    }),
  ];
}
