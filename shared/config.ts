// Turns an environment object into one frozen, typed value; reports every problem at once.
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { isOneLetterAway } from "./config/is-one-letter-away.ts";
import { isLoopbackHost } from "./loopback.ts";
import { FAMILIES, type ModelFamily } from "./models.ts";
import { MAX_WORKER_SESSIONS } from "./runtime-api.ts";
import { AGENT_NAME, DEFAULT_REALTIME_MODEL, SERVICE_REALTIME_MODEL } from "./wire-names.ts";

const OPENAI_HOST = "api.openai.com";

const flag = z
  .enum(["0", "1", "true", "false", "on", "off"], "must be 1 or 0")
  .transform((value) => value === "1" || value === "true" || value === "on");
const port = wholeNumber(1, 65_535);
/** Highest frame rates that avatars can be rendered at. */
const maxFps = z.enum(["25", "12.5"], "must be 25 or 12.5").transform((fps) => (fps === "25" ? 25 : 12.5));
const optional = z.string().min(1).optional();
/** A key that is sent in a header. With a line break in it the header's error would quote it. */
const headerKey = z
  .string()
  .regex(/^[\x21-\x7e]+$/, "must be letters, digits and signs of ASCII, without spaces and line breaks")
  .optional();

/** Families, separated by commas. */
const modelFamilies = z.string().transform((text, context): readonly ModelFamily[] => {
  const names = text.split(",").map((name) => name.trim());
  const families = FAMILIES.filter((family) => names.includes(family));
  if (families.length < names.length) context.addIssue(`must be families of ${FAMILIES.join(", ")}`);
  return families;
});

/** `M1=name,F1=other`. */
const voiceNames = z.string().transform((text, context): Readonly<Record<string, string>> => {
  const pairs = text.split(",").map((pair) => pair.split("=").map((part) => part.trim()));
  const isValid = pairs.every((pair) => pair.length === 2 && /^[MF][1-5]$/.test(pair[0]) && pair[1] !== "");
  if (!isValid) context.addIssue("must be pairs like M1=name, separated by commas, for M1 to M5 and F1 to F5");
  return Object.fromEntries(pairs);
});

/** `50000-50100`. */
const portRange = z.string().transform((text, context): { min: number; max: number } => {
  const [, min, max] = (/^(\d{1,5})-(\d{1,5})$/.exec(text) ?? []).map(Number);
  const isValid = min >= 1024 && max <= 65_535 && min <= max;
  if (!isValid) context.addIssue("must be a range of ports like 50000-50100, from 1024 to 65535");
  return { min, max };
});

/** `key=value,other=value`, as OpenTelemetry writes lists; values may be percent-encoded. Problems show no value:
 *  headers hold keys. */
const pairs = z.string().transform((text, context): Readonly<Record<string, string>> => {
  try {
    const entries = text.split(",").map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new Error("no pair");
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())] as const;
    });
    if (entries.every(([, value]) => /^[\x20-\x7e]*$/.test(value))) return Object.fromEntries(entries);
  } catch {
    // Reported below.
  }
  context.addIssue("must be pairs like name=value, separated by commas, of ASCII characters or percent-encoded");
  return {};
});

/** Which traces are recorded, by OpenTelemetry's names. */
export const TRACES_SAMPLERS = [
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
  "always_on",
  "always_off",
  "traceidratio",
] as const;
export type TracesSampler = (typeof TRACES_SAMPLERS)[number];

/** Addresses and CIDR ranges, separated by commas. */
const addressRanges = z.string().transform((text, context): readonly string[] => {
  const ranges = text.split(",").map((range) => range.trim());
  const isValid = (range: string) => (range.includes("/") ? ipaddr.isValidCIDR(range) : ipaddr.isValid(range));
  if (!ranges.every(isValid)) context.addIssue("must be IP addresses or CIDR ranges, separated by commas");
  return ranges;
});

/** Addresses of name servers, separated by commas; a port may follow. */
const nameServers = z.string().transform((text, context): readonly string[] => {
  const servers = text.split(",").map((server) => server.trim());
  const isValid = (server: string) => ipaddr.isValid(server) || SERVER_AND_PORT.test(server);
  if (!servers.every(isValid))
    context.addIssue("must be IP addresses like 192.0.2.1 or 192.0.2.1:53, separated by commas");
  return servers;
});
const SERVER_AND_PORT = /^(\d{1,3}(\.\d{1,3}){3}|\[[\da-fA-F:]+\]):\d{1,5}$/;

