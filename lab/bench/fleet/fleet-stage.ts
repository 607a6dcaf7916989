// Sessions on a fleet, each with a sender and a viewer who decodes and judges.
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { ApiError } from "../../../sdk/client/index.ts";
import type { JudgeCommands, SenderCommands } from "../clients/client-messages.ts";
import { ClientProcess } from "../clients/client-process.ts";
import { sharedNowMs } from "../clients/shared-clock.ts";
import {
  AVATAR_IDENTITY,
  closeSession,
  LISTENER_IDENTITY,
  mintToken,
  type OpenedSession,
  openSession,
} from "../service/session-opener.ts";
import { waitUntilAsync } from "../service/wait-until-async.ts";
import type { Fleet } from "./fleet.ts";

/** What a viewer noticed since `watch()`. */
export interface Noticed {
  /** Longest time without a frame, ms. */
  longestGapMs: number;
  /** Whether frames arrive now. */
  isShown: boolean;
  /** Frames left out of the judgement of the speech: null if the speech broke off. */
  audioHoles: number | null;
}

interface Viewed {
  session: OpenedSession;
  judge: ClientProcess<JudgeCommands>;
  /** Times at which frames arrived before the viewer joined again, shared clock, ms. */
  earlierMs: number[];
  hasReloaded: boolean;
  sinceMs: number;
}

const FIRST_FRAME_MS = 60_000;
/** How long a launch is repeated, and its `Retry-After`. */
const ROOM_MS = 60_000;
const RETRY_MS = 5_000;
const POLL_MS = 200;
/** Sound may still be on its way when its last piece was sent. */
const LAST_SOUND_MS = 1_500;

export class FleetStage {
  readonly #fleet: Fleet;
  readonly #service: Parameters<typeof openSession>[0];
  readonly #senders: ClientProcess<SenderCommands>;
  readonly #speechFile: string;
  readonly #viewed: Viewed[] = [];

  private constructor(fleet: Fleet, senders: ClientProcess<SenderCommands>, speechFile: string) {
    this.#fleet = fleet;
    this.#senders = senders;
    this.#speechFile = speechFile;
    const { client, apiSecret, livekit, agentCode } = fleet;
    this.#service = { client, apiSecret, livekit, agentCode, dataDir: null, close: async () => {} };
  }

  /** Starts the senders. The fleet must have its agent. `speechFile`: mono int16 at 16 kHz. */
  static async start(fleet: Fleet, speechFile: string): Promise<FleetStage> {
    const senders = await ClientProcess.start<SenderCommands>("sender");
    await senders.call("load", { speechFile });
    return new FleetStage(fleet, senders, speechFile);
  }

  get sessionIds(): string[] {
    return this.#viewed.map(({ session }) => session.sessionId);
  }

  /** Opens a session and resolves when its first frame has arrived, with the time from the request, ms. While no worker
   *  has a free slot, because the machine is busy, it tries again as the answer says. Throws ApiError if that
   *  takes longer than a minute. */
  async open(): Promise<number> {
    const judge = await ClientProcess.start<JudgeCommands>("judge");
    let session: OpenedSession;
    try {
      session = await this.#launch(judge);
    } catch (error) {
      await judge.close();
      throw error;
    }
    this.#viewed.push({ session, judge, earlierMs: [], hasReloaded: false, sinceMs: 0 });
    const hasFrame = async () => (await judge.call("firstFrameAtMs", { id: session.id })) !== null;
    await waitUntilAsync(hasFrame, "a new session shows frames", FIRST_FRAME_MS);
    return Math.round(((await judge.call("firstFrameAtMs", { id: session.id })) ?? 0) - session.requestedAtMs);
  }

