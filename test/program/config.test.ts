import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import { ConfigError, parseConfig, settingNames } from "../../program/config.ts";

t.test("an empty environment gives the defaults", async (t) => {
  const config = parseConfig({});
  t.equal(config.http.port, 8080);
  t.equal(config.http.host, "127.0.0.1");
  t.equal(config.http.publicUrl, "http://127.0.0.1:8080");
  t.equal(config.outgoing.allowPrivate, false);
  t.throws(() => Object.assign(config, { http: {} }), "the value is frozen");
  t.throws(() => Object.assign(config.http, { port: 1 }), "and so are its parts");
});

t.test("an empty value counts as absent", async (t) => {
  t.equal(parseConfig({ PORT: "", AVATAR_OPERATOR_SECRET: "" }).http.port, 8080);
});

t.test("a program gets the parts that it names, and the whole environment is checked", async (t) => {
  t.same(Object.keys(parseConfig({ S3_BUCKET: "b", AVATAR_API_SECRET: "secret" }, ["http", "log"])), ["http", "log"]);
  t.throws(() => parseConfig({ MAX_TASK_HISTORY: "many" }, ["http"]), /MAX_TASK_HISTORY: must be a whole number/);
});

t.test(
  "a shell that is set up for a client of the service is accepted, and the secret's old name is read",
  async (t) => {
    const shell = { AVATAR_API_URL: "https://avatars.example", AVATAR_API_KEY: "old", AVATAR_API_TIMEOUT: "30" };
    t.match(parseConfig(shell).selfHosted, { apiSecret: "old", usesApiKey: true });
    const both = { ...shell, AVATAR_API_SECRET: "new" };
    t.match(parseConfig(both).selfHosted, { apiSecret: "new", usesApiKey: false });
    t.throws(() => parseConfig({ AVATAR_API_TIMEOUT: "1.5" }), /AVATAR_API_TIMEOUT: must be a whole number/);
  },
);

t.test("durations are in ms and sizes in bytes, and both workers have one limit of sessions", async (t) => {
  const config = parseConfig({
    AVATAR_MIN_FREE_DISK_MB: "2",
    AVATAR_TRANSCRIPT_DAYS: "3",
    AVATAR_RELAY_DRAIN_SECONDS: "4",
    AVATAR_WORKER_DRAIN_SECONDS: "5",
    SESSION_IDLE_TIMEOUT: "6",
    TASK_RETENTION_SECONDS: "7",
    AVATAR_VOICE: "remote",
    AVATAR_VOICE_URL: "http://127.0.0.1:9/v1",
    AVATAR_VOICE_TIMEOUT_SECONDS: "8",
    AVATAR_MAX_SESSIONS: "9",
    MAX_SESSIONS: "10",
  });
  t.match(config, {
    disk: { minFreeBytes: 2_000_000 },
    retention: { transcriptMs: 3 * 86_400_000 },
    relay: { drainMs: 4_000 },
    voice: { remote: { timeoutMs: 8_000 } },
    worker: { drainMs: 5_000, maxSessions: 9 },
    selfHosted: { drainMs: 5_000, maxSessions: 10, idleTimeoutMs: 6_000, tasks: { retentionMs: 7_000 } },
  });
  t.throws(() => parseConfig({ AVATAR_VOICE: "remote" }), /AVATAR_VOICE_URL: required by AVATAR_VOICE=remote/);
});

t.test("PUBLIC_URL takes precedence over host and port, and its trailing slash is removed", async (t) => {
  t.equal(
    parseConfig({ PUBLIC_URL: "https://avatars.example/", PORT: "9000" }).http.publicUrl,
    "https://avatars.example",
  );
  t.equal(parseConfig({ HOST: "::1", PORT: "9000" }).http.publicUrl, "http://[::1]:9000");
  t.equal(parseConfig({ PUBLIC_URL: "https://avatars.example/" }).http.apiUrl, "https://avatars.example");
  t.equal(parseConfig({ AVATAR_API_URL: "http://api:8080/" }).http.apiUrl, "http://api:8080");
});

t.test("a key that a header cannot hold is refused without being shown", async (t) => {
  for (const name of ["OPENAI_API_KEY", "AVATAR_VOICE_KEY"]) {
    t.throws(() => parseConfig({ [name]: "sk-one\nsk-two" }), { message: /must be letters/ }, name);
    try {
      parseConfig({ [name]: "sk-one\nsk-two" });
    } catch (error) {
      t.notMatch((error as Error).message, /sk-/);
    }
    t.doesNotThrow(() => parseConfig({ [name]: "sk-one.2_3" }));
  }
});

