// The programs of this package: each runs as a process of its own, from a bundle that `npm start` builds first.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const OUT_FOLDER = join(ROOT, "node_modules", ".cache", "open-avatar-service");

/** Name of each program's bundle, and its source. */
export const PROGRAMS = {
  api: "api/main.ts",
  worker: "agent-worker/main.ts",
  session: "agent-worker/session/main.ts",
  "portrait-child": "api/agents/portraits/portrait-child.ts",
  "voice-child": "api/agents/portraits/voice-child.ts",
  "text-child": "api/knowledge/text-child.ts",
  "decode-process": "src/media/decode-process.ts",
  "mp4-process": "src/media/mp4-process.ts",
  "espeak-process": "src/voice/espeak-process.ts",
} as const;

/** The default young generation is three times 16 MB; a request server is as fast with half of that. */
const SERVER_FLAGS = ["--max-semi-space-size=8"];
const BUNDLE_FLAGS = ["--enable-source-maps"];
const UNWRITABLE = ["EACCES", "EPERM", "EROFS", "ENOSPC"];

/** A program and the flags to run it with. */
export interface Program {
  /** Absolute path. */
  script: string;
  nodeFlags: string[];
}

/** What `npm start` runs. Each starts the other programs of the package by itself. */
export interface Programs {
  api: Program;
  worker: Program;
}

/** Bundles all programs of the package; about 0.5 s. If the package folder is not writable, returns the sources
 *  instead. Throws the compiler's error. */
export async function buildPrograms(): Promise<Programs> {
  const api = await buildServer("api", join(ROOT, PROGRAMS.api));
  const isBundle = api.script.endsWith(".mjs");
  return { api, worker: isBundle ? bundleProgram("worker") : sourceProgram(join(ROOT, PROGRAMS.worker)) };
}

/** As `buildProgram`, for a process that serves requests. */
export async function buildServer(name: string, entry: string): Promise<Program> {
  const { script, nodeFlags } = await buildProgram(name, entry);
  return { script, nodeFlags: [...nodeFlags, ...SERVER_FLAGS] };
}

/** Bundles a program at `entry` (absolute path), together with the programs of the package, which it may start. If the
 *  package folder is not writable, returns the source instead. Throws the compiler's error. */
export async function buildProgram(name: string, entry: string): Promise<Program> {
  const programs = programBundles();
  const sources = Object.entries(PROGRAMS).map(([program, path]) => [program, join(ROOT, path)]);
  try {
    await bundle({ entries: { ...Object.fromEntries(sources), [name]: entry }, outFolder: OUT_FOLDER, programs });
  } catch (error) {
    if (!UNWRITABLE.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return sourceProgram(entry);
  }
  return bundleProgram(name);
}

/** Absolute paths of the programs' bundles by those of their sources. */
export function programBundles(): ReadonlyMap<string, string> {
  return new Map(Object.entries(PROGRAMS).map(([name, path]) => [join(ROOT, path), bundlePath(name)]));
}

/** The TypeScript source, run by the tsx loader. */
export function sourceProgram(entry: string): Program {
  return { script: entry, nodeFlags: ["--import", import.meta.resolve("tsx")] };
}

function bundleProgram(name: string): Program {
  return { script: bundlePath(name), nodeFlags: BUNDLE_FLAGS };
}

function bundlePath(name: string): string {
  return join(OUT_FOLDER, `${name}.mjs`);
}
