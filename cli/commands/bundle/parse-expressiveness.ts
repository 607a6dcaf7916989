// Parses `--expressiveness`.
import { movementSize } from "../../../src/face/lip-sync/expressiveness.ts";
import { CliError } from "../../terminal/cli-error.ts";

/** 0..1. Throws CliError `usage` for anything else. */
export function parseExpressiveness(text: string): number {
  const expressiveness = text.trim() === "" ? Number.NaN : Number(text);
  try {
    movementSize(expressiveness);
  } catch (cause) {
    throw new CliError("usage", "--expressiveness must be a number from 0 (calm) to 1 (lively).", { cause });
  }
  return expressiveness;
}
