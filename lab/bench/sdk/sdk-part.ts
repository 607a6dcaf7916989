// A part of `npm run bench -- sdk`.
import type { Progress } from "../../../cli/start/progress.ts";
import type { DrivenService } from "../service/own-service.ts";
import type { Figure } from "./figure.ts";

/** What a part may use. */
export interface SdkBench {
  environment: Readonly<Record<string, string | undefined>>;
  progress: Progress;
  /** Avatar sessions that are started for their metrics. */
  starts: number;
  /** A service of this run; the same for all parts. */
  service(): Promise<DrivenService>;
}

export interface SdkPart {
  name: string;
  measure(bench: SdkBench): Promise<Figure[]>;
}
