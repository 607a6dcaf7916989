// Checks servers that the operator configured instead of the embedded ones, before anything is started: a wrong
// address, a wrong key or an old version gives one clear error.
import { RoomServiceClient, TwirpError } from "livekit-server-sdk";
import pg from "pg";
import { LEAST_LIVEKIT_VERSION, probeLiveKit } from "../../../api/kernel/livekit/livekit-version.ts";
import { StartError } from "../start-error.ts";

export interface LiveKitAddress {
  url: string;
  apiKey: string;
  apiSecret: string;
}

const CONNECT_TIMEOUT_MS = 5000;
/** As `server_version_num` counts. */
const LEAST_POSTGRES = 160_000;

/** Throws StartError unless DATABASE_URL leads to a PostgreSQL that accepts the credentials and is new enough. Messages
 *  never contain the password. */
export async function checkDatabase(url: string): Promise<void> {
  const { host, pathname } = new URL(url);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on("error", () => {}); // A connection lost while idle: the next query reports it.
  try {
    await client.connect();
    const answer = await client.query<{ number: string; version: string }>(
      "select current_setting('server_version_num') as number, current_setting('server_version') as version",
    );
    const { number, version } = answer.rows[0];
    if (Number(number) < LEAST_POSTGRES) {
      throw new StartError(
        `The PostgreSQL at ${host} is version ${version}, and 16 or newer is needed.`,
        "Name a newer one in DATABASE_URL, or leave it unset to use the embedded one.",
      );
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(
      `DATABASE_URL names the database ${pathname.slice(1)} at ${host}, which cannot be used: ${describe(error)}.`,
      "Start that server or correct the URL, or leave DATABASE_URL unset to use the embedded one.",
      error,
    );
  } finally {
    await client.end().catch(() => {});
  }
}

/** Throws StartError unless a LiveKit server answers at the address, takes the keys and is new enough. */
export async function checkLiveKit({ url, apiKey, apiSecret }: LiveKitAddress): Promise<void> {
  const timeoutS = CONNECT_TIMEOUT_MS / 1000;
  const client = new RoomServiceClient(url.replace(/^ws/, "http"), apiKey, apiSecret, { requestTimeout: timeoutS });
  try {
    await client.listRooms([]);
  } catch (error) {
    const isRefused = error instanceof TwirpError && error.status === 401;
    throw new StartError(
      isRefused
        ? `The LiveKit server at ${url} refuses LIVEKIT_API_KEY and LIVEKIT_API_SECRET.`
        : `LIVEKIT_URL is ${url}, and no LiveKit server answers there: ${describe(error)}.`,
      isRefused
        ? "Set them to a pair from that server's configuration."
        : "Start that server or correct the URL, or leave LIVEKIT_URL unset to use the embedded one.",
      error,
    );
  }
  const { status, version } = await probeLiveKit({ url, apiKey, apiSecret, timeoutMs: CONNECT_TIMEOUT_MS });
  if (status === "ok") return;
  throw new StartError(
    status === "outdated"
      ? `The LiveKit server at ${url} is version ${version}, and ${LEAST_LIVEKIT_VERSION} is needed.`
      : `The LiveKit server at ${url} does not let agent workers register.`,
    "Name another one in LIVEKIT_URL, or leave it unset to use the embedded one.",
  );
}

/** The innermost cause, in a few words. */
function describe(error: unknown): string {
  const { cause, message, code, errors } = error as Error & { code?: string; errors?: Error[] };
  // A name with several addresses fails once for each of them, and with an empty message.
  if (errors && errors.length > 0) return describe(errors[0]);
  if (cause instanceof Error) return describe(cause);
  return (message || code || String(error)).replace(/\.$/, "");
}
