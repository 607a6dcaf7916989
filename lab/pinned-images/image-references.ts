// Images that a Dockerfile or a Compose file takes from a registry.

/** A line's image: `FROM image`, or `image: image`. */
const REFERENCE = /^(FROM +(?:--platform=\S+ +)?|\s+image: *)([^\s#]+)/gm;
const DIGEST = /@sha256:[0-9a-f]{64}$/;

export interface ImageReference {
  /** Host of the registry. */
  registry: string;
  /** As in the registry's API, for example `library/node`. */
  repository: string;
  tag: string;
}

/** Images with a tag, without their digest, each once: `node:24.21.0-bookworm-slim`. Stages and images that are built
 *  here have no tag. */
export function findImages(text: string): string[] {
  const names = [...text.matchAll(REFERENCE)].map(([, , name]) => withoutDigest(name));
  return [...new Set(names.filter(hasTag))];
}

/** The text with a digest after each image that `digests` has, by its name with a tag; without one after all others. */
export function setDigests(text: string, digests: ReadonlyMap<string, string>): string {
  return text.replace(REFERENCE, (_, before: string, name: string) => {
    const tagged = withoutDigest(name);
    const digest = digests.get(tagged);
    return before + (digest === undefined ? tagged : `${tagged}@${digest}`);
  });
}

/** The parts of an image with a tag. Names without a host are Docker Hub's. */
export function parseImage(name: string): ImageReference {
  const colon = name.lastIndexOf(":");
  const [path, tag] = [name.slice(0, colon), name.slice(colon + 1)];
  const slash = path.indexOf("/");
  const host = slash < 0 ? "" : path.slice(0, slash);
  if (/[.:]|^localhost$/.test(host)) return { registry: host, repository: path.slice(slash + 1), tag };
  return { registry: "docker.io", repository: slash < 0 ? `library/${path}` : path, tag };
}

function withoutDigest(name: string): string {
  return name.replace(DIGEST, "");
}

function hasTag(name: string): boolean {
  return name.lastIndexOf(":") > name.lastIndexOf("/");
}
