// Exchanges the secret for a runtime token, which acts for the account on the runtime routes.
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { SecretCaller } from "../../accounts/caller.ts";
import { requireOwnAgent } from "../../agents/agent-access.ts";
import type { Answer } from "../../kernel/http/answer.ts";
import { planNoticeSchema, withPlanNotice } from "../plan-notice.ts";
import type { SessionServices } from "../session-services.ts";
import { insertTokenExchange } from "./token-exchange-store.ts";

/** An account's runtime token. */
const runtimeTokenSchema = z
  .object({
    token: z.string(),
    transaction_id: z.uuid(),
    expires_at: z.int(),
    plan_notice: planNoticeSchema,
  })
  .meta({ id: "RuntimeToken" });

export const exchangeSchema = z.object({
  status: z.literal("success"),
  status_code: z.literal(200),
  data: runtimeTokenSchema,
});

const text = (maxLength: number, description: string) => z.string().max(maxLength).nullish().meta({ description });

/** Fields of an exchange that a launch does not have. */
export const exchangeFields = {
  billing_type: text(60, "Exchange: stored with it. The model and where it runs decide the rate."),
  user_id: text(200, "Your end user, shown with the session, or with the sessions that are begun with the token"),
  fingerprint: text(200, "Exchange: id of the runtime installation, stored with it"),
  tags: text(1000, "Exchange: shown with the sessions that are begun with the token"),
};
const fieldsSchema = z.object({ ...exchangeFields, agent_code: text(100, ""), room_name: text(256, "") });

/** A runtime token for the caller's account. Sessions started with it carry its transaction_id, and use its agent and
 *  room name by default. Throws NOT_FOUND for an agent that is not the caller's. */
export async function exchangeToken(
  { database, tokens, now }: SessionServices,
  caller: SecretCaller,
  fields: z.infer<typeof fieldsSchema>,
): Promise<Answer<z.input<typeof exchangeSchema>>> {
  const { userId } = caller.account;
  const agent = fields.agent_code ? await requireOwnAgent(database, caller.account, fields.agent_code) : null;
  const id = randomUUID();
  const { token, expiresAt } = await tokens.runtime.mint({ sub: userId, key: caller.secretId, tx: id });
  await insertTokenExchange(database, {
    id,
    userId,
    agentCode: agent?.code ?? null,
    billingType: fields.billing_type || null,
    roomName: fields.room_name || null,
    endUserId: fields.user_id || null,
    fingerprint: fields.fingerprint || null,
    tags: fields.tags || null,
    expiresAt: new Date(expiresAt * 1000),
  });
  const data = { token, transaction_id: id, expires_at: expiresAt };
  return withPlanNotice(caller.account, now(), { status: "success" as const, status_code: 200 as const, data }, "data");
}
