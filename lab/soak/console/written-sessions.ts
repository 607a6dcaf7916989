// Avatar sessions that exist in the database alone: they live as long as they are written.
import type { Database } from "../../../api/kernel/database/database.ts";
import { insertAvatarSession } from "../../../api/sessions/record/avatar-session-store.ts";
import { newSession } from "../../../test/helpers/service/new-session.ts";

export interface WrittenSessionsOptions {
  database: Database;
  userId: string;
  agentCode: string;
}

export class WrittenSessions {
  readonly #options: WrittenSessionsOptions;
  /** Oldest first. */
  readonly #ids: string[] = [];
  #messages = 0;

  constructor(options: WrittenSessionsOptions) {
    this.#options = options;
  }

  /** Adds live sessions of a self-hosted runtime: no slot and no worker of ours belongs to them. */
  async add(count: number): Promise<void> {
    const { database, userId, agentCode } = this.#options;
    for (let number = 0; number < count; number++) {
      const { id } = await insertAvatarSession(database, newSession({ userId, agentCode, isSelfHosted: true }));
      await database
        .updateTable("avatar_sessions")
        .set({ status: "live", live_at: new Date() })
        .where("id", "=", id)
        .execute();
      this.#ids.push(id);
    }
  }

  /** As their heartbeats do. Seconds: since the last time. */
  async beat(seconds: number): Promise<void> {
    await this.#options.database
      .updateTable("avatar_sessions")
      .set((fields) => ({
        last_seen_at: new Date(),
        served_deciseconds: fields("served_deciseconds", "+", Math.round(seconds * 10)),
      }))
      .where("id", "in", this.#ids)
      .execute();
  }

  /** Someone says something in one of them. */
  async say(): Promise<void> {
    this.#messages += 1;
    await this.#options.database
      .insertInto("session_messages")
      .values({
        session_id: this.#ids[this.#messages % this.#ids.length],
        seq: this.#messages,
        role: "user",
        message: `Message ${this.#messages}`,
        said_at: new Date(),
      })
      .execute();
  }

  /** The oldest ends, and another one begins. */
  async turnOver(): Promise<void> {
    const id = this.#ids.shift();
    await this.#options.database
      .updateTable("avatar_sessions")
      .set({ status: "ended", ended_at: new Date(), end_reason: "terminated", credits: 0 })
      .where("id", "=", id ?? "")
      .execute();
    await this.add(1);
  }
}
