// Messages for visitors, who know nothing of tokens and rooms.
import type { EmbedTexts } from "./texts/load-embed-texts.ts";

/** A message for the visitor. */
export interface Notice {
  title: string;
  text: string;
  /** Whether trying again can help. */
  canRetry: boolean;
  /** Seconds after which the page tries again by itself; undefined if it waits for the visitor. */
  retryS?: number;
}

/** Ways in which an avatar session ends without a failed request. */
export type EndReason =
  | "no-token"
  | "avatar-left"
  | "avatar-missing"
  | "avatar-failed"
  | "opened-elsewhere"
  | "connection-lost"
  | "service-stopped"
  | "ended"
  | "left"
  | "no-video-format"
  | "no-media-path";

type Subject = keyof EmbedTexts["notices"];

/** What can be done after each. */
const NEXT: Readonly<Record<Subject, Pick<Notice, "canRetry" | "retryS">>> = {
  expired: { canRetry: false },
  incomplete: { canRetry: false },
  busy: { canRetry: true, retryS: 5 },
  notReady: { canRetry: true, retryS: 10 },
  gone: { canRetry: false },
  unavailable: { canRetry: false },
  tomorrow: { canRetry: true },
  failed: { canRetry: true },
  missing: { canRetry: true },
  offline: { canRetry: true, retryS: 5 },
  restarting: { canRetry: true, retryS: 5 },
  elsewhere: { canRetry: true },
  ended: { canRetry: true },
  // The service may just be starting again.
  noMediaPath: { canRetry: true, retryS: 5 },
  noVideoFormat: { canRetry: false },
};

const BY_CODE: Readonly<Record<string, Subject>> = {
  MISSING_AUTH: "expired",
  UNAUTHORIZED: "expired",
  FORBIDDEN: "expired",
  CONCURRENCY_LIMIT_REACHED: "busy",
  SERVICE_UNAVAILABLE: "busy",
  RATE_LIMITED: "busy",
  AGENT_NOT_READY: "notReady",
  MODEL_NOT_GENERATED: "notReady",
  MODEL_NOT_YET_AVAILABLE: "notReady",
  NOT_FOUND: "gone",
  AGENT_DELETED: "gone",
  AGENT_PURGED: "gone",
  INSUFFICIENT_BALANCE: "unavailable",
  PAYWALL: "unavailable",
  PLAN_REQUIRED: "unavailable",
  ACCOUNT_SUSPENDED: "unavailable",
  RUNTIME_SUSPENDED: "unavailable",
  SESSION_DURATION_LIMIT: "unavailable",
  NETWORK: "offline",
};

const BY_REASON: Readonly<Record<EndReason, Subject>> = {
  "no-token": "incomplete",
  "avatar-left": "ended",
  "avatar-missing": "missing",
  "avatar-failed": "failed",
  "opened-elsewhere": "elsewhere",
  "connection-lost": "offline",
  "service-stopped": "restarting",
  ended: "ended",
  left: "ended",
  "no-media-path": "noMediaPath",
  "no-video-format": "noVideoFormat",
};

/** A limit that lasts longer than this is that of a day. */
const LONG_WAIT_S = 600;

/** The notice for a failed start, by the error's code. Unknown codes give a general one. `retryAfterSeconds` is the
 *  answer's `Retry-After`. */
export function noticeForCode(texts: EmbedTexts, code: string, retryAfterSeconds?: number): Notice {
  const isLong = retryAfterSeconds !== undefined && retryAfterSeconds > LONG_WAIT_S;
  if (code === "RATE_LIMITED" && isLong) return noticeOn(texts, "tomorrow");
  const notice = noticeOn(texts, BY_CODE[code] ?? "failed");
  return notice.retryS === undefined ? notice : { ...notice, retryS: retryAfterSeconds ?? notice.retryS };
}

/** The notice for an end without a failed request. */
export function noticeForReason(texts: EmbedTexts, reason: EndReason): Notice {
  return noticeOn(texts, BY_REASON[reason]);
}

/** One line under the text box for a text that could not be sent. */
export function sayProblem({ notSent }: EmbedTexts, code: string, retryAfterSeconds: number | undefined): string {
  if (code === "RATE_LIMITED") {
    const isShort = retryAfterSeconds === undefined || retryAfterSeconds <= 1;
    return isShort ? notSent.tooMuch : notSent.tooMuchFor(Math.ceil(retryAfterSeconds));
  }
  if (code === "VALIDATION_ERROR") return notSent.invalid;
  if (code === "NETWORK") return notSent.offline;
  return BY_CODE[code] === "expired" ? notSent.expired : notSent.failed;
}

function noticeOn({ notices }: EmbedTexts, subject: Subject): Notice {
  return { ...notices[subject], ...NEXT[subject] };
}
