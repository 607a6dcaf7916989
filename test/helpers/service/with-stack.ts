// The whole service for the duration of a callback: api and avatar worker, with a new database and the shared LiveKit
// server.
import t from "tap";
import type { ServiceClient } from "../../../cli/service/service-client.ts";
import { findFreePort } from "../../../cli/start/processes/free-port.ts";
import { createProgress } from "../../../cli/start/progress.ts";
import type { LiveKitAddress } from "../../../cli/start/service/given-servers.ts";
import { makeOperatorLink } from "../../../cli/start/service/operator-link.ts";
import { Service } from "../../../cli/start/service/service.ts";
import { makeDataFolder } from "../files/data-folder.ts";
import { useLiveKit } from "../livekit/use-livekit.ts";
import { withDatabase } from "../servers/with-database.ts";
import { areProgramsBuilt, testPrograms } from "./built-programs.ts";

export interface TestStack {
  /** `http://127.0.0.1:…` */
  baseUrl: string;
  /** API secret of the operator account. */
  apiSecret: string;
  client: ServiceClient;
  livekit: LiveKitAddress;
  databaseUrl: string;
  /** Holds `logs/api.log` and `logs/worker.log`. */
  dataDir: string;
  /** A ready agent with a portrait of the gallery. */
  agentCode: string;
  /** Parent process of the avatar sessions. */
  workerPid: number;
  /** A link as `npm start` prints it: it signs the operator in once. */
  signInLink(): Promise<string>;
}

/** A minute after its start a service bakes the sample avatars, which would take half a minute of CPU time from the
 *  tests. One that is downloaded is still baked at once. */
const PUT_OFF_SAMPLES = `
  select graphile_worker.reschedule_jobs(
    array(select id from graphile_worker.jobs where task_identifier = 'bake-sample'),
    run_at => now() + interval '1 day'
  )`;

/** Starts the service with a ready agent, and stops it afterwards. It takes some seconds, so use it once per test file.
 *  `settings` are environment variables. */
export async function withStack<T>(
  work: (stack: TestStack) => Promise<T>,
  settings: Record<string, string> = {},
): Promise<T> {
  const dataDir = await makeDataFolder(t);
  const livekit = await useLiveKit();
  return withDatabase(async ({ url, pool }) => {
    const service = new Service({
      environment: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
        DATABASE_URL: url,
        LIVEKIT_URL: livekit.url,
        LIVEKIT_API_KEY: livekit.apiKey,
        LIVEKIT_API_SECRET: livekit.apiSecret,
        AVATAR_DISPATCH_NAME: livekit.dispatchName,
        PORT: String(await findFreePort()),
        AVATAR_WORKER_PORT: "0",
        AVATAR_RELAY_PORT: "0",
        // The load of other tests must not decide how many sessions a test may start.
        AVATAR_ADMISSION: "fixed",
        // The neural voice would take a core from the tests that run beside this one.
        AVATAR_VOICE: "formant",
        AVATAR_IDENTITY_CLIPS: "0",
        AVATAR_DATA_DIR: dataDir,
        ...settings,
      },
      progress: createProgress(null),
      ...(areProgramsBuilt() && { programs: await testPrograms() }),
    });
    try {
      const details = await service.start();
      await pool.query(PUT_OFF_SAMPLES);
      return await work({
        baseUrl: details.client.baseUrl,
        apiSecret: details.operator.secret,
        client: details.client,
        livekit: details.livekit,
        databaseUrl: url,
        dataDir,
        agentCode: details.demoAgentCode,
        workerPid: details.workerPid ?? 0,
        signInLink: () => makeOperatorLink(details),
      });
    } finally {
      await service.close();
    }
  });
}
