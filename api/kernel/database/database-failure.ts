// Maps failed queries to errors: the database is unreachable, the query may be retried, or it is a bug.
import { ServiceError } from "../../../shared/errors.ts";

const RETRY_AFTER_SECONDS = 5;
/** Classes of SQLSTATE (PostgreSQL, appendix A) for a server that cannot be used: connection errors, and operator
 *  intervention (shutting down, starting up, dropped). */
const AWAY_CLASSES = ["08", "57"];
/** Severities that end the connection. */
const ENDING_SEVERITIES: readonly unknown[] = ["FATAL", "PANIC"];
/** Classes after which a retry may succeed: rollback (deadlock, serialisation), resources, locks, system errors of the
 *  server. */
const UNLUCKY_CLASSES = ["40", "53", "55", "58"];
const QUERY_CANCELED = "57014";
/** Codes of Node and the driver for a lost or refused connection. */
const CONNECTION_CODES = ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "ENOENT"];
const CONNECTION_MESSAGES = [
  "Connection terminated",
  "Client has encountered a connection error",
  "timeout exceeded when trying to connect",
  "the database did not answer",
  "the database system is",
];

/** The error for a caller after a failure in the database: SERVICE_UNAVAILABLE or UPSTREAM_ERROR. Null for any
 *  other error, including invalid queries, which are bugs. Every change is one statement or one transaction, so a
 *  failure leaves no partial change. */
export function databaseFailure(error: unknown): ServiceError | null {
  if (!(error instanceof Error)) return null;
  const code = String((error as { code?: unknown }).code ?? "");
  const isQueryCode = /^[0-9A-Z]{5}$/.test(code) && "severity" in error;
  const hasEnded = "severity" in error && ENDING_SEVERITIES.includes(error.severity);
  const isUnlucky = code === QUERY_CANCELED || UNLUCKY_CLASSES.includes(code.slice(0, 2));
  if (isQueryCode && isUnlucky && !hasEnded) {
    return new ServiceError("UPSTREAM_ERROR", "A database query failed and changed nothing. Try again in a moment.", {
      cause: error,
    });
  }
  const isAway =
    (isQueryCode && (hasEnded || AWAY_CLASSES.includes(code.slice(0, 2)))) ||
    ("syscall" in error && CONNECTION_CODES.includes(code)) ||
    CONNECTION_MESSAGES.some((text) => error.message.startsWith(text));
  if (!isAway) return null;
  return new ServiceError("SERVICE_UNAVAILABLE", "The database is not reachable. Try again.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: error,
  });
}
