// `npm run bench -- sdk`: what the packages cost the programs that import them.
import { type DrivenService, startOwnService } from "../service/own-service.ts";
import { measureAssistants } from "./assistant-measures.ts";
import { measureBundle } from "./bundle-measures.ts";
import { measureClient } from "./client-measures.ts";
import { measureCommand } from "./command-measures.ts";
import { measureEngine } from "./engine-measures.ts";
import { measureFace } from "./face-measures.ts";
import type { Figure } from "./figure.ts";
import { PLUGIN_PARTS } from "./plugins/plugin-parts.ts";
import type { SdkBench, SdkPart } from "./sdk-part.ts";

const PARTS: readonly SdkPart[] = [
  { name: "client", measure: measureClient },
  { name: "face", measure: measureFace },
  { name: "command", measure: measureCommand },
  { name: "bundle", measure: measureBundle },
  { name: "mcp", measure: measureAssistants },
  { name: "engine", measure: measureEngine },
  ...PLUGIN_PARTS,
];

export interface SdkBenchOptions extends Omit<SdkBench, "service"> {
  /** Only parts with this in their name. */
  only?: string;
  /** Receives what must be closed if the bench is interrupted. */
  onClose(close: () => Promise<void>): void;
}

/** Measures the parts, one after the other. Throws RangeError if no part is chosen. */
export async function benchSdk({ only = "", onClose, ...rest }: SdkBenchOptions): Promise<Figure[]> {
  const { environment, progress } = rest;
  const chosen = PARTS.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) throw new RangeError(`--only: parts are ${PARTS.map(({ name }) => name).join(", ")}`);
  let starting: Promise<DrivenService> | undefined;
  const service = () => {
    starting ??= startOwnService({ environment, report: (line) => progress.note(line) }).then((started) => {
      onClose(started.close);
      return started;
    });
    return starting;
  };
  const figures: Figure[] = [];
  for (const { name, measure } of chosen) {
    const measured = await progress.step(
      name,
      () => measure({ ...rest, service }),
      (all) => `${all.length} figures`,
    );
    figures.push(...measured);
  }
  return figures;
}
