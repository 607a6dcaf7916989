// Every example from the packed archives, against a service of its own; the packages for pages in bundlers,
// and the command as npm installs it.
import { dispose } from "@livekit/rtc-node";
import { startOwnService } from "../../bench/service/own-service.ts";
import { checkBundlers } from "./bundlers.ts";
import { checkCommand } from "./command-check.ts";
import { EXAMPLE_CHECKS } from "./example-checks.ts";
import { runExample } from "./run-example.ts";

const BUNDLERS = "bundlers";
const COMMAND = "command";

export interface PackagesSoakOptions {
  environment: Readonly<Record<string, string | undefined>>;
  /** Only examples with this in their name, `bundlers`, or `command`. */
  only?: string;
  report(line: string): void;
}

export interface PackagesSoakResult {
  /** Seconds that each example took, with its installation; null for one that failed. */
  examples: Record<string, number | null>;
  violations: string[];
}

/** Throws RangeError if no example has the name. */
export async function soakPackages({
  environment,
  only = "",
  report,
}: PackagesSoakOptions): Promise<PackagesSoakResult> {
  const checks = EXAMPLE_CHECKS.filter(({ example }) => example.includes(only));
  const includesBundlers = BUNDLERS.includes(only);
  const includesCommand = COMMAND.includes(only);
  if (checks.length === 0 && !includesBundlers && !includesCommand)
    throw new RangeError(`--only: ${[...EXAMPLE_CHECKS.map(({ example }) => example), BUNDLERS, COMMAND].join(", ")}`);
  const examples: Record<string, number | null> = {};
  const violations = includesBundlers ? await checkBundlers(report) : [];
  if (includesCommand) {
    const failure = await checkCommand(report).catch((error: Error) => error.message);
    if (failure !== undefined) violations.push(`${COMMAND}: ${failure}`);
  }
  if (checks.length === 0) return { examples, violations };
  // Webhooks of examples go to this machine.
  const service = await startOwnService({
    environment: { ...environment, AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" },
    report,
  });
  try {
    for (const check of checks) {
      const { example } = check;
      const startedMs = performance.now();
      const failure = await runExample(check, service, report).catch((error: Error) => error);
      examples[example] = failure ? null : Math.round((performance.now() - startedMs) / 100) / 10;
      if (failure) violations.push(`${example}: ${failure.message}`);
      report(`${example}: ${failure ? failure.message : "as it should be"}`);
    }
  } finally {
    await service.close();
    // The SDK's native library would keep this process alive.
    await dispose();
  }
  return { examples, violations };
}
