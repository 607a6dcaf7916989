// The containers: the image runs the same programs as `npm start`, and docker-compose.yml grants each container only
// what it needs.
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import { parse } from "yaml";
import { SESSION_PARTS } from "../../agent-worker/session/session-config.ts";
import { WORKER_PARTS } from "../../agent-worker/worker-config.ts";
import { buildForImage, type Program } from "../../cli/start/build/build-programs.ts";
import { settingNames } from "../../program/config.ts";
import { testPrograms } from "../helpers/service/built-programs.ts";

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
  cpu_shares?: number;
  pids_limit?: number;
  init?: boolean;
  restart?: string;
  stop_grace_period?: string;
  logging?: { driver: string; options: Record<string, string> };
  healthcheck?: { test: string[] };
  profiles?: string[];
  build?: { target: string };
  deploy?: unknown;
}

const dockerfile = await readFile(join(ROOT, "Dockerfile"), "utf8");
const compose = parse(await readFile(join(ROOT, "docker-compose.yml"), "utf8"), { merge: true }) as {
  services: Record<string, ComposeService>;
  networks?: Record<string, { internal?: boolean } | null>;
};
/** Two LiveKit nodes on one machine. */
const nodes = parse(await readFile(join(ROOT, "deploy/docker-compose.nodes.yml"), "utf8"), {
  merge: true,
}) as typeof compose;
const { postgres, livekit, api, proxy, relay, worker, s3 } = compose.services;
const gpuWorker = compose.services["worker-gpu"];
const proxyRules = await readFile(join(ROOT, "deploy/proxy.conf"), "utf8");

t.test("the image runs api, relay and worker as npm start does, from the files that its build writes", async (t) => {
  const programs = await testPrograms();
  const commandOf = ({ nodeFlags, script }: Program) => [...nodeFlags, relative(ROOT, script)];
  t.same(JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? "[]"), commandOf(programs.api));
  t.same(worker.command?.split(" "), commandOf(programs.worker));
  t.same(relay.command?.split(" "), commandOf(programs.relay));
  const build = /^RUN (node \S+ \S+ cli\/build\.ts) && node --import tsx cli\/image\.ts \/image$/m;
  const words = build.exec(dockerfile)?.[1].split(" ") ?? [];
  const { stdout } = await promisify(execFile)(words[0], words.slice(1), { cwd: ROOT });
  const { api: builtApi, relay: builtRelay, worker: builtWorker, command } = await buildForImage();
  const scripts = [builtApi, builtRelay, builtWorker, command].map(({ script }) => script);
  t.same(stdout.trim().split("\n"), [join(ROOT, "web", "dist"), ...scripts]);
  const avatar = await readFile(join(ROOT, "deploy", "containers", "avatar"), "utf8");
  t.match(avatar, `exec node --enable-source-maps /app/${relative(ROOT, command.script)} "$@"`);
});

t.test(
  "the image pins a supported Node version, runs as a user without rights, and has only what was assembled",
  async (t) => {
    const stages = [...dockerfile.matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)].map(
      ([, base, name]) => `${name} of ${base}`,
    );
    t.match(stages[0], /^build of node:24\.\d+\.\d+-bookworm-slim$/);
    t.equal(stages[1], "service of debian:bookworm-slim");
    const [service] = dockerfile.split(/^FROM .* AS service$/m)[1].split(/^FROM /m);
    t.same(service.match(/^COPY .*$/gm), [
      "COPY --from=build /image-node /usr/local/bin/node",
      "COPY --from=build /image /app",
      "COPY deploy/containers/avatar deploy/containers/answers /usr/local/bin/",
    ]);
    t.match(service, /^USER avatar$/m);
    t.match(service, "useradd --uid 1000", "the owner of volumes that earlier versions wrote");
    const ignored = (await readFile(join(ROOT, ".dockerignore"), "utf8")).split("\n");
    for (const name of ["**/node_modules", ".env", ".data", ".git"]) t.ok(ignored.includes(name), name);
  },
);

