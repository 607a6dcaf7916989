// Packages of which the programs use little and that are dear to load whole: what the bundles hold of them.

/** What stands for a package. */
export interface PackagePart {
  /** JavaScript in the package's main folder, with the exports that the programs import. */
  contents: string;
  /** Modules of the package to load in place of others; paths relative to the folder. Default: none. */
  replacements?: Readonly<Record<string, string>>;
}

/** Of the agents framework, `agent-worker/listening` uses two classes. Whole, it takes 78 MB of memory and .6 s of CPU
 *  time a process. `log.js` alone takes 33 MB, for the export of logs to the framework's cloud; `log_core.js` holds the
 *  logger that the classes use. */
export const PACKAGE_PARTS: Readonly<Record<string, PackagePart>> = {
  "@livekit/agents": {
    contents: `
      import pino from "pino";
      import { VAD } from "./inference/vad.js";
      import { ThresholdOptions } from "./inference/eot/languages.js";
      import { loggerOptions, setLoggerState } from "./log_core.js";
      export { loggerOptions };
      export const inference = { VAD, ThresholdOptions };
      export const initializeLogger = (options) => setLoggerState(pino({ level: options.level }), options);`,
    replacements: { "log.js": "log_core.js" },
  },
};
