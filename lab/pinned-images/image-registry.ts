// The digest of an image, from its registry (OCI Distribution Specification 1.1, and the token authentication of
// Docker's registries).
import { createHash } from "node:crypto";
import { z } from "zod";
import type { ImageReference } from "./image-references.ts";

/** An image for several platforms, or for one. */
const MANIFEST_TYPES = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");
/** The specification's own limit. */
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const TIMEOUT_MS = 10_000;
const DOCKER_HUB = "https://registry-1.docker.io";

const tokenSchema = z.union([
  z.object({ token: z.string() }).transform(({ token }) => token),
  z.object({ access_token: z.string() }).transform(({ access_token: token }) => token),
]);

export interface ImageRegistryOptions {
  /** Base URL of a mirror, which is asked instead of Docker Hub. Default: none. */
  mirror?: string;
  /** Per request, ms. Default 10,000. */
  timeoutMs?: number;
}

/** No registry could be reached. */
export class RegistryAwayError extends Error {
  constructor(registry: string, cause: unknown) {
    super(`${registry} could not be reached (${reasonOf(cause)})`, { cause });
    this.name = "RegistryAwayError";
  }
}

export class ImageRegistry {
  readonly #options: ImageRegistryOptions;

  constructor(options: ImageRegistryOptions = {}) {
    this.#options = options;
  }

  /** `sha256:…` of the image that a tag names now, over all its platforms. Throws RegistryAwayError, or Error if the
   *  registry refuses, or answers with another content than it says. */
  async digestOf({ registry, repository, tag }: ImageReference): Promise<string> {
    const base = registry === "docker.io" ? (this.#options.mirror ?? DOCKER_HUB) : `https://${registry}`;
    const url = `${base.replace(/\/$/, "")}/v2/${repository}/manifests/${tag}`;
    const headers = { accept: MANIFEST_TYPES };
    let answer = await this.#get(url, headers);
    if (answer.status === 401) {
      const token = await this.#tokenFor(answer.headers.get("www-authenticate") ?? "");
      answer = await this.#get(url, { ...headers, authorization: `Bearer ${token}` });
    }
    const name = `${repository}:${tag}`;
    if (answer.status !== 200) throw new Error(`The registry answered ${answer.status} for ${name}.`);
    const digest = `sha256:${createHash("sha256").update(answer.body).digest("hex")}`;
    const said = answer.headers.get("docker-content-digest");
    if (said !== null && said !== digest)
      throw new Error(`The registry's manifest of ${name} does not have its digest.`);
    return digest;
  }

  /** A token for reading, as the registry's challenge says where. */
  async #tokenFor(challenge: string): Promise<string> {
    const { realm, ...query } = Object.fromEntries(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    if (!/^Bearer /i.test(challenge) || realm === undefined) throw new Error("The registry asks for a login.");
    const answer = await this.#get(`${realm}?${new URLSearchParams(query)}`, {});
    if (answer.status !== 200) throw new Error(`The registry refuses anonymous readers (${answer.status}).`);
    return tokenSchema.parse(JSON.parse(answer.body.toString()));
  }

  async #get(
    url: string,
    headers: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; body: Buffer }> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    try {
      const answer = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
      return { status: answer.status, headers: answer.headers, body: await readBounded(answer) };
    } catch (error) {
      if (error instanceof RangeError) throw error;
      throw new RegistryAwayError(new URL(url).host, error);
    }
  }
}

async function readBounded(answer: Response): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  // The type of a web stream lacks the async iteration that Node gives it.
  for await (const piece of (answer.body as AsyncIterable<Uint8Array> | null) ?? []) {
    sizeBytes += piece.length;
    if (sizeBytes > MAX_MANIFEST_BYTES) throw new RangeError("The registry's answer is larger than 4 MiB.");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Of a failed fetch, what its cause says. */
function reasonOf(error: unknown): string {
  const { cause, message, name } = error as Error & { cause?: { code?: string; message?: string } };
  return name === "TimeoutError" ? "no answer in time" : (cause?.code ?? cause?.message ?? message);
}
