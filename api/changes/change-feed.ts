// The streams of changes of a process: fed by the connection that listens to PostgreSQL, bounded, and ended with the
// session in the console that opened them.
import { CHANGES_BEAT_MS, type ChangeNoun, type ChangesEnd, isChangeNoun } from "../../shared/change-nouns.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { BackgroundService } from "../kernel/module.ts";
import { type ChangeOwners, ChangeStream } from "./change-stream.ts";

/** Notified by triggers (migration 0066) as "owner noun": an account's or organization's id, or `operator`. */
export const CHANGE_CHANNEL = "console_change";
const OPERATOR = "operator";

const MAX_STREAMS_PER_ACCOUNT = 10;
const MAX_STREAMS = 1_000;
/** Sessions end by time, too. */
const CHECK_MS = 30_000;
/** Changes after which a session may have ended, or a membership. */
const ACCESS_NOUNS: readonly ChangeNoun[] = ["secrets", "organizations"];
const RETRY_AFTER_S = 5;

export interface ChangeServices extends Pick<Kernel, "notifications" | "metrics" | "logger"> {
  /** Of these sessions of the console, those that are open. Notes no use. */
  openSessions: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Whether the account is a member of the organization. */
  isMember: (organizationId: string, userId: string) => Promise<boolean>;
}

export interface ChangeFeed extends BackgroundService {
  /** A stream for a page. Throws RATE_LIMITED if the account has ten, and SERVICE_UNAVAILABLE if this process has too
   *  many or does not hear of changes itself. */
  open(owners: ChangeOwners, consoleSessionId: string): ChangeStream;
  /** Ends all streams, and refuses others. */
  stop(): void;
}

export function createChangeFeed({ notifications, metrics, logger, ...access }: ChangeServices): ChangeFeed {
  const streams = new Set<ChangeStream>();
  const byOwner = new Map<string, Set<ChangeStream>>();
  const timers: NodeJS.Timeout[] = [];
  const unchecked = new Set<ChangeStream>();
  let isStopped = false;
  let checking: Promise<void> | null = null;
  let unsubscribe: () => void = () => undefined;
  metrics.gauge("avatar_console_streams", "Pages that hear of changes by a stream.", async () => streams.size);

  function take(payload: string): void {
    const [owner, noun] = payload.split(" ", 2);
    // Anyone with the database's password can notify.
    if (noun === undefined || !isChangeNoun(noun)) return;
    for (const stream of byOwner.get(owner) ?? []) {
      stream.add(noun);
      if (ACCESS_NOUNS.includes(noun)) unchecked.add(stream);
    }
    if (unchecked.size > 0) void check();
  }

  function endAll(reason: ChangesEnd): void {
    for (const stream of streams) stream.end(reason);
  }

  /** Ends the streams among `unchecked` that may not go on. One round at a time. */
  function check(): Promise<void> {
    checking ??= (async () => {
      while (unchecked.size > 0) {
        const round = [...unchecked];
        unchecked.clear();
        for (const stream of await endedOf(round, access)) stream.end("session_ended");
      }
    })()
      // They are checked again with all others.
      .catch((error: unknown) => logger.warn({ err: error }, "sessions of streams not checked"))
      .finally(() => {
        checking = null;
      });
    return checking;
  }

  function checkAll(): void {
    for (const stream of streams) unchecked.add(stream);
    void check();
  }

  return {
    open(owners, consoleSessionId) {
      const own = byOwner.get(owners.userId)?.size ?? 0;
      if (own >= MAX_STREAMS_PER_ACCOUNT) {
        throw new ServiceError(
          "RATE_LIMITED",
          `Changes are sent to ${MAX_STREAMS_PER_ACCOUNT} open pages of an account at most. This page can ask for them instead.`,
          { retryAfterSeconds: RETRY_AFTER_S },
        );
      }
      if (isStopped || !notifications.isListening || streams.size >= MAX_STREAMS) {
        throw new ServiceError(
          "SERVICE_UNAVAILABLE",
          "Changes cannot be sent now. This page can ask for them instead.",
          {
            retryAfterSeconds: RETRY_AFTER_S,
          },
        );
      }
      const stream = new ChangeStream(owners, consoleSessionId);
      const names = namesOf(owners);
      streams.add(stream);
      for (const name of names) byOwner.set(name, (byOwner.get(name) ?? new Set()).add(stream));
      stream.once("close", () => {
        streams.delete(stream);
        unchecked.delete(stream);
        for (const name of names) {
          const others = byOwner.get(name);
          others?.delete(stream);
          if (others?.size === 0) byOwner.delete(name);
        }
      });
      return stream;
    },

    stop() {
      isStopped = true;
      endAll("service_closing");
    },

    async start() {
      unsubscribe = notifications.subscribe(CHANGE_CHANNEL, {
        onPayload: take,
        // What is notified from now on is lost. Pages open a stream again, and then load everything anew.
        onLost: () => endAll("not_listening"),
      });
      timers.push(
        setInterval(() => {
          for (const stream of streams) stream.beat();
        }, CHANGES_BEAT_MS),
        setInterval(checkAll, CHECK_MS),
      );
      for (const timer of timers) timer.unref();
    },

    async close() {
      for (const timer of timers) clearInterval(timer);
      unsubscribe();
      this.stop();
      unchecked.clear();
      await checking;
    },
  };
}

function namesOf({ userId, organizationId, isOperator }: ChangeOwners): string[] {
  return [userId, ...(organizationId === null ? [] : [organizationId]), ...(isOperator ? [OPERATOR] : [])];
}

/** Those of the streams that may not go on: the person has signed out, or has left the organization. */
async function endedOf(
  streams: readonly ChangeStream[],
  { openSessions, isMember }: Pick<ChangeServices, "openSessions" | "isMember">,
): Promise<ChangeStream[]> {
  const open = await openSessions([...new Set(streams.map(({ consoleSessionId }) => consoleSessionId))]);
  const ended: ChangeStream[] = [];
  for (const stream of streams) {
    const { userId, organizationId } = stream.owners;
    const isOpen = open.has(stream.consoleSessionId);
    if (!isOpen || (organizationId !== null && !(await isMember(organizationId, userId)))) ended.push(stream);
  }
  return ended;
}