  /** Ends the last session that was opened. */
  async closeLast(): Promise<void> {
    const last = this.#viewed.pop();
    if (!last) return;
    await closeSession(this.#service, last.session, this.#senders);
    await last.judge.close();
  }

  /** Begins to note what viewers notice. */
  async watch(): Promise<void> {
    for (const viewed of this.#viewed) {
      Object.assign(viewed, { earlierMs: [], hasReloaded: false, sinceMs: sharedNowMs() });
      await viewed.judge.call("begin", { id: viewed.session.id });
    }
  }

  /** Lets all senders speak in real time. Resolves with the send times of each, null for one without its avatar. */
  speak(seconds: number): Promise<(number[] | null)[]> {
    const speakFor = ({ session: { id } }: Viewed) => this.#senders.call("speak", { id, seconds, fromS: 0 });
    return Promise.all(this.#viewed.map((viewed) => speakFor(viewed).catch(() => null)));
  }

  /** Waits until every viewer has seen a frame within the last second, at most `timeoutMs`. A viewer with a client that
   *  has given up loads the page again. Returns how many did. */
  async untilAllShow(timeoutMs: number): Promise<number> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const shown = await Promise.all(this.#viewed.map((viewed) => this.#isShown(viewed)));
      if (!shown.includes(false) || performance.now() > deadline) break;
      // While a node is away, not everyone can join.
      for (const viewed of this.#viewed) await this.#keepWatching(viewed).catch(() => {});
      await delay(POLL_MS);
    }
    return this.#viewed.filter(({ hasReloaded }) => hasReloaded).length;
  }

  /** What each viewer has noticed. `sentAtMs`: the result of `speak`. */
  async judge(sentAtMs: readonly (number[] | null)[], noticedGapMs: number): Promise<Noticed[]> {
    await delay(LAST_SOUND_MS);
    return Promise.all(
      this.#viewed.map(async (viewed, index) => {
        const { session, judge, sinceMs } = viewed;
        const times = [sinceMs, ...(await this.#frameTimes(viewed)), sharedNowMs()];
        const longestGapMs = Math.max(...times.slice(1).map((time, at) => time - times[at]));
        const sent = sentAtMs[index];
        const isWhole = sent !== null && longestGapMs <= noticedGapMs;
        const request = { id: session.id, sentAtMs: sent ?? [], speechFile: this.#speechFile, fromS: 0 };
        return {
          longestGapMs: Math.round(longestGapMs),
          isShown: await this.#isShown(viewed),
          audioHoles: isWhole ? (await judge.call("judge", request)).audio_holes : null,
        };
      }),
    );
  }

  /** How often each session was dispatched, by its id at the api. */
  async countDispatches(): Promise<Map<string, number>> {
    const client = new pg.Client({ connectionString: this.#fleet.databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query<{ id: string; count: number }>(
        "select id, dispatch_number as count from avatar_sessions",
      );
      return new Map(rows.map(({ id, count }) => [id, count]));
    } finally {
      await client.end();
    }
  }

  async close(): Promise<void> {
    while (this.#viewed.length > 0) await this.closeLast().catch(() => {}); // The fleet may be gone.
    await this.#senders.close();
  }

  async #launch(judge: ClientProcess<JudgeCommands>): Promise<OpenedSession> {
    const listener: OpenedSession["listener"] = {
      join: (request) => judge.call("join", { ...request, avatarIdentity: AVATAR_IDENTITY }),
      leave: (id) => judge.call("leave", { id }),
    };
    const deadline = performance.now() + ROOM_MS;
    for (;;) {
      try {
        return await openSession(this.#service, listener, this.#senders);
      } catch (error) {
        const isFull = error instanceof ApiError && error.httpStatus === 503;
        if (!isFull || performance.now() > deadline) throw error;
        await delay(RETRY_MS);
      }
    }
  }

  async #frameTimes({ session, judge, earlierMs, sinceMs }: Viewed): Promise<number[]> {
    return [...earlierMs, ...(await judge.call("frameTimes", { id: session.id, sinceMs }))];
  }

  async #isShown(viewed: Viewed): Promise<boolean> {
    const last = (await this.#frameTimes(viewed).catch(() => [])).at(-1);
    return last !== undefined && sharedNowMs() - last < 1_000;
  }

  async #keepWatching(viewed: Viewed): Promise<void> {
    const { session, judge } = viewed;
    const { id, roomName } = session;
    if (await judge.call("isInRoom", { id }).catch(() => false)) return;
    viewed.earlierMs = await this.#frameTimes(viewed).catch(() => viewed.earlierMs);
    viewed.hasReloaded = true;
    await judge.call("leave", { id });
    const token = await mintToken(this.#service, roomName, LISTENER_IDENTITY);
    await session.listener.join({ id, url: this.#service.livekit.url, token });
  }
}