t.test("a health check fails unless its server answers 200 in time", async (t) => {
  const answers = (port: number, path: string) =>
    promisify(execFile)(join(ROOT, "deploy", "containers", "answers"), [String(port), path]).then(
      () => true,
      () => false,
    );
  const server = createServer((request, response) => {
    if (request.url === "/slow") return;
    response.statusCode = request.url === "/healthz" ? 200 : 503;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  t.equal(await answers(port, "/healthz"), true);
  t.equal(await answers(port, "/readyz"), false);
  t.equal(await answers(port, "/slow"), false);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  t.equal(await answers(port, "/healthz"), false, "nothing listens");
});

t.test("secrets are made once, readable by their owner alone, and are all that compose needs", async (t) => {
  const folder = t.testdir({ ".env": "PUBLIC_URL=https://avatars.example\nLIVEKIT_API_SECRET=kept" });
  const make = () => promisify(execFile)(join(ROOT, "deploy", "containers", "make-secrets"), { cwd: folder });
  await make();
  const first = await readFile(join(folder, ".env"), "utf8");
  await make();
  t.equal(await readFile(join(folder, ".env"), "utf8"), first);
  t.equal((await stat(join(folder, ".env"))).mode & 0o777, 0o600);
  t.match(first, /^PUBLIC_URL=https:\/\/avatars\.example\nLIVEKIT_API_SECRET=kept\n/);
  const text = await readFile(join(ROOT, "docker-compose.yml"), "utf8");
  const needed = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name));
  const made = first.match(/^\w+(?==[0-9a-f]{64}$)/gm) ?? [];
  t.same([...needed].sort(), [...made, "LIVEKIT_API_SECRET"].sort());
});

t.test(
  "every container is read-only, has no capabilities, and has limits on memory, processes and its log",
  async (t) => {
    t.same(Object.keys(compose.services).sort(), [
      ...["api", "livekit", "postgres", "proxy", "relay", "s3", "worker", "worker-gpu", "prometheus", "grafana"].sort(),
    ]);
    const { livekit: _, ...more } = nodes.services;
    t.same(Object.keys(more).sort(), ["livekit-2", "redis"]);
    for (const [name, service] of Object.entries({ ...compose.services, ...more })) {
      t.match(service, { read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] }, name);
      t.match(service, { init: true, restart: "unless-stopped", logging: { options: { "max-size": "10m" } } }, name);
      t.ok(service.cpu_shares, `${name} has a share of the processor`);
      t.ok(
        service.tmpfs?.some((mount) => mount.startsWith("/tmp")),
        `${name} has a temporary folder`,
      );
      t.match(service.mem_limit, /^(\d+[mg]|\$\{WORKER_MEMORY:-4g\})$/, name);
      t.ok(service.pids_limit, name);
      t.notOk(service.privileged, name);
      if (name !== "postgres") t.equal(service.cap_add, undefined, name);
      const isOurs = /^open-avatar-service(-gpu)?$/.test(service.image ?? "");
      t.ok(isOurs || /:v?\d+\.\d+/.test(service.image ?? ""), `${name} is pinned to a release`);
    }
  },
);

t.test("worker and relay get their settings one by one, and none of the api's secrets", async (t) => {
  for (const service of [worker, relay]) {
    t.equal(service.env_file, undefined);
    const names = Object.keys(service.environment ?? {});
    t.ok(names.includes("LIVEKIT_API_SECRET"));
    for (const name of names) {
      t.ok(settingNames().includes(name), `${name} is a setting`);
      t.notMatch(name, /^(POSTGRES_|DATABASE_|S3_|OPENAI_IMAGES_|OPENAI_EMBEDDINGS_|AVATAR_OPERATOR_)/);
      const value = service.environment?.[name];
      t.notMatch(value, /POSTGRES_PASSWORD|AVATAR_OPERATOR_SECRET|S3_|OPENAI_(IMAGES|EMBEDDINGS)_/);
    }
  }
  t.notMatch(Object.keys(relay.environment ?? {}).join(), /OPENAI|UPSTREAMS|VOICE/, "a relay holds no key of a model");
});

