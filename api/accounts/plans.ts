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
  /** Whether admission ever refuses for credits. The operator's own plan is never refused. */
  isAdmissionFree: boolean;
}

const limits = (
  title: string,
  [generatePerMinute, writePerMinute, readPerMinute]: readonly [number, number, number],
  agents: number,
  concurrentSessions: number,
  isAdmissionFree = false,
): PlanLimits =>
  Object.freeze({
    title,
    generatePerMinute,
    writePerMinute,
    readPerMinute,
    agents,
    concurrentSessions,
    isAdmissionFree,
  });

/** `custom` is the operator's plan; its rates, ten times Enterprise's, only guard against a runaway loop. */
export const PLAN_LIMITS: Readonly<Record<Plan, PlanLimits>> = Object.freeze({
  free: limits("Free", [4, 30, 120], 0, 1),
  creator: limits("Creator", [10, 60, 240], 7, 3),
  pro: limits("Pro", [30, 180, 720], 40, 10),
  business: limits("Business", [60, 360, 1440], 200, 50),
  enterprise: limits("Enterprise", [120, 720, 2880], 1000, 200),
  custom: limits("Custom", [1200, 7200, 28_800], Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, true),
});
