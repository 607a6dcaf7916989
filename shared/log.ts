// The shape of every log line: JSON, a fixed lower-case message, variables in fields, personal fields and secrets redacted.
import { type DestinationStream, type Logger, pino } from "pino";

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

const SECRET_FIELDS = ["secret", "token", "livekitToken", "apiSecret", "runtimeToken", "authorization", "password"];
const PERSONAL_FIELDS = ["roomName", "participantIdentity", "senderIdentity", "email"];

/** A logger. Fields that hold secrets are always redacted, one level deep too; personal ones unless `personal` is set. */
export function createLogger(options: LogOptions): Logger {
  const fields = options.personal ? SECRET_FIELDS : [...SECRET_FIELDS, ...PERSONAL_FIELDS];
  const settings = {
    name: options.name,
    level: options.level,
    base: { name: options.name },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: fields.flatMap((field) => [field, `*.${field}`]), censor: "[redacted]" },
  };
  return options.stream ? pino(settings, options.stream) : pino(settings);
}