t.test("every setting that the worker reads is passed to it", async (t) => {
  const read = settingNames([...WORKER_PARTS, ...SESSION_PARTS]);
  const notPassed = [
    // On the container's own loopback: the default is as good as any.
    "AVATAR_WORKER_PORT",
    // Of these parts, the api's alone.
    "PUBLIC_URL",
    "AVATAR_TRUST_PROXY",
    "LIVEKIT_PUBLIC_URL",
    "FFMPEG_PATH",
    "AVATAR_MIN_FREE_DISK_MB",
  ];
  const missing = read.filter((name) => !notPassed.includes(name) && !(name in (worker.environment ?? {})));
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

t.test(
  "api, relay and LiveKit's signalling are published together on loopback, for a reverse proxy with TLS",
  async (t) => {
    t.same(proxy.ports, ["127.0.0.1:8080:8080"]);
    for (const service of [api, postgres, worker, gpuWorker, s3]) t.equal(service.ports, undefined);
    t.same(livekit.ports, ["7881:7881/tcp", "7882:7882/udp"], "media of rooms");
    const livekitRules = parse(await readFile(join(ROOT, "livekit.yaml"), "utf8"));
    t.match(livekitRules, { port: 7880, rtc: { tcp_port: 7881, udp_port: 7882 } });
    t.same(relay.ports, ["50000-50049:50000-50049/udp"], "media of calls");
    t.equal(relay.environment?.AVATAR_RELAY_UDP_PORTS, "50000-50049");
    for (const place of ["api:8080", `relay:${relay.environment?.AVATAR_RELAY_PORT}`, "livekit:7880"]) {
      t.match(proxyRules, `set $to http://${place};`, "resolved again for each request");
    }
    t.match(proxyRules, "include /tmp/resolver.conf;");
    t.match(proxy.command, [/sh/, /-c/, /resolv\.conf > \/tmp\/resolver\.conf/]);
    t.notMatch(proxyRules, /metrics|9464/, "metrics are for the network of the containers");
    t.notOk([proxy, relay].some(({ networks }) => networks?.includes("database")));
  },
);

t.test(
  "no value must be set but secrets: callers reach LiveKit where they reach the api, and the service by its name",
  async (t) => {
    const environment = api.environment ?? {};
    t.match(environment.PUBLIC_URL, /^\$\{PUBLIC_URL:-http:\/\/127\.0\.0\.1:8080\}$/);
    t.match(environment.LIVEKIT_PUBLIC_URL, /^\$\{LIVEKIT_PUBLIC_URL:-\$\{PUBLIC_URL:-http:.*:8080\}\}$/);
    for (const service of [api, worker]) t.equal(service.environment?.LIVEKIT_URL, "ws://livekit:7880");
    t.same(livekit.networks, worker.networks);
  },
);

t.test("each container has a health check, and gets time to end what they do", async (t) => {
  const probes = { api: "8080 /healthz", relay: "8088 /ready", worker: "8089 /health" };
  for (const [name, probe] of Object.entries(probes)) {
    t.same(compose.services[name].healthcheck?.test, ["CMD", "answers", ...probe.split(" ")], name);
  }
  for (const service of [postgres, proxy]) t.ok(service.healthcheck);
  for (const service of [postgres, api, relay, worker]) t.match(service.stop_grace_period, /^(\d+|\$\{\w+:-30\})s$/);
});

t.test("what few installations need is in a profile: a bucket, workers with a GPU, monitoring", async (t) => {
  const inProfiles = Object.entries(compose.services).filter(([, { profiles }]) => profiles);
  t.same(Object.fromEntries(inProfiles.map(([name, { profiles }]) => [name, profiles])), {
    "worker-gpu": ["gpu"],
    s3: ["s3"],
    prometheus: ["monitoring"],
    grafana: ["monitoring"],
  });
  t.same(gpuWorker, {
    ...worker,
    profiles: ["gpu"],
    image: "open-avatar-service-gpu",
    build: { context: ".", target: "gpu" },
    environment: { ...worker.environment, AVATAR_EXECUTION_PROVIDER: "cuda" },
    deploy: { resources: { reservations: { devices: [{ driver: "nvidia", count: "all", capabilities: ["gpu"] }] } } },
  });
});
