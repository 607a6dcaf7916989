// The command that pins base images by digest, against a small registry that answers as Docker's do.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { parseImage } from "../../../lab/pinned-images/image-references.ts";
import { ImageRegistry } from "../../../lab/pinned-images/image-registry.ts";
import { makeDataFolder } from "../../helpers/files/data-folder.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FILES = ["Dockerfile", "docker-compose.yml", "deploy/docker-compose.nodes.yml"];
/** The double's token, without which it shows nothing. */
const TOKEN = "anonymous-reader";

const manifestOf = (name: string) => JSON.stringify({ schemaVersion: 2, manifests: [{ image: name }] });
const digestOf = (name: string) => `sha256:${createHash("sha256").update(manifestOf(name)).digest("hex")}`;

interface Double {
  url: string;
  /** Paths of requests with a token. */
  seen: string[];
}

async function serveRegistry(t: Test, answer?: (response: ServerResponse) => void): Promise<Double> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", url);
    if (pathname === "/token") {
      const isMeant = searchParams.get("service") === "double" && searchParams.get("scope")?.endsWith(":pull");
      return response.writeHead(isMeant ? 200 : 400).end(JSON.stringify({ token: TOKEN }));
    }
    const [, repository = "", tag] = /^\/v2\/(.+)\/manifests\/([^/]+)$/.exec(pathname) ?? [];
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      const challenge = `Bearer realm="${url}/token",service="double",scope="repository:${repository}:pull"`;
      return response.writeHead(401, { "www-authenticate": challenge }).end("{}");
    }
    seen.push(pathname);
    if (answer) return answer(response);
    if (!request.headers.accept?.includes("image.index")) return response.writeHead(404).end();
    const name = `${repository}:${tag}`;
    response.writeHead(200, { "docker-content-digest": digestOf(name) }).end(manifestOf(name));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, seen };
}

async function copyFiles(t: Test) {
  const folder = await makeDataFolder(t);
  await mkdir(join(folder, "deploy"));
  for (const name of FILES) await copyFile(join(ROOT, name), join(folder, name));
  const read = () => Promise.all(FILES.map((name) => readFile(join(folder, name), "utf8")));
  const pin = (...words: string[]) =>
    new Promise<{ status: unknown; stdout: string; stderr: string }>((resolve) => {
      const command = ["--import", "tsx", "lab/pin-images.ts", ...words, folder];
      execFile(process.execPath, command, { cwd: ROOT }, (error, stdout, stderr) => {
        resolve({ status: error?.code ?? 0, stdout, stderr });
      });
    });
  return { folder, read, pin };
}

const withoutDigests = (text: string) => text.replace(/@sha256:[0-9a-f]{64}/g, "");

t.test("every image of a registry is pinned to what its tag names, and the tags stay readable", async (t) => {
  const { folder, read, pin } = await copyFiles(t);
  const before = (await read()).map(withoutDigests);
  const registry = await serveRegistry(t);
  const { status, stdout, stderr } = await pin("--mirror", registry.url);
  t.equal(status, 0, stderr);
  const pinned = await read();
  t.same(pinned.map(withoutDigests), before, "nothing else has changed");
  const [node] = /^FROM (node:\S+)@/m.exec(pinned[0])?.slice(1) ?? [];
  t.match(pinned[0], `FROM ${node}@${digestOf(`library/${node}`)} AS build`);
  t.match(pinned[0], /^FROM debian:bookworm-slim@sha256:[0-9a-f]{64} AS service$/m);
  t.match(pinned[0], /^FROM build AS cuda$/m, "a stage is no image of a registry");
  t.match(pinned[1], /^\s+image: open-avatar-service$/m, "nor is what is built here");
  const [livekit] = /livekit\/livekit-server:[^@\s]+/.exec(pinned[1]) ?? [""];
  t.match(pinned[1], `${livekit}@${digestOf(livekit)}`);
  t.match(pinned[2], `${livekit}@${digestOf(livekit)}`);
  for (const text of pinned) {
    for (const [line] of text.matchAll(/^(FROM|\s+image:) *\S+:\S+.*$/gm)) t.match(line, /@sha256:/, line);
  }
  t.equal(new Set(registry.seen).size, registry.seen.length, "one request for each image");
  t.match(stdout, new RegExp(`^postgres:\\S+ ${digestOf("").slice(0, 7)}`, "m"));

  await writeFile(
    join(folder, "Dockerfile"),
    pinned[0].replaceAll(/@sha256:[0-9a-f]{64}/g, `@sha256:${"0".repeat(64)}`),
  );
  t.equal((await pin("--mirror", registry.url)).status, 0);
  t.same(await read(), pinned, "an old digest is replaced");
  t.equal((await pin("--tags")).status, 0);
  t.same(await read(), before, "and can be taken out");
});

t.test("where no registry can be reached the tags stay, and one line says so", async (t) => {
  const { read, pin } = await copyFiles(t);
  const before = await read();
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const { status, stdout, stderr } = await pin("--mirror", `http://127.0.0.1:${port}`);
  t.equal(status, 1);
  t.equal(stdout, "");
  t.match(stderr, /^The images keep their tags: 127\.0\.0\.1:\d+ could not be reached \(ECONNREFUSED\)\.\n$/);
  t.same(await read(), before);
});

t.test("a registry that is silent, refuses, floods or lies pins nothing", async (t) => {
  const image = parseImage("node:24");
  const cases: [string, (response: ServerResponse) => void, RegExp][] = [
    ["silent", () => undefined, /no answer in time/],
    ["refuses", (response) => response.writeHead(429).end(), /answered 429/],
    ["floods", (response) => response.writeHead(200).end(Buffer.alloc(5 * 1024 * 1024)), /larger than 4 MiB/],
    [
      "lies",
      (response) => response.writeHead(200, { "docker-content-digest": digestOf("other") }).end("{}"),
      /does not have its digest/,
    ],
  ];
  for (const [what, answer, message] of cases) {
    const { url } = await serveRegistry(t, answer);
    const timeoutMs = what === "silent" ? 300 : 20_000;
    await t.rejects(new ImageRegistry({ mirror: url, timeoutMs }).digestOf(image), { message }, what);
  }
});

t.test("names are read as Docker reads them", async (t) => {
  t.same(parseImage("node:24"), { registry: "docker.io", repository: "library/node", tag: "24" });
  t.same(parseImage("a/b:1"), { registry: "docker.io", repository: "a/b", tag: "1" });
  t.same(parseImage("quay.io/a/b:1"), { registry: "quay.io", repository: "a/b", tag: "1" });
  t.same(parseImage("localhost:5000/b:1"), { registry: "localhost:5000", repository: "b", tag: "1" });
});
