// PostgreSQL's NOTIFY for waiting requests and subscribers: one connection per process listens, however many there are.
import { setTimeout as delay } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import type { Logger } from "../../../program/log.ts";
import type { BackgroundService } from "../module.ts";

/** Polling interval while the connection is lost or not open yet. */
const FALLBACK_POLL_MS = 500;
const RECONNECT_DELAY_MS = 1_000;
/** A connection that only listens would not notice that nothing can come any more. */
const PING_INTERVAL_MS = 15_000;

export interface WaitOptions {
  /** Channel of `pg_notify`; one of those that the process listens to. */
  channel: string;
  /** The payload to wait for. */
  payload: string;
  timeoutMs: number;
}

export interface Subscriber {
  /** Called with each payload, in order. */
  onPayload(payload: string): void;
  /** The connection was lost: what is notified until the next one listens is not delivered. */
  onLost(): void;
}

export interface Notifications extends BackgroundService {
  /** Calls `check` at once and after each matching notification, and returns its first result that is not undefined;
   *  returns undefined after `timeoutMs`. Without a listening connection it polls instead. Throws what `check`
   *  throws. */
  waitFor<T>(options: WaitOptions, check: () => Promise<T | undefined>): Promise<T | undefined>;
  /** Whether notifications arrive now. */
  readonly isListening: boolean;
  /** Calls the subscriber for a channel that the process listens to, until the returned function is called. */
  subscribe(channel: string, subscriber: Subscriber): () => void;
}

export interface NotificationsOptions {
  pool: Pool;
  /** Channels to listen to: lower-case identifiers. */
  channels: readonly string[];
  logger: Logger;
  /** Default 15,000. */
  pingIntervalMs?: number;
}

/** Takes one connection of the pool from `start()` to `close()`, and another one when that is lost. */
export function createNotifications({
  pool,
  channels,
  logger,
  pingIntervalMs = PING_INTERVAL_MS,
}: NotificationsOptions): Notifications {
  const waiting = new Map<string, Set<() => void>>();
  const subscribers = new Map<string, Set<Subscriber>>();
  const closing = new AbortController();
  let client: PoolClient | null = null;
  let isListening = false;
  let connecting: Promise<void> = Promise.resolve();
  let pings: NodeJS.Timeout | undefined;
  let isPinging = false;

  function wake(key: string): void {
    for (const resume of waiting.get(key) ?? []) resume();
  }

  /** A notification may have been missed while there was no connection. */
  function wakeAll(): void {
    for (const key of waiting.keys()) wake(key);
  }

  async function connect(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        const opened = await pool.connect();
        client = opened;
        opened.on("notification", ({ channel, payload = "" }) => {
          wake(keyOf(channel, payload));
          for (const { onPayload } of subscribers.get(channel) ?? []) onPayload(payload);
        });
        opened.once("error", (error) => reconnect(opened, error));
        opened.once("end", () => reconnect(opened, null));
        for (const channel of channels) await opened.query(`listen ${channel}`);
        if (client !== opened) continue;
        isListening = true;
        return wakeAll();
      } catch (error) {
        release();
        logger.warn({ err: error }, "notification connection not opened");
        await delay(RECONNECT_DELAY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
  }

  function reconnect(lost: PoolClient, error: Error | null): void {
    if (client !== lost) return;
    const wasListening = isListening;
    release();
    // While `connect` is still setting a connection up, it notices the loss by itself.
    if (closing.signal.aborted || !wasListening) return;
    logger.warn({ err: error }, "notification connection lost");
    connecting = connect();
  }

  /** One at a time. One that fails ends the connection, which is noticed by its events. */
  async function ping(): Promise<void> {
    if (!isListening || isPinging) return;
    isPinging = true;
    await client?.query("select 1").catch(() => undefined);
    isPinging = false;
  }

  function release(): void {
    const released = client;
    const wasListening = isListening;
    client = null;
    isListening = false;
    // Destroyed, not returned: it still listens.
    released?.release(true);
    wakeAll();
    if (!wasListening) return;
    for (const ofChannel of subscribers.values()) for (const { onLost } of ofChannel) onLost();
  }

  return {
    get isListening() {
      return isListening;
    },

    subscribe(channel, subscriber) {
      const ofChannel = subscribers.get(channel) ?? new Set();
      subscribers.set(channel, ofChannel.add(subscriber));
      return () => void ofChannel.delete(subscriber);
    },

    async start() {
      connecting = connect();
      pings = setInterval(() => void ping(), pingIntervalMs);
      pings.unref();
    },

    async waitFor({ channel, payload, timeoutMs }, check) {
      const key = keyOf(channel, payload);
      const deadlineMs = performance.now() + timeoutMs;
      let resume: () => void = () => undefined;
      const listener = () => resume();
      const listeners = waiting.get(key) ?? new Set();
      waiting.set(key, listeners.add(listener));
      try {
        while (true) {
          const leftMs = deadlineMs - performance.now();
          // Created before the check, so that a notification during the check is not missed.
          const notified = new Promise<void>((resolve) => {
            resume = resolve;
          });
          const result = await check();
          if (result !== undefined || leftMs <= 0) return result;
          const timer = new AbortController();
          const waitMs = isListening ? leftMs : Math.min(leftMs, FALLBACK_POLL_MS);
          await Promise.race([notified, delay(waitMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
          timer.abort();
        }
      } finally {
        listeners.delete(listener);
        if (listeners.size === 0) waiting.delete(key);
      }
    },

    async close() {
      closing.abort();
      clearInterval(pings);
      await connecting;
      release();
    },
  };
}

function keyOf(channel: string, payload: string): string {
  return `${channel} ${payload}`;
}
