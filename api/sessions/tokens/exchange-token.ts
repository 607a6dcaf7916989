// Exchanges the secret for a runtime token, which acts for the account on the runtime routes, or a launch token for one
// that acts for its session alone.
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { canonicalLiveKitUrl } from "../../../program/outgoing/livekit-url.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { LaunchTokenCaller, SecretCaller } from "../../accounts/caller.ts";
import { planNoticeSchema, withPlanNotice } from "../../accounts/plans/plan-notice.ts";
import { requireOwnAgent } from "../../agents/agent-access.ts";
import type { Queryable } from "../../kernel/database/database.ts";
import type { Answer } from "../../kernel/http/answer.ts";
import type { RuntimeClaims } from "../../kernel/tokens/tokens.ts";
import { tokenUsed } from "../launch/token-used.ts";
import { wasTokenUsed } from "../record/session-queries.ts";
import type { SessionServices } from "../session-services.ts";
import { countLiveExchanges, insertTokenExchange } from "./token-exchange-store.ts";

/** Exchanges of an account with valid tokens at the same time, of at most 7 KB each. A launch makes one or two,
 *  which live for 5 or 15 minutes, a waiting worker one a minute. */
const MAX_LIVE_EXCHANGES = 5_000;
const LIVE_RETRY_AFTER_SECONDS = 60;

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
const scopeFields = fieldsSchema.extend({ agent_id: text(100, ""), livekit_url: text(2048, "") });

/** A runtime token for the caller's account. Sessions started with it carry its transaction_id, and use its agent and
 *  room name by default. Throws NOT_FOUND for an agent that is not the caller's. */
export async function exchangeToken(
  services: SessionServices,
  caller: SecretCaller,
  fields: z.infer<typeof fieldsSchema>,
): Promise<Answer<z.input<typeof exchangeSchema>>> {
  const { account } = caller;
  const agent = fields.agent_code ? await requireOwnAgent(services.database, account, fields.agent_code) : null;
  return exchange(services, caller, { ...fields, agent_code: agent?.code ?? null });
}

/** A runtime token for the one self-hosted session that a launch token may start. The fields must name the token's room
 *  and LiveKit server, and its agent if they name one. Throws FORBIDDEN for any other, and for a used token. */
export async function exchangeLaunchToken(
  services: SessionServices,
  caller: LaunchTokenCaller,
  fields: z.infer<typeof scopeFields>,
): Promise<Answer<z.input<typeof exchangeSchema>>> {
  const { agentCode, roomName, livekitUrl, model, tokenId } = caller;
  const named = fields.agent_code || fields.agent_id || agentCode;
  const url = fields.livekit_url && URL.canParse(fields.livekit_url) ? new URL(fields.livekit_url) : null;
  const isInScope =
    named === agentCode && fields.room_name === roomName && url !== null && canonicalLiveKitUrl(url) === livekitUrl;
  if (!isInScope) {
    throw new ServiceError("FORBIDDEN", "This token was minted for another agent, room or LiveKit server");
  }
  if (await wasTokenUsed(services.database, tokenId)) throw tokenUsed();
  const launch = { agent: agentCode, room: roomName, lk: livekitUrl, jti: tokenId, model };
  return exchange(services, caller, { ...fields, agent_code: agentCode }, launch);
}

async function exchange(
  { database, tokens, now }: SessionServices,
  caller: SecretCaller | LaunchTokenCaller,
  fields: z.infer<typeof fieldsSchema>,
  launch?: RuntimeClaims["launch"],
): Promise<Answer<z.input<typeof exchangeSchema>>> {
  const { userId } = caller.account;
  await assertFewLive(database, userId, new Date(now()));
  const id = randomUUID();
  const { token, expiresAt } = await tokens.runtime.mint({
    sub: userId,
    key: caller.secretId,
    tx: id,
    ...(launch && { launch }),
  });
  await insertTokenExchange(database, {
    id,
    userId,
    agentCode: fields.agent_code ?? null,
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

/** Throws SERVICE_UNAVAILABLE at the bound. Exchanges that come at the same time may pass it together. */
async function assertFewLive(database: Queryable, userId: string, now: Date): Promise<void> {
  const live = await countLiveExchanges(database, { userId, now, most: MAX_LIVE_EXCHANGES });
  if (live < MAX_LIVE_EXCHANGES) return;
  throw new ServiceError(
    "SERVICE_UNAVAILABLE",
    `This account has ${MAX_LIVE_EXCHANGES} runtime tokens that are valid. Use one of them, or try again later.`,
    { retryAfterSeconds: LIVE_RETRY_AFTER_SECONDS },
  );
}
