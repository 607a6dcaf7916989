// What the command line itself needs of this computer, and what it has.

export const CLIENT_CHECKS = ["node", "simd", "renderer", "bake", "films", "cache", "sign-in", "service"] as const;
export type ClientCheck = (typeof CLIENT_CHECKS)[number];

/** Where to look. Each returns what it found, and throws what is missing. */
export type ClientMachine = Record<ClientCheck, () => Promise<string>>;

export interface CheckedPart {
  check: ClientCheck;
  state: "ok" | "missing";
  needed: boolean;
  found: string;
  remedy?: string;
}

/** What to do when a part is missing. */
const REMEDIES: Readonly<Record<ClientCheck, string>> = {
  node: "Install a newer Node.js, from nodejs.org or your system's packages.",
  simd: "Rendering needs WebAssembly with SIMD: start Node.js without --jitless, on a processor of the last ten years.",
  renderer: "Install this program again: some of its files are missing or damaged.",
  bake: "Only pictures need it, not .imx files: avatar engine install fetches it.",
  films: "avatar render writes films with FFmpeg: npm install node-av, or set FFMPEG_PATH to an ffmpeg executable.",
  cache: "Name a folder that you may write with AVATAR_CACHE_DIR.",
  "sign-in": "Only your agents need it, not files and samples: avatar login.",
  service: "Start it, or name another one: AVATAR_API_URL, or avatar login --url.",
};

/** Without these the program is of no use. */
const NEEDED: readonly ClientCheck[] = ["node", "simd", "renderer", "films", "cache"];

/** All parts, in their order. A service is needed by those who are signed in. `onCheck` is called before each. Never
 *  throws. */
export async function checkClient(
  machine: ClientMachine,
  onCheck: (check: ClientCheck) => void = () => undefined,
): Promise<CheckedPart[]> {
  const parts: CheckedPart[] = [];
  for (const check of CLIENT_CHECKS) {
    onCheck(check);
    const isSignedIn = parts.some((part) => part.check === "sign-in" && part.state === "ok");
    const needed = NEEDED.includes(check) || (check === "service" && isSignedIn);
    try {
      parts.push({ check, state: "ok", needed, found: await machine[check]() });
    } catch (error) {
      const found = error instanceof Error ? error.message : String(error);
      parts.push({ check, state: "missing", needed, found, remedy: REMEDIES[check] });
    }
  }
  return parts;
}
