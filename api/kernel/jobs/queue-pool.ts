// The pool of connections as the job queue's library sees it. The library repeats what failed with a code that it
// knows, and does not wait for the end of what it writes. Anything else that fails is an unhandled rejection, which
// ends the process.
import type { Pool, PoolClient } from "pg";

const CONNECT_TIMEOUT = "timeout exceeded when trying to connect";
/** One that the library repeats, after three seconds or more. */
const REPEATED_CODE = "ETIMEDOUT";

/** The same pool; but a wait for a connection that took too long is repeated, and one that fails while the runner
 *  closes (`isClosing`) is not answered any more. */
export function queuePool(pool: Pool, isClosing: () => boolean): Pool {
  const connect = async (): Promise<PoolClient> => {
    try {
      return await pool.connect();
    } catch (error) {
      if (isClosing()) return new Promise(() => undefined);
      const isTimeout = error instanceof Error && error.message === CONNECT_TIMEOUT;
      throw isTimeout ? Object.assign(error, { code: REPEATED_CODE }) : error;
    }
  };
  return Object.create(pool, {
    connect: {
      value: (...callbacks: Parameters<Pool["connect"]>) => (callbacks[0] ? pool.connect(...callbacks) : connect()),
    },
  });
}
