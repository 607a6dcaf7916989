// Sessions with listeners and senders on a fleet.
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { ServiceClientError } from "../../cli/service/service-client.ts";
import { type Audience, startAudience } from "../crew/audience.ts";
import type { SenderCommands } from "../crew/crew-messages.ts";
import { CrewProcess } from "../crew/crew-process.ts";
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

export interface FleetStageOptions {
  fleet: Fleet;
  /** Mono int16 at 16 kHz. */
  speechFile: string;
  environment: Readonly<Record<string, string | undefined>>;
  report(line: string): void;
}

const FIRST_FRAME_MS = 60_000;
/** How long a launch is repeated, and its `Retry-After`. */
const ROOM_MS = 60_000;
const RETRY_MS = 5_000;
/** A viewer who sees nothing for this long loads the page again. */
const PATIENCE_MS = 12_000;

export class FleetStage {
  readonly sessions: OpenedSession[] = [];
  readonly audience: Audience;
  readonly senders: CrewProcess<SenderCommands>;
  readonly #fleet: Fleet;
  readonly #service: Parameters<typeof openSession>[0];

  private constructor(fleet: Fleet, audience: Audience, senders: CrewProcess<SenderCommands>) {
    this.#fleet = fleet;
    this.audience = audience;
    this.senders = senders;
    const { client, apiSecret, livekit, agentCode } = fleet;
    this.#service = { client, apiSecret, livekit, agentCode, dataDir: null, close: async () => {} };
  }

  /** Starts the helpers. The fleet must have its agent. */
  static async start({ fleet, speechFile, environment, report }: FleetStageOptions): Promise<FleetStage> {
    const audience = await startAudience({ avatarIdentity: AVATAR_IDENTITY, environment, report });
    const senders = await CrewProcess.start<SenderCommands>("sender");
    await senders.call("load", { speechFile });
    return new FleetStage(fleet, audience, senders);
  }

  /** Opens a session and resolves when its first frame has arrived, with the time from the request, ms. While no worker
   *  measures room, because the machine is busy, it tries again as the answer says. Throws ServiceClientError if that
   *  takes longer than a minute. */
  async open(): Promise<number> {
    const session = await this.#launch();
    this.sessions.push(session);
    const hasFrame = async () => (await this.audience.lastFrames())[session.id] > 0;
    await waitUntilAsync(hasFrame, "a new session shows frames", FIRST_FRAME_MS);
    return Date.now() - session.requestedAtUnixMs;
  }

  /** Ends the last session that was opened. */
  async closeLast(): Promise<void> {
    const session = this.sessions.pop();
    if (session) await closeSession(this.#service, session, this.senders);
  }

  /** Lets all senders speak in real time. Never rejects: a sender whose avatar has gone stops. */
  async speak(seconds: number): Promise<void> {
    const speakFor = ({ id }: OpenedSession) => this.senders.call("speak", { id, seconds, fromS: 0 }).catch(() => {});
    await Promise.all(this.sessions.map((session) => speakFor(session)));
  }

  /** Waits until every session has shown a frame within the last second, at most `timeoutMs`. Viewers who saw nothing
   *  for too long join again. */
  async untilAllShow(timeoutMs: number): Promise<{ notBack: number; reloaded: number }> {
    const deadline = performance.now() + timeoutMs;
    const reloaded = new Set<string>();
    for (;;) {
      const last = await this.audience.lastFrames();
      const now = Date.now();
      const away = this.sessions.filter(({ id }) => now - last[id] > 1_000);
      if (away.length === 0 || performance.now() > deadline) return { notBack: away.length, reloaded: reloaded.size };
      for (const session of away.filter(({ id }) => now - last[id] > PATIENCE_MS && !reloaded.has(id))) {
        reloaded.add(session.id);
        await this.#reload(session).catch(() => {}); // Counted as not back.
      }
      await delay(200);
    }
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
    while (this.sessions.length > 0) await this.closeLast().catch(() => {}); // The fleet may be gone.
    await Promise.all([this.senders.close(), this.audience.close()]);
  }

  async #launch(): Promise<OpenedSession> {
    const deadline = performance.now() + ROOM_MS;
    for (;;) {
      try {
        return await openSession(this.#service, this.audience, this.senders);
      } catch (error) {
        const isFull = error instanceof ServiceClientError && error.status === 503;
        if (!isFull || performance.now() > deadline) throw error;
        await delay(RETRY_MS);
      }
    }
  }

  async #reload({ id, roomName }: OpenedSession): Promise<void> {
    await this.audience.leave(id);
    const token = await mintToken(this.#service, roomName, LISTENER_IDENTITY);
    await this.audience.join({ id, url: this.#service.livekit.url, token });
  }
}