t.test("every problem is reported at once", async (t) => {
  try {
    parseConfig({ PORT: "many", AVATAR_OPERATOR_SECRET: "short", AVATAR_TYPO: "1", DATABASE_URL: "mysql://x" });
    t.fail("should throw");
  } catch (error) {
    t.type(error, ConfigError);
    const problems = (error as ConfigError).problems;
    t.equal(problems.length, 4);
    for (const key of ["PORT", "AVATAR_OPERATOR_SECRET", "AVATAR_TYPO", "DATABASE_URL"]) {
      t.ok(
        problems.some((problem) => problem.startsWith(key)),
        `${key} is named`,
      );
    }
    t.match((error as Error).message, /PORT: must be a whole number from 1 to 65535/);
    t.match((error as Error).message, /DATABASE_URL: must be a URL that begins with postgres:/);
    t.notMatch((error as Error).message, /short/, "the value of a secret is not shown");
  }
});

t.test("a name one letter away from a setting is refused, and the setting is named", async (t) => {
  const nearMisses = {
    S3_SIGNED_URL: "S3_SIGNED_URLS",
    MAX_SESSION: "MAX_SESSIONS",
    S3_BUCKETS: "S3_BUCKET",
    DATABASE_URI: "DATABASE_URL",
    LIVEKIT_ULR: "LIVEKIT_URL",
    FFMPEG_PTAH: "FFMPEG_PATH",
    OPENAI_APIKEY: "OPENAI_API_KEY",
    AVATAR_VOCIE: "AVATAR_VOICE",
    OTEL_SERVICES_NAME: "OTEL_SERVICE_NAME",
  };
  const problems = Object.entries(nearMisses).map(
    ([name, setting]) => `${name} is not a setting of this service: did you mean ${setting}?`,
  );
  const environment = Object.fromEntries(Object.keys(nearMisses).map((name) => [name, "1"]));
  t.throws(() => parseConfig(environment), new ConfigError(problems));
});

t.test(
  "other names are left alone: short ones, two letters away, empty ones, and those of other programs",
  async (t) => {
    const foreign = `POST PORTS HOSTS GHOST S3_SIGN_URL LIVEKIT_SERVER_URL PATH PWD OLDPWD HOME USER LOGNAME
    SHELL SHLVL TERM LANG LC_ALL TZ TMPDIR DISPLAY EDITOR PAGER HOSTNAME HOSTTYPE MAIL _ DEBUG CI PUBLIC_KEY
    HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy no_proxy SSH_AUTH_SOCK SSH_CONNECTION XDG_CACHE_HOME
    NODE_ENV NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS UV_THREADPOOL_SIZE NVM_DIR npm_config_cache npm_package_name
    npm_lifecycle_event npm_execpath INIT_CWD COLOR FORCE_COLOR NO_COLOR SSL_CERT_FILE SSL_CERT_DIR
    PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGSSLMODE POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB POSTGRES_URL
    DATABASE_HOST DATABASE_NAME DATABASE_USER DIRECT_URL REDIS_URL REDIS_HOST
    LIVEKIT_KEYS LIVEKIT_CONFIG LIVEKIT_CONFIG_FILE LIVEKIT_BODY LIVEKIT_INFERENCE_URL LIVEKIT_LOG_LEVEL
    NEXT_PUBLIC_LIVEKIT_URL LIVEKIT_AGENT_NAME LIVEKIT_TOKEN UDP_PORT NODE_IP
    OPENAI_ORG_ID OPENAI_ORGANIZATION OPENAI_PROJECT_ID OPENAI_API_BASE OPENAI_API_VERSION OPENAI_LOG
    OPENAI_WEBHOOK_SECRET OPENAI_API_TYPE AZURE_OPENAI_API_KEY ANTHROPIC_API_KEY DEEPGRAM_API_KEY GOOGLE_API_KEY
    AWS_REGION AWS_DEFAULT_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_S3_BUCKET AWS_PROFILE
    AWS_ENDPOINT_URL AWS_ENDPOINT_URL_S3 S3_ACCESS_KEY S3_SECRET_KEY S3_BUCKET_NAME S3_USE_SSL MINIO_ROOT_USER
    MINIO_ROOT_PASSWORD CUDA_VISIBLE_DEVICES NVIDIA_VISIBLE_DEVICES NVIDIA_DRIVER_CAPABILITIES LD_LIBRARY_PATH
    OMP_NUM_THREADS ORT_LOGGING_LEVEL FFMPEG_BIN FFMPEG_BINARY FFPROBE_PATH
    OTEL_EXPORTER_OTLP_PROTOCOL OTEL_EXPORTER_OTLP_TRACES_HEADERS OTEL_EXPORTER_OTLP_TRACES_TIMEOUT
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL OTEL_EXPORTER_OTLP_METRICS_ENDPOINT OTEL_EXPORTER_OTLP_LOGS_ENDPOINT
    OTEL_EXPORTER_OTLP_COMPRESSION OTEL_EXPORTER_OTLP_CERTIFICATE OTEL_TRACES_EXPORTER OTEL_METRICS_EXPORTER
    OTEL_LOGS_EXPORTER OTEL_PROPAGATORS OTEL_LOG_LEVEL OTEL_SDK_DISABLED OTEL_NODE_RESOURCE_DETECTORS
    KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT DOCKER_HOST COMPOSE_PROJECT_NAME INVOCATION_ID JOURNAL_STREAM
    NOTIFY_SOCKET LISTEN_FDS PUBLIC_IP MAX_CONNECTIONS SESSION_SECRET SESSION_TIMEOUT WEB_CONCURRENCY`;
    const names = foreign.split(/\s+/);
    t.doesNotThrow(() => parseConfig({ ...process.env, ...Object.fromEntries(names.map((name) => [name, "1"])) }));
    t.doesNotThrow(() => parseConfig({ S3_SIGNED_URL: "" }), "an empty value counts as absent");
  },
);

