// Exchanging the secret for a runtime token, which acts for the account on the runtime routes.
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { SecretCaller } from "../../accounts/caller.ts";
import type { Answer } from "../../kernel/http/answer.ts";
import { planNoticeSchema, withPlanNotice } from "../plan-notice.ts";
import type { SessionServices } from "../session-services.ts";

export const exchangeSchema = z.object({
  status: z.literal("success"),
  status_code: z.literal(200),
  data: z.object({
    token: z.string(),
    transaction_id: z.uuid(),
    expires_at: z.int(),
    plan_notice: planNoticeSchema,
  }),
});

/** A runtime token for the caller's account. */
export async function exchangeToken(
  { tokens, now }: SessionServices,
  caller: SecretCaller,
): Promise<Answer<z.input<typeof exchangeSchema>>> {
  const { token, expiresAt } = await tokens.runtime.mint({ sub: caller.account.userId, key: caller.secretId });
  const data = { token, transaction_id: randomUUID(), expires_at: expiresAt };
  return withPlanNotice(caller.account, now(), { status: "success" as const, status_code: 200 as const, data }, "data");
}
