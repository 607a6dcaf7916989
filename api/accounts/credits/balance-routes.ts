// Routes for an account's profile, credits and prices.
import { z } from "zod";
import { type Route, route } from "../../kernel/http/route.ts";
import type { AccountServices } from "../account-services.ts";
import { PLAN_LIMITS, type Plan } from "../plans/plans.ts";
import { balanceOf, standingOf } from "./ledger.ts";
import { minutesEstimate, pricing, pricingSchema } from "./pricing.ts";

const TAGS = ["Accounts"];

const profileSchema = z
  .object({
    user_id: z.string(),
    email: z.string(),
    plan: z.string(),
    plan_code: z.string(),
    credit_balance: z.int(),
    plan_credits_remaining: z.int(),
    topup_credits_remaining: z.int(),
    account_status: z.enum(["active", "suspended"]),
    runtime_suspended: z.boolean().meta({
      description: "Whether new sessions are refused since runtime/revoke-all, until an API secret is issued",
    }),
    upgrade_url: z.string(),
    pricing_url: z.string(),
    limits: z
      .object({
        generate_requests_per_minute: z.int(),
        write_requests_per_minute: z.int(),
        read_requests_per_minute: z.int(),
        agents: z.int().nullable(),
        concurrent_sessions: z.int().nullable(),
      })
      .meta({ description: "Of the plan, for all API secrets together; null for no limit" }),
  })
  .meta({ id: "AccountProfile" });

const creditSummarySchema = z
  .object({
    user_id: z.string(),
    balance: z.number().meta({
      description: "Sum of plan, reward and top-up credits, minus the usage of running sessions; may be negative",
    }),
    plan_credits: z.number(),
    topup_credits: z.number(),
    is_enterprise: z.boolean(),
    isEnterprisePlanUser: z.boolean().meta({ description: "Former name of is_enterprise" }),
    minutes_estimate: z.record(z.string(), z.int()).meta({
      description:
        "Whole minutes that the balance buys, for each model and way to serve it; 0 for what is not available",
    }),
  })
  .meta({ id: "CreditSummary" });

export function balanceRoutes({ database, config, links, offeredModels, isRelayed }: AccountServices): Route[] {
  return [
    route({
      method: "get",
      path: "/v1/me",
      operation: "accounts.me",
      // The contract counts this route per address.
      tier: "address",
      auth: "secret",
      summary: "Get the account of the API secret",
      tags: TAGS,
      response: z.object({ status: z.literal("success"), status_code: z.literal(200), data: profileSchema }),
      errors: [],
      async handler({ caller: { account } }) {
        const balance = await balanceOf(database, account.userId);
        return {
          status: "success" as const,
          status_code: 200 as const,
          data: {
            user_id: account.userId,
            email: account.email,
            plan: account.plan,
            plan_code: `membership_${account.plan}`,
            credit_balance: balance.total,
            plan_credits_remaining: balance.pools.plan,
            topup_credits_remaining: balance.pools.topup,
            account_status: standingOf(account, balance.total),
            runtime_suspended: account.isRuntimeSuspended,
            upgrade_url: links.upgradeUrl,
            pricing_url: `${config.http.publicUrl}/v1/pricing`,
            limits: limitsOf(account.plan),
          },
        };
      },
    }),
    route({
      method: "get",
      path: "/v2/credit-summaries",
      operation: "credits.summarize",
      tier: "read",
      auth: "secret",
      summary: "Get the account's credits and the minutes that they pay for",
      tags: TAGS,
      response: z.object({ success: z.literal(true), data: creditSummarySchema }),
      errors: [],
      async handler({ caller: { account } }) {
        const { total, pools } = await balanceOf(database, account.userId);
        const isEnterprise = account.plan === "enterprise" || account.plan === "custom";
        return {
          success: true as const,
          data: {
            user_id: account.userId,
            balance: total,
            plan_credits: pools.plan,
            topup_credits: pools.topup,
            is_enterprise: isEnterprise,
            isEnterprisePlanUser: isEnterprise,
            minutes_estimate: minutesEstimate(total, offeredModels),
          },
        };
      },
    }),
    route({
      method: "get",
      path: "/v1/pricing",
      operation: "pricing.get",
      tier: "read",
      auth: "secret-or-page",
      summary: "Get the prices of agents and sessions",
      tags: TAGS,
      response: z.object({ success: z.literal(true), data: pricingSchema }),
      errors: [],
      handler: async () => ({ success: true as const, data: pricing(offeredModels, await isRelayed()) }),
    }),
  ];
}

function limitsOf(plan: Plan): z.infer<typeof profileSchema>["limits"] {
  const limits = PLAN_LIMITS[plan];
  const counted = (limit: number) => (Number.isFinite(limit) ? limit : null);
  return {
    generate_requests_per_minute: limits.generatePerMinute,
    write_requests_per_minute: limits.writePerMinute,
    read_requests_per_minute: limits.readPerMinute,
    agents: counted(limits.agents),
    concurrent_sessions: counted(limits.concurrentSessions),
  };
}
