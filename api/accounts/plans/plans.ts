// The plans and their limits. Source: the contract's limit tables.

export const PLANS = ["free", "creator", "pro", "business", "enterprise", "custom"] as const;
export type Plan = (typeof PLANS)[number];

export interface PlanLimits {
  /** Name for messages. */
  title: string;
  /** Requests per minute, and the burst, of each rate tier. */
  generatePerMinute: number;
  writePerMinute: number;
  readPerMinute: number;
  /** Agents of an account; Infinity for no limit. */
  agents: number;
  /** Concurrent cloud avatar sessions; Infinity for no limit. */
  concurrentSessions: number;
  /** Credits granted each month; 0 for none. */
  monthlyCredits: number;
  /** Members of an organization of an owner with the plan, the owner included; 0 if the plan has no organizations. */
  organizationSeats: number;
  /** Never refused for its balance. Only the operator's own plan is. */
  isAdmissionFree: boolean;
}

type Rates = Pick<PlanLimits, "generatePerMinute" | "writePerMinute" | "readPerMinute">;

const rates = (generatePerMinute: number, writePerMinute: number, readPerMinute: number): Rates => ({
  generatePerMinute,
  writePerMinute,
  readPerMinute,
});

const UNLIMITED = Number.POSITIVE_INFINITY;

/** `custom` is the operator's plan. Its rates are ten times those of Enterprise, to stop a runaway loop. */
export const PLAN_LIMITS: Readonly<Record<Plan, PlanLimits>> = Object.freeze({
  free: Object.freeze({
    title: "Free",
    ...rates(4, 30, 120),
    agents: 0,
    concurrentSessions: 1,
    monthlyCredits: 99,
    organizationSeats: 0,
    isAdmissionFree: false,
  }),
  creator: Object.freeze({
    title: "Creator",
    ...rates(10, 60, 240),
    agents: 7,
    concurrentSessions: 3,
    monthlyCredits: 1_800,
    organizationSeats: 0,
    isAdmissionFree: false,
  }),
  pro: Object.freeze({
    title: "Pro",
    ...rates(30, 180, 720),
    agents: 40,
    concurrentSessions: 10,
    monthlyCredits: 10_000,
    organizationSeats: 10,
    isAdmissionFree: false,
  }),
  business: Object.freeze({
    title: "Business",
    ...rates(60, 360, 1440),
    agents: 200,
    concurrentSessions: 50,
    monthlyCredits: 50_000,
    organizationSeats: 25,
    isAdmissionFree: false,
  }),
  enterprise: Object.freeze({
    title: "Enterprise",
    ...rates(120, 720, 2880),
    agents: 1000,
    concurrentSessions: 200,
    monthlyCredits: 250_000,
    organizationSeats: 50,
    isAdmissionFree: false,
  }),
  custom: Object.freeze({
    title: "Custom",
    ...rates(1200, 7200, 28_800),
    agents: UNLIMITED,
    concurrentSessions: UNLIMITED,
    monthlyCredits: 0,
    organizationSeats: 1000,
    isAdmissionFree: true,
  }),
});

/** Tiers of requests that are counted per account. */
export const ACCOUNT_TIERS = ["generate", "write", "read"] as const;
export type AccountTier = (typeof ACCOUNT_TIERS)[number];

/** Requests per minute that a plan allows in a tier. */
export function ratePerMinute(plan: Plan, tier: AccountTier): number {
  const { generatePerMinute, writePerMinute, readPerMinute } = PLAN_LIMITS[plan];
  return { generate: generatePerMinute, write: writePerMinute, read: readPerMinute }[tier];
}

/** Key of an account's rate bucket. */
export function accountBucket(tier: AccountTier, userId: string): string {
  return `${tier}:${userId}`;
}