t.test(".env.example lists exactly the keys that are read", async (t) => {
  const text = await readFile(new URL("../../.env.example", import.meta.url), "utf8");
  const listed = [...text.matchAll(/^#?\s*([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1]).sort();
  t.same(listed, settingNames().sort());
});

t.test("a copy of .env.example, read by a shell, sets only default values", async (t) => {
  const file = fileURLToPath(new URL("../../.env.example", import.meta.url));
  const { stdout } = await promisify(execFile)("/bin/sh", ["-c", 'set -a; . "$0"; /usr/bin/env -0', file], { env: {} });
  const own = stdout.split("\0").filter((line) => settingNames().includes(line.split("=")[0]));
  const set = Object.fromEntries(
    own.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  t.ok("AVATAR_FRAME_ANCESTORS" in set);
  t.same(parseConfig(set), parseConfig({}));
});

t.test("realtime upstreams are a JSON list, and its problems name the entry and the field, never a key", async (t) => {
  const one = { name: "gpt-realtime", base_url: "https://cloud.example/v1/", api_key: "sk-one", plan: "pro" };
  const config = parseConfig({ AVATAR_REALTIME_UPSTREAMS: JSON.stringify([one]) });
  t.same(config.realtime.upstreams, [
    { name: "gpt-realtime", baseUrl: "https://cloud.example/v1", apiKey: "sk-one", model: "gpt-realtime", plan: "pro" },
  ]);
  const problemsOf = (value: string): string => {
    try {
      parseConfig({ AVATAR_REALTIME_UPSTREAMS: value });
      return "";
    } catch (error) {
      return (error as ConfigError).message;
    }
  };
  t.match(problemsOf("gpt=sk-one"), /JSON list/);
  t.match(problemsOf(JSON.stringify([one, one])), /entry 2, name: is taken/);
  t.match(problemsOf(JSON.stringify([{ ...one, name: "service-realtime" }])), /entry 1, name/);
  t.match(problemsOf(JSON.stringify([{ ...one, base_url: "sk-one" }])), /entry 1, base_url: must be a URL/);
  t.match(problemsOf(JSON.stringify([{ ...one, plan: "sk-one" }])), /entry 1, plan: must be one of creator/);
  t.match(problemsOf(JSON.stringify([{ ...one, api_key: "sk-one\n" }])), /entry 1, api_key: must be letters/);
  t.match(problemsOf(JSON.stringify([{ ...one, "sk-one": 1, model: 2 }])), /entry 1, model: is missing/);
  for (const bad of [
    "sk-one",
    JSON.stringify([
      { ...one, "sk-one": 1 },
      { ...one, plan: "sk-one" },
    ]),
  ]) {
    t.notMatch(problemsOf(bad), /sk-one/);
  }
});

t.test("the default realtime model is at OpenAI if its key is set, and nowhere else unless listed", async (t) => {
  const environment = { OPENAI_API_KEY: "sk-one", OPENAI_BASE_URL: "https://api.openai.com/v1" };
  t.match(parseConfig(environment).realtime.upstreams, [{ name: "gpt-realtime-mini", apiKey: "sk-one" }]);
  t.same(parseConfig({ ...environment, OPENAI_BASE_URL: "http://127.0.0.1:11434/v1" }).realtime.upstreams, []);
  const listed = [{ name: "gpt-realtime-mini", base_url: "https://cloud.example/v1" }];
  const config = parseConfig({ ...environment, AVATAR_REALTIME_UPSTREAMS: JSON.stringify(listed) });
  t.match(config.realtime.upstreams, [{ baseUrl: "https://cloud.example/v1", apiKey: undefined }]);
  t.equal(config.realtime.upstreams.length, 1);
});
