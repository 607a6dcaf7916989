// The plans: what each allows. Source: the contract's limit tables.

export const PLANS = ["free", "creator", "pro", "business", "enterprise", "custom"] as const;
export type Plan = (typeof PLANS)[number];

export interface PlanLimits {
  /** Name shown to people. */
  title: string;
  /** Requests per minute, and the burst, of each rate tier. */
  generatePerMinute: number;
  writePerMinute: number;
  readPerMinute: number;
  /** Agents an account may hold; Infinity where there is no limit. */
  agents: number;
  /** Cloud avatar sessions at a time; Infinity where there is no limit. */
  concurrentSessions: number;
  /** Credits that come with each month; 0 where none do. */
  monthlyCredits: number;
  /** People in an organization of such an owner, itself included; 0 where there is none. */
  organizationSeats: number;
  /** Whether admission ever refuses for credits. The operator's own plan is never refused. */
  isAdmissionFree: boolean;
}

type Rates = readonly [generatePerMinute: number, writePerMinute: number, readPerMinute: number];
type Allowances = Pick<PlanLimits, "agents" | "concurrentSessions" | "monthlyCredits" | "organizationSeats">;

const limits = (title: string, rates: Rates, allowances: Allowances, isAdmissionFree = false): PlanLimits => {
  const [generatePerMinute, writePerMinute, readPerMinute] = rates;
  return Object.freeze({ title, generatePerMinute, writePerMinute, readPerMinute, ...allowances, isAdmissionFree });
};

const UNLIMITED = Number.POSITIVE_INFINITY;

/** `custom` is the operator's plan; its rates, ten times Enterprise's, only guard against a runaway loop. */
export const PLAN_LIMITS: Readonly<Record<Plan, PlanLimits>> = Object.freeze({
  free: limits("Free", [4, 30, 120], {
    agents: 0,
    concurrentSessions: 1,
    monthlyCredits: 99,
    organizationSeats: 0,
  }),
  creator: limits("Creator", [10, 60, 240], {
    agents: 7,
    concurrentSessions: 3,
    monthlyCredits: 1_800,
    organizationSeats: 0,
  }),
  pro: limits("Pro", [30, 180, 720], {
    agents: 40,
    concurrentSessions: 10,
    monthlyCredits: 10_000,
    organizationSeats: 10,
  }),
  business: limits("Business", [60, 360, 1440], {
    agents: 200,
    concurrentSessions: 50,
    monthlyCredits: 50_000,
    organizationSeats: 25,
  }),
  enterprise: limits("Enterprise", [120, 720, 2880], {
    agents: 1000,
    concurrentSessions: 200,
    monthlyCredits: 250_000,
    organizationSeats: 50,
  }),
  custom: limits(
    "Custom",
    [1200, 7200, 28_800],
    { agents: UNLIMITED, concurrentSessions: UNLIMITED, monthlyCredits: 0, organizationSeats: 1000 },
    true,
  ),
});

/** Tiers of requests that are counted per account. */
export const ACCOUNT_TIERS = ["generate", "write", "read"] as const;
export type AccountTier = (typeof ACCOUNT_TIERS)[number];

/** Requests of a tier that a plan allows per minute. */
export function ratePerMinute(plan: Plan, tier: AccountTier): number {
  const { generatePerMinute, writePerMinute, readPerMinute } = PLAN_LIMITS[plan];
  return { generate: generatePerMinute, write: writePerMinute, read: readPerMinute }[tier];
}

/** Name of an account's bucket of a tier. */
export function accountBucket(tier: AccountTier, userId: string): string {
  return `${tier}:${userId}`;
}
