// Packages of which the programs use little and that are dear to load whole: what the bundles hold of them.
import { FRAMEWORK, FRAMEWORK_MODULES } from "../../../agent-worker/listening/framework-modules.ts";

/** What stands for a package. */
export interface PackagePart {
  /** JavaScript in the package's main folder, with the exports that the programs import. */
  contents: string;
  /** Modules of the package to load in place of others; paths relative to the folder. Default: none. */
  replacements?: Readonly<Record<string, string>>;
}

const { VAD, ThresholdOptions, setLoggerState, initializeLogger } = FRAMEWORK_MODULES;

/** Of the agents framework, `agent-worker/listening` uses two classes. */
export const PACKAGE_PARTS: Readonly<Record<string, PackagePart>> = {
  [FRAMEWORK]: {
    contents: `
      import pino from "pino";
      import { VAD } from "./${VAD}";
      import { ThresholdOptions } from "./${ThresholdOptions}";
      import { loggerOptions, setLoggerState } from "./${setLoggerState}";
      export { loggerOptions };
      export const inference = { VAD, ThresholdOptions };
      export const initializeLogger = (options) => setLoggerState(pino({ level: options.level }), options);`,
    replacements: { [initializeLogger]: setLoggerState },
  },
};
