// The environment of child processes that decode callers' files with third-party code. It contains nothing of the
// parent's environment, which has the secrets of the service.

import { partsEnvironment } from "../parts/find-part.ts";

/** Where programs are found that are named without a folder. */
const PROGRAM_FOLDERS = "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin";

/** A minimal environment with `home` as the home folder. It says where the parts of this installation are. */
export function childEnvironment(home = "/nonexistent"): NodeJS.ProcessEnv {
  return { PATH: PROGRAM_FOLDERS, HOME: home, ...partsEnvironment() };
}
