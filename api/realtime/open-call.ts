// Opens a realtime call for a relay: checks the caller's credential, account, plan and balance, and finds the upstream.
import { ServiceError } from "../../shared/errors.ts";
import type { OpenCall, OpenedCall, RelayCaller } from "../../shared/realtime-api.ts";
import { HEADER_API_SECRET } from "../../shared/wire-names.ts";
import type { Account } from "../accounts/account.ts";
import { assertMaySpend, balanceOf } from "../accounts/credits/ledger.ts";
import { rateRefusal, takeAddressRate } from "../kernel/http/rate-headers.ts";
import type { RouteAccess } from "../kernel/http/route.ts";
import type { CallIds } from "./call-id.ts";
import { insertCall } from "./call-store.ts";
import type { RealtimeServices } from "./realtime-services.ts";
import { chooseModel, findUpstream } from "./upstreams.ts";

/** Minimum balance to start a call. It ends when the balance is used up. */
const ENTRY_CREDITS = 1;
/** A call spends credits, so suspended accounts may not open one. */
const ACCESS: RouteAccess = { method: "post", tier: "address" };

/** Opens a call. Throws the contract's refusals, in its order: credential, model, plan, suspension, credits, server. */
export async function openCall(services: RealtimeServices, ids: CallIds, request: OpenCall): Promise<OpenedCall> {
  const { database, links, now } = services;
  const { account, secretId } = await identifyCaller(services, request.caller);
  const model = chooseModel(services, { ...request, account });
  if (account.isRuntimeSuspended) {
    throw new ServiceError("RUNTIME_SUSPENDED", "Runtime access of this account is suspended");
  }
  assertMaySpend(account, (await balanceOf(database, account.userId)).total, ENTRY_CREDITS, links);
  const upstream = await findUpstream(services, { account, model, query: request.query });
  const id = ids.mint(account.userId);
  const { userId } = account;
  await insertCall(database, { id, userId, secretId, relayId: request.relay_id, model, at: new Date(now()) });
  return { call_id: id, model, upstream };
}

/** The caller of a request to a relay. The secret may be sent as Bearer too, and the start page sends its token. Counts
 *  the request for the client's address. Throws RATE_LIMITED and the refusals of authentication. */
export async function identifyCaller(
  { limiter, authenticator }: RealtimeServices,
  { ip, headers }: RelayCaller,
): Promise<{ account: Account; secretId: string }> {
  const rate = await takeAddressRate(limiter, ip);
  if (!rate.isAllowed) throw rateRefusal(ACCESS.tier, rate);
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  const isSecret = headers[HEADER_API_SECRET] === undefined && bearer !== undefined && !bearer.startsWith("eyJ");
  const given = isSecret ? { ...headers, [HEADER_API_SECRET]: bearer } : headers;
  const { caller } = await authenticator.authenticate("secret-or-page", { headers: given, ip, isForm: false }, ACCESS);
  return { account: caller.kind === "page" ? caller.operator : caller.account, secretId: caller.secretId };
}