/** A server that speaks OpenAI's realtime events, to which relays lead calls. */
export interface RealtimeUpstream {
  /** The model as callers name it. */
  readonly name: string;
  /** With its version, without a trailing slash: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Sent as Bearer. */
  readonly apiKey: string | undefined;
  /** The model as the server names it. */
  readonly model: string;
  /** Least plan of accounts that may call it; undefined for any. */
  readonly plan: RealtimePlan | undefined;
}

/** Plans that an upstream may need, cheapest first. */
export const REALTIME_PLANS = ["creator", "pro", "business", "enterprise"] as const;
export type RealtimePlan = (typeof REALTIME_PLANS)[number];

const upstreamSchema = z.strictObject({
  name: z.string().regex(/^[\w.:/-]{1,100}$/, "must have 1 to 100 letters, digits and signs of _ . : / -"),
  base_url: url(/^https?$/, "http:// or https://").transform((base) => base.replace(/\/+$/, "")),
  api_key: headerKey,
  model: z.string().min(1).max(200).optional(),
  plan: z.enum(REALTIME_PLANS, `must be one of ${REALTIME_PLANS.join(", ")}`).optional(),
});

/** A JSON list of upstreams. Problems name the entry and the field, never a value: one of them is a key. */
const realtimeUpstreams = z.string().transform((text, context): readonly RealtimeUpstream[] => {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    list = undefined;
  }
  if (!Array.isArray(list)) {
    context.addIssue('must be a JSON list like [{"name":"…","base_url":"https://…/v1","api_key":"…"}]');
    return [];
  }
  const names = new Set<string>([SERVICE_REALTIME_MODEL]);
  return list.flatMap((entry, index) => {
    const parsed = upstreamSchema.safeParse(entry);
    for (const { path, code, message } of parsed.error?.issues ?? []) {
      const problem =
        code === "invalid_type" || code === "unrecognized_keys" ? "is missing, unknown or of a wrong type" : message;
      context.addIssue(`entry ${index + 1}${path.length > 0 ? `, ${path.join(".")}` : ""}: ${problem}`);
    }
    if (!parsed.success) return [];
    const { name, base_url: baseUrl, api_key: apiKey, model = name, plan } = parsed.data;
    if (names.has(name)) context.addIssue(`entry ${index + 1}, name: is taken`);
    names.add(name);
    return [Object.freeze({ name, baseUrl, apiKey, model, plan })];
  });
});

function wholeNumber(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(message).int(message).min(least, message).max(most, message);
}

function url(protocol: RegExp, beginnings: string) {
  return z.url({ protocol, error: `must be a URL that begins with ${beginnings}` });
}

/** Every key that the service reads, with its default. `.env.example` says what each is for; a test compares the two.
 *  */
