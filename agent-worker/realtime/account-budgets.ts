// The answers of all realtime sessions of an account on this worker. An account is known by the id that the api sends
// with each call (`X-Service-Session`): the relay passes it on, and no client can set it.
import { TokenBucket } from "../../program/token-bucket.ts";
import { ACCOUNT_RATE } from "../../src/conversation/realtime/responses/answer-rates.ts";

interface Account {
  budget: TokenBucket;
  sessions: number;
}

export interface HeldBudget {
  budget: TokenBucket;
  /** The session is over. Idempotent. */
  release(): void;
}

export class AccountBudgets {
  readonly #accounts = new Map<string, Account>();

  /** The budget of an account, for a session. It is kept until the last one is over and it is full again: a new call is
   *  no new burst. */
  hold(userId: string): HeldBudget {
    for (const [known, { sessions, budget }] of this.#accounts) {
      if (sessions === 0 && budget.isFull) this.#accounts.delete(known);
    }
    const account = this.#accounts.get(userId) ?? { budget: new TokenBucket(ACCOUNT_RATE), sessions: 0 };
    this.#accounts.set(userId, account);
    account.sessions += 1;
    let isHeld = true;
    return {
      budget: account.budget,
      release: () => {
        if (isHeld) account.sessions -= 1;
        isHeld = false;
      },
    };
  }
}
