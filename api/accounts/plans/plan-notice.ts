// Adds the Free plan's notice to answers about runtime tokens and metering, in the body and in a header.
import { z } from "zod";
import { HEADER_PLAN_NOTICE } from "../../../shared/wire-names.ts";
import { Answer } from "../../kernel/http/answer.ts";
import type { Account } from "../account.ts";
import { planNotice } from "./free-plan.ts";

export const planNoticeSchema = z.string().optional();

/** An answer with the account's plan notice in the header and in the body, or in the body's field `within`. Without a
 *  notice if none is due. */
export function withPlanNotice<T extends object>(
  account: Account,
  nowMs: number,
  body: T,
  within?: keyof T,
): Answer<T & { plan_notice?: string }> {
  const notice = planNotice(account, nowMs);
  if (notice === null) return new Answer({ json: body });
  const noted =
    within === undefined
      ? { ...body, plan_notice: notice }
      : { ...body, [within]: { ...(body[within] as object), plan_notice: notice } };
  return new Answer({ json: noted, headers: { [HEADER_PLAN_NOTICE]: notice } });
}
