// What the check of the command line asks this computer.
import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import { hasPart } from "../../../program/parts/find-part.ts";
import { ApiError } from "../../../sdk/client/index.ts";
import { findMediaProgram } from "../../../sdk/engine/node/find-media-program.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import { findCredentials, findServiceUrl } from "../../account/credentials.ts";
import { clientOf } from "../../account/open-client.ts";
import type { Environment } from "../../terminal/environment.ts";
import { hasSimd } from "../engine/has-simd.ts";
import { loadCpuRenderer } from "../engine/renderers.ts";
import { cacheFolder } from "../models/cache-folder.ts";
import type { ClientMachine } from "./check-client.ts";

const SERVICE_TIMEOUT_MS = 5_000;

export function thisClient(environment: Environment): ClientMachine {
  return {
    async node() {
      const found = process.versions.node;
      const least = packageJson.engines.node.replace(">=", "");
      if (isOlder(found, least)) throw new Error(`Node.js ${found}; ${least} or newer is needed`);
      return `Node.js ${found}, avatar ${packageJson.version}`;
    },
    async simd() {
      if (!hasSimd()) throw new Error("this process has no WebAssembly with SIMD");
      return "WebAssembly with SIMD";
    },
    async renderer() {
      if (!hasPart("model-lip-sync")) return "its lip sync is fetched when it is needed first";
      await loadLipSyncModel();
      return "the renderer and its lip sync are complete";
    },
    async bake() {
      return `ONNX Runtime ${await loadCpuRenderer()} makes faces of pictures`;
    },
    async films() {
      const { ffmpegPath } = findMediaProgram("A film", environment.FFMPEG_PATH);
      return ffmpegPath === undefined ? "FFmpeg of the package node-av" : `FFmpeg at ${ffmpegPath}`;
    },
    async cache() {
      const folder = cacheFolder(environment);
      const probe = join(folder, `${randomUUID()}.partial`);
      try {
        await mkdir(folder, { recursive: true });
        await writeFile(probe, "");
      } catch (cause) {
        const { code } = cause as NodeJS.ErrnoException;
        throw new Error(`${folder} cannot be written (${code})`, { cause });
      } finally {
        await rm(probe, { force: true }).catch(() => undefined);
      }
      return folder;
    },
    async "sign-in"() {
      const credentials = await findCredentials(environment);
      if (!credentials) throw new Error("you are not signed in");
      return credentials.source === "environment" ? "by AVATAR_API_SECRET" : `at ${credentials.baseUrl}`;
    },
    async service() {
      const baseUrl = await findServiceUrl(environment);
      const options = { timeoutMs: SERVICE_TIMEOUT_MS, maxRetries: 0 };
      try {
        const { checks: _, status } = await clientOf({ baseUrl, apiSecret: null }).system.readiness(options);
        return `${baseUrl}, version ${await versionOf(baseUrl)}: sessions are ${status}`;
      } catch (cause) {
        const isOther = cause instanceof ApiError;
        throw new Error(`${baseUrl} ${isOther ? "is not the service" : "cannot be reached"}`, { cause });
      }
    },
  };
}

/** As its OpenAPI document says. */
async function versionOf(baseUrl: string): Promise<string> {
  try {
    const response = await fetch(`${baseUrl}/openapi.json`, { signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS) });
    const document = (await response.json()) as { info?: { version?: unknown } };
    return String(document.info?.version ?? "unknown").slice(0, 40);
  } catch {
    return "unknown";
  }
}

function isOlder(version: string, least: string): boolean {
  const [own, other] = [version, least].map((text) => text.split(".").map(Number));
  const at = other.findIndex((number, index) => number !== (own[index] ?? 0));
  return at >= 0 && (own[at] ?? 0) < other[at];
}
