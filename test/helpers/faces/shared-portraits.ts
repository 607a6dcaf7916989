// Child processes that check images, detect faces and measure voices. All tests of a process share them, because
// starting one and loading its networks takes seconds.
import type { Baker, Inspector } from "../../../api/agents/portraits/portrait-process.ts";
import { PortraitProcess } from "../../../api/agents/portraits/portrait-process.ts";
import type { VoiceMeter } from "../../../api/agents/voices/voice-process.ts";
import { VoiceProcess } from "../../../api/agents/voices/voice-process.ts";
import { createLogger } from "../../../program/log.ts";

interface Shared {
  portraits: PortraitProcess;
  voices: VoiceProcess;
}

let shared: Shared | null = null;

/** The api's parts that use the shared processes. Each caller gets its own objects; their `close` leaves the processes
 *  running. */
export function sharedPortraits(): { inspector: Inspector; voices: VoiceMeter; baker: Baker } {
  return {
    inspector: { inspect: (...details) => use().portraits.inspect(...details), close: async () => undefined },
    voices: { measure: (...details) => use().voices.measure(...details), close: async () => undefined },
    baker: {
      locate: (...details) => use().portraits.locate(...details),
      bake: (...details) => use().portraits.bake(...details),
      close: async () => undefined,
    },
  };
}

/** The processes start with their first task and end when the tests of this process are over. */
function use(): Shared {
  if (shared) return shared;
  const logger = createLogger({ name: "test", level: "silent" });
  const portraits = new PortraitProcess({ logger });
  const voices = new VoiceProcess({ logger });
  process.once("beforeExit", () => void Promise.all([portraits.close(), voices.close()]));
  shared = { portraits, voices };
  return shared;
}
