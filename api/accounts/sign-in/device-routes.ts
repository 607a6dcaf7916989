// Routes of signing in a program by a code: two that the program calls, and two for the page where a person decides.
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import type { AccountServices } from "../account-services.ts";
import { hasApiAccess } from "../plans/free-plan.ts";
import { createDeviceCodes, DEVICE_CODE_SECONDS, DEVICE_INTERVAL_SECONDS } from "./device-codes.ts";

const TAGS = ["Accounts"];
const PAGE_TAGS = ["Console"];
const MAX_NAME_CHARACTERS = 255;
const MAX_CODE_CHARACTERS = 100;
const MAX_SECRET_CHARACTERS = 200;
const PAGE = "/device";

const codeSchema = z.object({ user_code: z.string().max(MAX_CODE_CHARACTERS) });

export function deviceRoutes(services: AccountServices): Route[] {
  const { config, database, links, logger, now } = services;
  const { publicUrl } = config.http;
  const devices = createDeviceCodes(services);
  const paged = { tags: PAGE_TAGS, internal: true, requiresJsonType: true, auth: "console", tier: "address" } as const;

  return [
    route({
      method: "post",
      path: "/v1/cli/device",
      operation: "deviceCodes.create",
      tier: "address",
      auth: "none",
      summary: "Begin the sign-in of a program on a computer, which a person then confirms in the console",
      description:
        "As RFC 8628 describes it: show user_code and verification_uri, then ask POST /v1/cli/token every interval seconds.",
      tags: TAGS,
      bodyTypes: ["json", "form"],
      body: z.object({
        hostname: z.string().max(MAX_NAME_CHARACTERS).nullish().meta({
          description: "Name of the computer, which the person is shown; the secret is called cli@<hostname>",
        }),
      }),
      example: { body: { hostname: "desk" } },
      response: z.object({
        device_code: z.string().meta({ description: "For POST /v1/cli/token; keep it in the program" }),
        user_code: z.string().meta({ description: "The code that the person confirms" }),
        verification_uri: z.string().meta({ description: "Where the person confirms it" }),
        verification_uri_complete: z.string().meta({ description: "The same, with the code filled in" }),
        expires_in: z.int().meta({ description: "How long both codes work, in seconds" }),
        interval: z.int().meta({ description: "Seconds to wait between two requests for the token" }),
      }),
      errors: ["RATE_LIMITED"],
      async handler({ body, request }) {
        const code = await devices.begin({ host: body.hostname ?? "", address: request.ip });
        return {
          device_code: code.deviceCode,
          user_code: code.userCode,
          verification_uri: publicUrl + PAGE,
          verification_uri_complete: `${publicUrl}${PAGE}?code=${code.userCode}`,
          expires_in: DEVICE_CODE_SECONDS,
          interval: DEVICE_INTERVAL_SECONDS,
        };
      },
    }),
    route({
      method: "post",
      path: "/v1/cli/token",
      operation: "deviceCodes.redeem",
      tier: "address",
      auth: "none",
      summary: "Ask whether a sign-in was confirmed; then, once, the API secret of the computer",
      description:
        "While the person has not decided, the answer is 200 with the status pending. An unknown, used or expired code gets 400, a denied one 403.",
      tags: TAGS,
      bodyTypes: ["json", "form"],
      body: z.object({
        device_code: z.string().max(MAX_CODE_CHARACTERS).meta({ description: "As POST /v1/cli/device returned it" }),
        former_secret: z.string().max(MAX_SECRET_CHARACTERS).nullish().meta({
          description: "The API secret that this computer got before; it is revoked, and the new one gets its name",
        }),
      }),
      example: { body: { device_code: "DEVICE_CODE" } },
      response: z.object({
        status: z.enum(["pending", "complete"]).meta({ description: "Whether the person has confirmed the code" }),
        access_token: z.string().optional().meta({ description: "The API secret; only this answer contains it" }),
        token_type: z
          .literal("api-secret")
          .optional()
          .meta({ description: "How access_token is sent: in the api-secret header" }),
        alias: z.string().optional(),
        user_id: z.string().optional().meta({ description: "The account that has confirmed the code" }),
        email: z.string().optional(),
      }),
      errors: ["FORBIDDEN", "RATE_LIMITED"],
      async handler({ body }) {
        const result = await devices.redeem(body.device_code, body.former_secret ?? undefined);
        if (result.status === "pending") return { status: "pending" as const };
        const { account, alias, secret } = result;
        logger.info({ userId: account.userId, alias }, "api secret issued to a device");
        return {
          status: "complete" as const,
          access_token: secret,
          token_type: "api-secret" as const,
          alias,
          user_id: account.userId,
          email: account.email,
        };
      },
    }),
    // A code in a path or a query would be logged by proxies, so it is looked up with a body.
    route({
      ...paged,
      method: "post",
      path: "/console/device/find",
      operation: "consoleDevices.find",
      summary: "The computer that waits with a code",
      body: codeSchema,
      response: z.object({ user_code: z.string(), host: z.string(), address: z.string(), created_at: z.string() }),
      errors: ["FORBIDDEN", "NOT_FOUND"],
      async handler({ body }) {
        const { userCode, host, address, createdAt } = await devices.find(body.user_code);
        return { user_code: userCode, host, address, created_at: createdAt.toISOString() };
      },
    }),
    route({
      ...paged,
      method: "post",
      path: "/console/device/decide",
      operation: "consoleDevices.decide",
      personalSecretOnly: true,
      summary: "Confirm or deny the code of a computer",
      body: codeSchema.extend({ is_confirmed: z.boolean() }),
      response: z.object({ is_confirmed: z.boolean() }),
      errors: ["FORBIDDEN", "NOT_FOUND", "PLAN_REQUIRED"],
      async handler({ body, caller }) {
        const { account } = caller;
        if (body.is_confirmed && !(await hasApiAccess(database, account, now()))) {
          throw new ServiceError("PLAN_REQUIRED", "API secrets need a paid plan (Creator or higher)", {
            details: { upgrade_url: links.upgradeUrl },
          });
        }
        await devices.decide(body.user_code, { userId: account.userId, isDenied: !body.is_confirmed });
        return { is_confirmed: body.is_confirmed };
      },
    }),
  ];
}
