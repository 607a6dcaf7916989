// The containers: the image runs the same programs as `npm start`, and docker-compose.yml grants each container only
// what it needs.
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import { parse } from "yaml";
import { buildPrograms, type Program } from "../../cli/start/build-programs.ts";
import packageJson from "../../package.json" with { type: "json" };
import { environmentSchema } from "../../shared/config.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface ComposeService {
  image?: string;
  command?: string;
  environment?: Record<string, string>;
  env_file?: unknown;
  ports?: string[];
  networks?: string[];
  network_mode?: string;
  tmpfs?: string[];
  read_only?: boolean;
  privileged?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  mem_limit?: string;
  pids_limit?: number;
}

const dockerfile = await readFile(join(ROOT, "Dockerfile"), "utf8");
const compose = parse(await readFile(join(ROOT, "docker-compose.yml"), "utf8"), { merge: true }) as {
  services: Record<string, ComposeService>;
  networks?: Record<string, { internal?: boolean } | null>;
};
const { postgres, api, proxy, relay, worker } = compose.services;

t.test("the image runs api, relay and worker as npm start does, from the files that its build writes", async (t) => {
  const programs = await buildPrograms();
  const commandOf = ({ nodeFlags, script }: Program) => [...nodeFlags, relative(ROOT, script)];
  t.same(JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? "[]"), commandOf(programs.api));
  t.same(worker.command?.split(" "), commandOf(programs.worker));
  t.same(relay.command?.split(" "), commandOf(programs.relay));
  const build = /^RUN (node \S+ \S+ cli\/build\.ts)/m.exec(dockerfile)?.[1].split(" ") ?? [];
  const { stdout } = await promisify(execFile)(build[0], build.slice(1), { cwd: ROOT });
  const { api: builtApi, relay: builtRelay, worker: builtWorker } = programs;
  const scripts = [builtApi, builtRelay, builtWorker].map(({ script }) => script);
  t.same(stdout.trim().split("\n"), [join(ROOT, "web", "dist"), ...scripts]);
});

t.test("the image pins a supported Node version and has no development packages", async (t) => {
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map((match) => match[1]);
  t.equal(bases.length, 2, "one stage builds, one runs");
  for (const base of bases) t.match(base, /^node:24\.\d+\.\d+-bookworm-slim$/);
  const [, finalStage] = dockerfile.split(/^FROM .*\n(?=[\s\S]*^CMD)/m).slice(-2);
  t.match(finalStage, /^RUN npm ci --omit=dev/m);
  t.match(finalStage, /^USER node$/m);
  for (const name of ["tsx", "esbuild"]) t.ok(name in packageJson.dependencies, `${name} is needed at run time`);
});

t.test("every container is read-only, has no capabilities, and has limits on memory and processes", async (t) => {
  t.same(Object.keys(compose.services).sort(), ["api", "livekit", "postgres", "proxy", "relay", "worker"]);
  for (const [name, service] of Object.entries(compose.services)) {
    t.match(service, { read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] }, name);
    t.ok(
      service.tmpfs?.some((mount) => mount.startsWith("/tmp")),
      `${name} has a temporary folder`,
    );
    t.match(service.mem_limit, /^\d+[mg]$/, name);
    t.ok(service.pids_limit, name);
    t.notOk(service.privileged, name);
    if (name !== "postgres") t.equal(service.cap_add, undefined, name);
    if (service.image) t.match(service.image, /:v?\d+\.\d+/, `${name} is pinned to a release`);
  }
});

t.test("worker and relay get their settings one by one, and none of the api's secrets", async (t) => {
  for (const service of [worker, relay]) {
    t.equal(service.env_file, undefined);
    const names = Object.keys(service.environment ?? {});
    t.ok(names.includes("LIVEKIT_API_SECRET"));
    for (const name of names) {
      t.ok(name in environmentSchema.shape, `${name} is a setting`);
      t.notMatch(name, /^(POSTGRES_|DATABASE_|S3_|OPENAI_IMAGES_|OPENAI_EMBEDDINGS_|AVATAR_OPERATOR_)/);
      const value = service.environment?.[name];
      t.notMatch(value, /POSTGRES_PASSWORD|AVATAR_OPERATOR_SECRET|S3_|OPENAI_(IMAGES|EMBEDDINGS)_/);
    }
  }
  t.notMatch(Object.keys(relay.environment ?? {}).join(), /OPENAI|UPSTREAMS|VOICE/, "a relay holds no key of a model");
});

t.test("every setting that the worker reads is passed to it", async (t) => {
  const entries = await readdir(join(ROOT, "agent-worker"), { recursive: true });
  const sources = await Promise.all(
    entries
      // A worker on a machine of its own runs elsewhere.
      .filter((entry) => entry.endsWith(".ts") && !entry.startsWith("self-hosted/"))
      .map((entry) => readFile(join(ROOT, "agent-worker", entry), "utf8")),
  );
  const read = Object.keys(environmentSchema.shape).filter((name) =>
    sources.some((source) => new RegExp(`\\b${name}\\b`).test(source)),
  );
  t.ok(read.length > 5);
  // The port is on the container's own loopback: the default is as good as any.
  const missing = read.filter((name) => name !== "AVATAR_WORKER_PORT" && !(name in (worker.environment ?? {})));
  t.same(missing, []);
});

t.test("the worker reaches the api over a network without PostgreSQL", async (t) => {
  t.equal(worker.network_mode, undefined, "the worker does not share the api's network namespace");
  t.same(postgres.networks, ["database"]);
  t.equal(compose.networks?.database?.internal, true, "PostgreSQL has no route out");
  t.notOk(worker.networks?.includes("database"));
  t.ok(worker.networks?.some((network) => api.networks?.includes(network)));
  t.equal(api.environment?.AVATAR_API_URL, "http://api:8080", "the address that workers are told");
});

t.test("api and relay are published together on loopback, for a reverse proxy on the same machine", async (t) => {
  t.same(proxy.ports, ["127.0.0.1:8080:8080"]);
  for (const service of [api, postgres, worker]) t.equal(service.ports, undefined);
  const [published] = relay.ports ?? [];
  t.equal(published, "50000-50049:50000-50049/udp", "media of calls");
  t.equal(relay.environment?.AVATAR_RELAY_UDP_PORTS, "50000-50049");
  const rules = await readFile(join(ROOT, "proxy.conf"), "utf8");
  for (const service of ["api:8080", `relay:${relay.environment?.AVATAR_RELAY_PORT}`]) t.match(rules, service);
  t.notOk([proxy, relay].some(({ networks }) => networks?.includes("database")));
});