export const environmentSchema = z.object({
  PORT: port.default(8080),
  HOST: z.string().min(1).default("127.0.0.1"),
  PUBLIC_URL: url(/^https?$/, "http:// or https://").optional(),
  AVATAR_API_URL: url(/^https?$/, "http:// or https://").optional(),
  DATABASE_URL: url(/^postgres(ql)?$/, "postgres://").optional(),
  LIVEKIT_URL: url(/^(wss?|https?)$/, "ws://, wss://, http:// or https://").optional(),
  LIVEKIT_PUBLIC_URL: url(/^(wss?|https?)$/, "ws://, wss://, http:// or https://").optional(),
  LIVEKIT_API_KEY: optional,
  LIVEKIT_API_SECRET: optional,
  OPENAI_BASE_URL: url(/^https?$/, "http:// or https://").optional(),
  OPENAI_API_KEY: headerKey,
  OPENAI_MODEL: optional,
  AVATAR_FIND_MODEL: flag.default(true),
  AVATAR_REALTIME_UPSTREAMS: realtimeUpstreams.default([]),
  OPENAI_EMBEDDINGS_BASE_URL: url(/^https?$/, "http:// or https://").optional(),
  OPENAI_EMBEDDINGS_API_KEY: optional,
  OPENAI_EMBEDDINGS_MODEL: z.string().min(1).default("text-embedding-3-small"),
  OPENAI_IMAGES_BASE_URL: url(/^https?$/, "http:// or https://").optional(),
  OPENAI_IMAGES_API_KEY: optional,
  OPENAI_IMAGES_MODEL: optional,
  S3_BUCKET: optional,
  S3_ENDPOINT: url(/^https?$/, "http:// or https://").optional(),
  S3_REGION: z.string().min(1).default("us-east-1"),
  S3_ACCESS_KEY_ID: optional,
  S3_SECRET_ACCESS_KEY: optional,
  S3_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*\/$/, "must be a path that ends with a slash")
    .or(z.literal(""))
    .default(""),
  S3_PATH_STYLE: flag.default(true),
  S3_SIGNED_URLS: flag.default(false),
  FFMPEG_PATH: optional,
  AVATAR_DATA_DIR: z.string().min(1).default(".data"),
  AVATAR_MIN_FREE_DISK_MB: wholeNumber(0, 1_000_000_000).default(500),
  AVATAR_UPLOAD_RETENTION_DAYS: wholeNumber(0, 36_500).default(0),
  AVATAR_TRANSCRIPT_DAYS: wholeNumber(0, 36_500).default(30),
  AVATAR_REMEMBER_VISITORS: flag.default(false),
  AVATAR_API_SECRET: headerKey,
  MAX_SESSIONS: wholeNumber(1, 1000).default(8),
  SESSION_IDLE_TIMEOUT: wholeNumber(1, 604_800).default(600),
  TASK_RETENTION_SECONDS: wholeNumber(0, 31_536_000).default(3600),
  MAX_TASK_HISTORY: wholeNumber(0, 100_000).default(1000),
  AVATAR_OPERATOR_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
  AVATAR_MAX_SESSIONS: wholeNumber(1, MAX_WORKER_SESSIONS).default(8),
  AVATAR_ADMISSION: z.enum(["measured", "fixed"]).default("measured"),
  AVATAR_PAUSED_MODELS: modelFamilies.default([]),
  AVATAR_REBAKE: flag.default(true),
  AVATAR_IDENTITY_CLIPS: flag.default(true),
  AVATAR_EXECUTION_PROVIDER: z.enum(["auto", "cpu", "cuda"]).default("auto"),
  AVATAR_QUALITY_NETWORK: optional,
  AVATAR_VOICE: z.enum(["neural", "formant", "remote"]).default("neural"),
  AVATAR_VOICE_URL: url(/^https?$/, "http:// or https://").optional(),
  AVATAR_VOICE_KEY: headerKey,
  AVATAR_VOICE_MODEL: z.string().min(1).default("tts-1"),
  AVATAR_VOICE_NAMES: voiceNames.default({}),
  AVATAR_VOICE_TIMEOUT_SECONDS: wholeNumber(1, 300).default(10),
  AVATAR_NOW: z.iso.datetime({ offset: true }).optional(),
  AVATAR_ALLOW_PRIVATE_ADDRESSES: flag.default(false),
  AVATAR_DISPATCH_NAME: z.string().min(1).default(AGENT_NAME),
  AVATAR_DENIED_ADDRESSES: addressRanges.default([]),
  AVATAR_NAME_SERVERS: nameServers.optional(),
  AVATAR_RELAY_PORT: wholeNumber(0, 65_535).default(8088),
  AVATAR_RELAY_UDP_PORTS: portRange.optional(),
  AVATAR_RELAY_ADDRESS: z.ipv4("must be an IPv4 address").optional(),
  AVATAR_RELAY_DRAIN_SECONDS: wholeNumber(0, 86_400).default(0),
  AVATAR_REALTIME_PORT: wholeNumber(0, 65_535).default(0),
  AVATAR_REALTIME_ADDRESSES: addressRanges.default([]),
  AVATAR_REALTIME_SESSIONS: wholeNumber(0, 1000).default(16),
  AVATAR_WORKER_PORT: wholeNumber(0, 65_535).default(8089),
  AVATAR_WORKER_PUBLIC: flag.default(false),
  AVATAR_WORKER_DRAIN_SECONDS: wholeNumber(0, 86_400).default(0),
  AVATAR_VIDEO_CODEC: z.enum(["h264", "vp8"]).default("h264"),
  AVATAR_VIDEO_BITRATE_KBPS: wholeNumber(100, 20_000).default(2000),
  AVATAR_MAX_FPS: maxFps.default(25),
  AVATAR_FRAME_ANCESTORS: z.string().min(1).default("*"),
  AVATAR_DEMO: flag.default(false),
  AVATAR_DISCLOSURE: flag.default(true),
  AVATAR_METRICS_HOST: z.string().min(1).default("127.0.0.1"),
  AVATAR_METRICS_PORT: port.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(/^https?$/, "http:// or https://").optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url(/^https?$/, "http:// or https://").optional(),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.default({}),
  OTEL_EXPORTER_OTLP_TIMEOUT: wholeNumber(1, 600_000).default(10_000),
  OTEL_SERVICE_NAME: optional,
  OTEL_RESOURCE_ATTRIBUTES: pairs.default({}),
  OTEL_TRACES_SAMPLER: z
    .enum(TRACES_SAMPLERS, `must be one of ${TRACES_SAMPLERS.join(", ")}`)
    .default("parentbased_always_on"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number("must be a number from 0 to 1")
    .min(0, "must be a number from 0 to 1")
    .max(1, "must be a number from 0 to 1")
    .default(1),
  AVATAR_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
  AVATAR_LOG_PERSONAL: flag.default(false),
  AVATAR_TRUST_PROXY: flag.default(false),
});

