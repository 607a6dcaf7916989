// The modules of the agents framework that are loaded by their path inside the package. Its exports are the whole
// framework, which takes 78 MB of memory and .6 s of CPU time a process and needs packages that images leave out. The
// models' licence allows them with the framework's classes only, so that the package of their native library, with
// the exports that would do, is no way around it. A test names the paths that an upgrade has moved.

export const FRAMEWORK = "@livekit/agents";

/** Paths in the folder of the package's main module. */
export const FRAMEWORK_MODULES = Object.freeze({
  /** Speech detection. */
  VAD: "inference/vad.js",
  /** Thresholds of the end-of-turn model by language. */
  ThresholdOptions: "inference/eot/languages.js",
  /** Runs the end-of-turn model; its default export is the class. */
  EotRunner: "inference/eot/runner.js",
  /** The logger that the classes use. */
  setLoggerState: "log_core.js",
  /** The same with the export of logs to the framework's cloud, which takes 33 MB. */
  initializeLogger: "log.js",
});
