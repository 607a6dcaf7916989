// Pins the base images of Dockerfile and docker-compose*.yml by digest (`npm run pin:images`), so that a tag that its
// owner moves changes nothing here. Run it to update them, too.
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ImageRegistry, RegistryAwayError } from "./pinned-images/image-registry.ts";
import { pinImages } from "./pinned-images/pin-images.ts";

const USAGE = `Usage: npm run pin:images -- [--mirror URL] [--tags] [FOLDER]
  --mirror URL  registry that is asked instead of Docker Hub
  --tags        take the digests out again, for example for the stand-ins of deploy/containers/local-bases.sh
  FOLDER        where the files are; default: the repository
`;
const USAGE_EXIT_CODE = 64;

const { values, positionals } = readArguments();
const folder = positionals[0] ?? fileURLToPath(new URL("..", import.meta.url));
const entries = [...(await readdir(folder)), ...(await readdir(`${folder}/deploy`)).map((name) => `deploy/${name}`)];
const names = entries.filter((name) => /^(Dockerfile|(deploy\/)?docker-compose.*\.ya?ml)$/.test(name));
const registry = values.tags ? null : new ImageRegistry({ mirror: values.mirror });
try {
  const files = names.map((name) => `${folder}/${name}`);
  for (const { name, digest } of await pinImages({ files, registry })) {
    process.stdout.write(`${name} ${digest ?? "by its tag"}\n`);
  }
} catch (error) {
  const isAway = error instanceof RegistryAwayError;
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(isAway ? `The images keep their tags: ${reason}.\n` : `No image was pinned: ${reason}\n`);
  process.exitCode = 1;
}

function readArguments() {
  try {
    const options = { mirror: { type: "string" }, tags: { type: "boolean" }, help: { type: "boolean" } } as const;
    const parsed = parseArgs({ options, allowPositionals: true });
    if (!parsed.values.help && parsed.positionals.length <= 1) return parsed;
    process.stdout.write(USAGE);
    process.exit(parsed.values.help ? 0 : USAGE_EXIT_CODE);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}`);
    process.exit(USAGE_EXIT_CODE);
  }
}
