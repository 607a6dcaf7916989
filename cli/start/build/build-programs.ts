// The programs of this package: each runs as a process of its own, from a bundle that `npm start` builds first.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { moduleFlags } from "../../../program/child-process/module-flags.ts";
import { partsRecord } from "../../../program/parts/find-part.ts";
import { type BundledPackages, bundle } from "./bundle.ts";
import { PACKAGE_PARTS } from "./package-parts.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** Of the archive of the command, which holds the bundles. */
export const ARCHIVE_FOLDER = "dist";
const isArchive = partsRecord() !== null;
const OUT_FOLDER = isArchive ? join(ROOT, ARCHIVE_FOLDER) : join(ROOT, "node_modules", ".cache", "open-avatar-service");

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

/** The command line and what it starts, which images and the archive of the command have as bundles. */
const COMMAND = { avatar: "cli/avatar.ts", "measure-program": "cli/commands/doctor/measure-program.ts" };

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

/** What the command needs to say its help is read with it. */
const COMMAND_PACKAGES = {
  inlinedPackages: [...INLINED_PACKAGES, "commander"],
  requiredPackages: REQUIRED_PACKAGES,
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
  const programOf = await build(absolute(COMMAND));
  return { ...programsOf(programOf), command: programOf("avatar") };
}

/** Writes the bundles of the archive of the command, without source maps, into a folder of any place. They name files
 *  as if it were `dist` in the folder of the modules. The command's modules are shared by its commands, so that each
 *  loads what it needs. Throws the compiler's error. */
export async function buildForArchive(outFolder: string): Promise<BundledPackages> {
  const all = { ...PROGRAMS, ...COMMAND };
  const programs = new Map(
    Object.entries(absolute(all)).map(([name, path]) => [path, join(ROOT, ARCHIVE_FOLDER, `${name}.mjs`)]),
  );
  const common = { outFolder, programs, moved: { root: ROOT, folder: ARCHIVE_FOLDER } };
  const { avatar, ...others } = absolute(all);
  const bundled = await Promise.all([
    bundle({ ...common, entries: select(others, true), ...LIGHT_PACKAGES }),
    bundle({ ...common, entries: select(others, false) }),
    bundle({
      ...common,
      entries: { avatar },
      ...COMMAND_PACKAGES,
      splitting: true,
      gathered: join(ROOT, "cli/run-avatar.ts"),
    }),
  ]);
  return {
    imported: bundled.flatMap(({ imported }) => imported),
    included: bundled.flatMap(({ included }) => included),
  };
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
  // An image and the archive of the command hold the bundles alone.
  if (!existsSync(join(ROOT, PROGRAMS.api))) return builtProgram;
  const entries = { ...absolute(PROGRAMS), ...others };
  try {
    const common = { outFolder: OUT_FOLDER, programs: programBundles() };
    await Promise.all([
      bundle({ ...common, entries: select(entries, true), ...LIGHT_PACKAGES }),
      bundle({ ...common, entries: select(entries, false) }),
    ]);
    return builtProgram;
  } catch (error) {
    if (!UNWRITABLE.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return (name) => sourceProgram(entries[name]);
  }
}

function absolute(entries: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(ROOT, path)]));
}

function select(entries: Readonly<Record<string, string>>, isLight: boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => LIGHT_PROGRAMS.includes(name) === isLight));
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
