// Messages for visitors, who know nothing of tokens and rooms.

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

const EXPIRED: Notice = {
  title: "This link has expired",
  text: "Ask for a new link, or go back to the page that brought you here.",
  canRetry: false,
};

const BUSY: Notice = {
  title: "All avatars are busy",
  text: "None is free at the moment.",
  canRetry: true,
  retryS: 5,
};

const NOT_READY: Notice = {
  title: "This avatar is not ready yet",
  text: "It is still being made.",
  canRetry: true,
  retryS: 10,
};

const GONE: Notice = {
  title: "There is no such avatar",
  text: "It may have been removed. Check the link.",
  canRetry: false,
};

const UNAVAILABLE: Notice = {
  title: "This avatar cannot talk right now",
  text: "Its owner needs to look at the account. Nothing is wrong on your side.",
  canRetry: false,
};

const FAILED: Notice = {
  title: "Something went wrong",
  text: "The service had a problem. Try again.",
  canRetry: true,
};

const OFFLINE: Notice = {
  title: "No connection",
  text: "The service cannot be reached. Check your connection.",
  canRetry: true,
  retryS: 5,
};

const ENDED: Notice = { title: "The conversation has ended", text: "Thank you for talking.", canRetry: true };

const BY_CODE: Readonly<Record<string, Notice>> = {
  MISSING_AUTH: EXPIRED,
  UNAUTHORIZED: EXPIRED,
  FORBIDDEN: EXPIRED,
  CONCURRENCY_LIMIT_REACHED: BUSY,
  SERVICE_UNAVAILABLE: BUSY,
  RATE_LIMITED: BUSY,
  AGENT_NOT_READY: NOT_READY,
  MODEL_NOT_GENERATED: NOT_READY,
  MODEL_NOT_YET_AVAILABLE: NOT_READY,
  NOT_FOUND: GONE,
  AGENT_DELETED: GONE,
  AGENT_PURGED: GONE,
  INSUFFICIENT_BALANCE: UNAVAILABLE,
  PAYWALL: UNAVAILABLE,
  PLAN_REQUIRED: UNAVAILABLE,
  ACCOUNT_SUSPENDED: UNAVAILABLE,
  RUNTIME_SUSPENDED: UNAVAILABLE,
  SESSION_DURATION_LIMIT: UNAVAILABLE,
  NETWORK: OFFLINE,
};

const BY_REASON: Readonly<Record<EndReason, Notice>> = {
  "no-token": {
    title: "This link is incomplete",
    text: "It lacks its key. Open the whole link as you received it.",
    canRetry: false,
  },
  "avatar-left": ENDED,
  "avatar-missing": {
    title: "The avatar did not start",
    text: "It took too long to start. Try again.",
    canRetry: true,
  },
  "avatar-failed": FAILED,
  "opened-elsewhere": {
    title: "Open in another window",
    text: "This conversation goes on in another tab or window.",
    canRetry: true,
  },
  "connection-lost": OFFLINE,
  "service-stopped": { title: "The service is restarting", text: "It is back in a moment.", canRetry: true, retryS: 5 },
  ended: ENDED,
  left: ENDED,
  "no-media-path": {
    title: "Firefox cannot reach the avatar here",
    text: "It sends no audio or video to a service on the same machine. Start that with AVATAR_LIVEKIT_OWN_ADDRESS=1, or open this page in another browser.",
    canRetry: true,
    // The service may just be starting again.
    retryS: 5,
  },
  "no-video-format": {
    title: "This browser cannot show the video",
    text: "It lacks the video format that is sent. Try another browser.",
    canRetry: false,
  },
};

const TOMORROW: Notice = {
  title: "That was all for today",
  text: "This avatar talks for some time each day. Come back tomorrow.",
  canRetry: true,
};
/** A limit that lasts longer than this is that of a day. */
const LONG_WAIT_S = 600;

/** The notice for a failed start, by the error's code. Unknown codes give a general one. `retryAfterSeconds` is the
 *  answer's `Retry-After`. */
export function noticeForCode(code: string, retryAfterSeconds?: number): Notice {
  if (code === "RATE_LIMITED" && retryAfterSeconds !== undefined && retryAfterSeconds > LONG_WAIT_S) return TOMORROW;
  const notice = BY_CODE[code] ?? FAILED;
  return notice.retryS === undefined ? notice : { ...notice, retryS: retryAfterSeconds ?? notice.retryS };
}

/** The notice for an end without a failed request. */
export function noticeForReason(reason: EndReason): Notice {
  return BY_REASON[reason];
}

/** One line under the text box for a text that could not be sent. */
export function sayProblem(code: string, retryAfterSeconds: number | undefined): string {
  if (code === "RATE_LIMITED") {
    const wait = retryAfterSeconds && retryAfterSeconds > 1 ? `${Math.ceil(retryAfterSeconds)} seconds` : "a moment";
    return `You sent too much at once. Try again in ${wait}.`;
  }
  if (code === "VALIDATION_ERROR") return "That text cannot be sent. Use up to 500 characters.";
  if (code === "NETWORK") return "Not sent: the service cannot be reached.";
  if (BY_CODE[code] === EXPIRED) return "Not sent: this link has expired.";
  return "Not sent. Try again.";
}
