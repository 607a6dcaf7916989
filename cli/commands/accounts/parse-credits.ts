import { InvalidArgumentError } from "commander";

/** The most that one entry of the ledger holds. */
const MAX_CREDITS = 2_000_000_000;

/** Parses an option that counts credits. Throws commander's error for anything but a whole number from `minimum` on. */
export function parseCredits(text: string, minimum: number): number {
  const credits = Number(text);
  if (text.trim() !== "" && Number.isInteger(credits) && credits >= minimum && credits <= MAX_CREDITS) return credits;
  throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${MAX_CREDITS}.`);
}
