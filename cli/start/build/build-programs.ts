// The programs of this package: each runs as a process of its own, from a bundle that `npm start` builds first.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { moduleFlags } from "../../../program/child-process/module-flags.ts";
import { bundle } from "./bundle.ts";
import { PACKAGE_PARTS } from "./package-parts.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const OUT_FOLDER = join(ROOT, "node_modules", ".cache", "open-avatar-service");

/** Name of each program's bundle, and its source. */
export const PROGRAMS = {
  api: "api/main.ts",
  worker: "agent-worker/main.ts",
  relay: "relay/main.ts",
  "webrtc-process": "relay/webrtc/webrtc-process.ts",
  "self-hosted-worker": "agent-worker/self-hosted/main.ts",
  "face-child": "agent-worker/self-hosted/faces/face-child.ts",
  session: "agent-worker/session/main.ts",
  "portrait-child": "api/agents/portraits/portrait-child.ts",
  "voice-child": "api/agents/voices/voice-child.ts",
  "film-child": "api/videos/making/film-child.ts",
  "dynamics-child": "api/dynamics/dynamics-child.ts",
  "rest-film-child": "api/videos/making/rest-film-child.ts",
  "text-child": "api/knowledge/text/text-child.ts",
  "decode-process": "src/signal/media/decode-process.ts",
  "encode-process": "src/signal/media/encode-process.ts",
  "mp4-process": "src/signal/media/mp4-process.ts",
  "espeak-process": "src/speech/voice/espeak-process.ts",
  "fetched-process": "src/speech/voice/fetched/fetched-process.ts",
  "neural-process": "src/speech/voice/neural/neural-process.ts",
  "recognition-process": "src/speech/recognition/recognition-process.ts",
  "turn-end-process": "agent-worker/listening/turn-end-process.ts",
} as const;

/** The command line, which only images have as a bundle. */
const COMMAND = { avatar: "cli/avatar.ts" };

/** Programs that are started for each session, or that run beside sessions. */
const LIGHT_PROGRAMS: readonly string[] = ["worker", "self-hosted-worker", "session", "relay"];
/** Loading these from their own files takes a third of a session process's start. The api needs zod as a package,
 *  because another package extends it. */
const INLINED_PACKAGES = ["zod", "ipaddr.js", "delaunator", "robust-predicates", "jose"];
/** CommonJS packages of the light programs: importing them takes twice as long. */
const REQUIRED_PACKAGES = ["@livekit/rtc-node", "pino", "onnxruntime-common", "protobufjs/minimal.js"];
const LIGHT_PACKAGES = {
  inlinedPackages: INLINED_PACKAGES,
  requiredPackages: REQUIRED_PACKAGES,
  packageParts: PACKAGE_PARTS,
};

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
  relay: Program;
}

/** Bundles the programs of the package. If its folder is not writable, returns the sources instead. Throws the
 *  compiler's error. */
export async function buildPrograms(): Promise<Programs> {
  return programsOf(await build({}));
}

/** As `buildPrograms`, of bundles that exist. */
export function builtPrograms(): Programs {
  return programsOf(builtProgram);
}

/** The worker of a machine of its own. */
export async function buildSelfHostedWorker(): Promise<Program> {
  return (await build({}))("self-hosted-worker");
}

/** As `buildPrograms`, with the command line too, for an image. */
export async function buildForImage(): Promise<Programs & { command: Program }> {
  const programOf = await build(
    Object.fromEntries(Object.entries(COMMAND).map(([name, path]) => [name, join(ROOT, path)])),
  );
  return { ...programsOf(programOf), command: programOf("avatar") };
}

/** Names of the bundles that `buildForImage` writes. */
export const IMAGE_PROGRAMS: readonly string[] = Object.keys({ ...PROGRAMS, ...COMMAND });

/** As `buildProgram`, for a process that serves requests. */
export async function buildServer(name: string, entry: string): Promise<Program> {
  return asServer(await buildProgram(name, entry));
}

/** As `buildPrograms`, with another program at `entry` (absolute path), which may start those of the package. */
export async function buildProgram(name: string, entry: string): Promise<Program> {
  const programOf = await build({ [name]: entry });
  return programOf(name);
}

function programsOf(programOf: (name: string) => Program): Programs {
  return { api: asServer(programOf("api")), worker: programOf("worker"), relay: asServer(programOf("relay")) };
}

/** Bundles the programs of the package and `others`, absolute paths by name. Returns how each is run. */
async function build(others: Readonly<Record<string, string>>): Promise<(name: string) => Program> {
  // An image holds the bundles alone.
  if (!existsSync(join(ROOT, PROGRAMS.api))) return builtProgram;
  const own = Object.entries(PROGRAMS).map(([name, path]) => [name, join(ROOT, path)]);
  const entries: Record<string, string> = { ...Object.fromEntries(own), ...others };
  try {
    const select = (isLight: boolean) =>
      Object.fromEntries(Object.entries(entries).filter(([name]) => LIGHT_PROGRAMS.includes(name) === isLight));
    const common = { outFolder: OUT_FOLDER, programs: programBundles() };
    await Promise.all([
      bundle({ ...common, entries: select(true), ...LIGHT_PACKAGES }),
      bundle({ ...common, entries: select(false) }),
    ]);
    return builtProgram;
  } catch (error) {
    if (!UNWRITABLE.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return (name) => sourceProgram(entries[name]);
  }
}

/** How a program is run of which the bundle exists. */
export function builtProgram(name: string): Program {
  return { script: bundlePath(name), nodeFlags: BUNDLE_FLAGS };
}

function asServer({ script, nodeFlags }: Program): Program {
  return { script, nodeFlags: [...nodeFlags, ...SERVER_FLAGS] };
}

/** Absolute paths of the programs' bundles by those of their sources. */
export function programBundles(): ReadonlyMap<string, string> {
  return new Map(Object.entries(PROGRAMS).map(([name, path]) => [join(ROOT, path), bundlePath(name)]));
}

/** The TypeScript source, run by the tsx loader. */
export function sourceProgram(entry: string): Program {
  return { script: entry, nodeFlags: moduleFlags(pathToFileURL(entry)) };
}

function bundlePath(name: string): string {
  return join(OUT_FOLDER, `${name}.mjs`);
}
