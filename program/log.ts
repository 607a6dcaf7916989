// The shape of every log line: JSON, a fixed lower-case message, variables in fields, personal fields and secrets
// redacted.
import { type DestinationStream, type Logger, pino, stdSerializers } from "pino";

export type { Logger };

export interface LogOptions {
  level: string;
  /** Component that writes: `api`, `agent-worker`, `start`. */
  name: string;
  /** Show room names and participant identities (personal data). Default false. */
  personal?: boolean;
  /** Where lines go; default standard output. */
  stream?: DestinationStream;
}

/** Lines that wait for a full disk or a stuck reader. */
const MAX_WAITING_BYTES = 1_048_576;

const SECRET_FIELDS = [
  "secret",
  "token",
  "livekitToken",
  "apiSecret",
  "apiKey",
  "api_key",
  "runtimeToken",
  "authorization",
  "password",
];
const PERSONAL_FIELDS = ["roomName", "participantIdentity", "senderIdentity", "email"];

/** A logger. Fields that hold secrets are always redacted, one level deep too; personal ones unless `personal` is set.
 *  */
export function createLogger(options: LogOptions): Logger {
  const fields = options.personal ? SECRET_FIELDS : [...SECRET_FIELDS, ...PERSONAL_FIELDS];
  const settings = {
    name: options.name,
    level: options.level,
    base: { name: options.name },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: serializeError },
    redact: { paths: fields.flatMap((field) => [field, `*.${field}`]), censor: "[redacted]" },
  };
  return pino(settings, options.stream ?? openOutput());
}

/** Standard output. Lines that cannot be written, to a full disk or a reader that is stuck, wait for the next one and
 *  are dropped beyond a limit: neither ends the process nor holds it up. */
function openOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, maxLength: MAX_WAITING_BYTES, retryEAGAIN: () => false });
  return output.on("error", () => undefined);
}

/** Libraries repeat URLs with join tokens in their messages: matches JSON Web Tokens, and query parameters named like a
 *  secret. */
const TOKENS = /\beyJ[\w-]+\.[\w-]+\.[\w-]*|(?<=[?&](?:access_token|token|secret|signature)=)[^&\s"')]+/gi;

/** An error as a log field: type, message and stack, each with those of its causes, and its own fields; tokens are cut
 *  out of all text. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return withoutTokens(String(error));
  const { raw: _, ...fields } = stdSerializers.err(error);
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, withoutTokensInside(value)]));
}

function withoutTokensInside(value: unknown): unknown {
  if (typeof value === "string") return withoutTokens(value);
  if (value instanceof Error) return withoutTokens(String(value));
  return value;
}

function withoutTokens(text: string): string {
  return text.replace(TOKENS, "[redacted]");
}