type Environment = z.output<typeof environmentSchema>;

/** The service's configuration: the parsed environment plus what follows from it. */
export interface Config extends Readonly<Environment> {
  /** Base of every URL in an answer, without a trailing slash. */
  readonly publicUrl: string;
  /** Base of the runtime API as avatar workers reach it, without a trailing slash. Default: `publicUrl`. */
  readonly apiUrl: string;
  /** Servers of realtime calls: those of `AVATAR_REALTIME_UPSTREAMS`, and `gpt-realtime-mini` at OpenAI if its key is
   *  set. */
  readonly realtimeUpstreams: readonly RealtimeUpstream[];
  /** Whether `PUBLIC_URL` is unset or names this machine. Any other means a proxy, behind which every visitor may look
   *  like this machine. */
  readonly hasLocalUrl: boolean;
  /** Who may open `/demo`, which spends the operator's resources without a credential. */
  readonly demoAccess: "everyone" | "this-machine" | "no-one";
}

/** Thrown when the environment is unusable; the message lists every problem, one a line. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The environment has ${problems.length} problem(s):\n${problems.map((problem) => `  ${problem}`).join("\n")}`,
    );
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** Names of fewer letters have neighbours that other programs use: `POST` is one letter away from `PORT`. */
const LEAST_LETTERS = 6;

/** Parses an environment. Empty values count as absent. A name one letter away from a setting is a problem, and so is
 *  an unknown one under `AVATAR_`. Throws ConfigError. */
export function parseConfig(environment: Record<string, string | undefined>): Config {
  const known = Object.keys(environmentSchema.shape);
  const present = Object.fromEntries(
    Object.entries(environment).filter(([key, value]) => known.includes(key) && value !== "" && value !== undefined),
  );
  const problems = Object.entries(environment).flatMap(([key, value]) => {
    if (known.includes(key)) return [];
    const meant = value ? known.find((name) => name.length >= LEAST_LETTERS && isOneLetterAway(key, name)) : undefined;
    if (meant !== undefined) return [`${key} is not a setting of this service: did you mean ${meant}?`];
    return key.startsWith("AVATAR_") ? [`${key} is not a setting of this service`] : [];
  });
  const parsed = environmentSchema.safeParse(present);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) problems.push(`${issue.path.join(".")}: ${issue.message}`);
  } else if (parsed.data.AVATAR_VOICE === "remote" && parsed.data.AVATAR_VOICE_URL === undefined) {
    problems.push("AVATAR_VOICE_URL: required by AVATAR_VOICE=remote");
  }
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  const values = parsed.data;
  const host = values.HOST.includes(":") ? `[${values.HOST}]` : values.HOST;
  const publicUrl = (values.PUBLIC_URL ?? `http://${host}:${values.PORT}`).replace(/\/+$/, "");
  const apiUrl = (values.AVATAR_API_URL ?? publicUrl).replace(/\/+$/, "");
  const hasLocalUrl = values.PUBLIC_URL === undefined || isLoopbackHost(new URL(values.PUBLIC_URL).hostname);
  const demoAccess = values.AVATAR_DEMO ? "everyone" : hasLocalUrl ? "this-machine" : "no-one";
  const realtimeUpstreams = withOpenAi(values);
  return Object.freeze({ ...values, publicUrl, apiUrl, realtimeUpstreams, hasLocalUrl, demoAccess });
}

/** The listed upstreams, and the default model at OpenAI itself if the language model is there too. Another server at
 *  `OPENAI_BASE_URL` may know no realtime calls, so it has to be listed. */
function withOpenAi(values: Environment): readonly RealtimeUpstream[] {
  const { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: apiKey, AVATAR_REALTIME_UPSTREAMS: listed } = values;
  const isListed = listed.some(({ name }) => name === DEFAULT_REALTIME_MODEL);
  const isOpenAi = baseUrl !== undefined && new URL(baseUrl).hostname === OPENAI_HOST;
  if (isListed || !isOpenAi || apiKey === undefined) return listed;
  const name = DEFAULT_REALTIME_MODEL;
  return [
    ...listed,
    Object.freeze({ name, baseUrl: baseUrl.replace(/\/+$/, ""), apiKey, model: name, plan: undefined }),
  ];
}
