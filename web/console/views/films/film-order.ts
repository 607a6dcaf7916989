// What a film is ordered with.
import type { Agent, Pricing } from "../../../../sdk/client/index.ts";

/** `agent`: its own canvas; `own`: one that is written. */
export const SHAPES = [
  "agent",
  "720p",
  "1080p",
  "1920x1080",
  "1080x1920",
  "1080x1080",
  "720x720",
  "416x720",
  "own",
] as const;
export type Shape = (typeof SHAPES)[number];

/** Minutes that are charged when a film is ordered. Source: the service's limit of a film. */
export const UPFRONT_MINUTES = 2;

const LEAST_PX = 256;
const MOST_LINES = 1_080;
const MOST_PX = 1_920;

/** Whether the service makes films of this size, as `1280x720`. */
export function isSize(text: string): boolean {
  const match = /^(\d{3,4})x(\d{3,4})$/.exec(text);
  if (!match) return false;
  const [width, height] = match.slice(1).map(Number);
  const [shorter, longer] = [Math.min(width, height), Math.max(width, height)];
  return shorter >= LEAST_PX && shorter <= MOST_LINES && longer <= MOST_PX && width % 2 === 0 && height % 2 === 0;
}

/** A size as people write it: with another sign between, and spaces. */
export function normalSize(text: string): string {
  return text.replaceAll(/\s/g, "").replace(/[×X*]/, "x");
}

/** Models of the agent with which a film can be made, with their price in credits per started minute. */
export function filmModels(agent: Agent | undefined, pricing: Pricing | undefined): { name: string; rate: number }[] {
  const rates = pricing?.talking_video.rates ?? {};
  return (agent?.supported_models ?? []).flatMap((name) => (rates[name] > 0 ? [{ name, rate: rates[name] }] : []));
}
