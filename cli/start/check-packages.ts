// The packages of others that the service needs and that npm may have left out.
import { createRequire } from "node:module";
import { StartError } from "./start-error.ts";

const NAMES = ["@livekit/agents", "@livekit/local-inference", "@livekit/rtc-node", "onnxruntime-node", "sharp"];

/** Throws StartError that names those that are not installed. */
export function checkPackages(): void {
  const { resolve } = createRequire(import.meta.url);
  const isMissing = (name: string) => {
    try {
      resolve(`${name}/package.json`);
      return false;
    } catch (error) {
      // One that is there may keep its package.json to itself.
      return (error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND";
    }
  };
  const missing = NAMES.filter(isMissing);
  if (missing.length === 0) return;
  throw new StartError(
    `The service needs packages that are not installed: ${missing.join(", ")}.`,
    "Install the program again without --omit=optional.",
  );
}
