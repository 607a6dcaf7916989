// The front of `npm start` with a real api and a real relay behind it, as processes, for the length of a callback.
import { join } from "node:path";
import type { Test } from "tap";
import { findFreePort } from "../../../cli/start/processes/free-port.ts";
import { Front, type FrontPart } from "../../../cli/start/processes/front.ts";
import { ServiceProcess } from "../../../cli/start/processes/service-process.ts";
import { makeDataFolder } from "../files/data-folder.ts";
import { withDatabase } from "../servers/with-database.ts";
import { waitFor } from "../wait-for.ts";
import { testPrograms } from "./built-programs.ts";

export interface FrontStage {
  /** `http://127.0.0.1:…` */
  baseUrl: string;
  /** Of the operator, who is never out of credits. */
  secret: string;
  front: Front;
  api: ServiceProcess;
  relay: ServiceProcess;
  relayPort: number;
}

const START_TIMEOUT_MS = 300_000;

/** `environment`: more settings of the api. */
export function withFront<T>(
  t: Test,
  environment: Record<string, string>,
  work: (stage: FrontStage) => Promise<T>,
): Promise<T> {
  return withDatabase(async ({ url }) => {
    const dataDir = await makeDataFolder(t);
    const built = await testPrograms();
    const [port, apiPort, relayPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
    const secret = "operator-".repeat(4);
    const common = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      AVATAR_LOG_LEVEL: "warn",
      LIVEKIT_URL: "ws://127.0.0.1:9",
      LIVEKIT_API_KEY: "none",
      LIVEKIT_API_SECRET: "none".repeat(8),
      AVATAR_RELAY_PORT: String(relayPort),
    };
    const front = new Front();
    const spawn = (name: FrontPart, args: string[], more: Record<string, string>): ServiceProcess => {
      const child: ServiceProcess = new ServiceProcess({
        name,
        program: built[name],
        args,
        environment: { ...common, ...more },
        logFile: join(dataDir, `${name}.log`),
        restartLimit: 5,
        stopTimeoutMs: 10_000,
        report: () => undefined,
        onGivenUp: (reason) => {
          throw new Error(reason);
        },
        onMessage: (message, handle) => front.noteMessage(name, child, message, handle),
        onExit: () => front.noteExit(name),
      });
      return child;
    };
    const api = spawn("api", [`--behind-front=${apiPort}`], {
      DATABASE_URL: url,
      AVATAR_DATA_DIR: dataDir,
      AVATAR_OPERATOR_SECRET: secret,
      AVATAR_IDENTITY_CLIPS: "0",
      ...environment,
    });
    const relay = spawn("relay", ["--behind-front"], { AVATAR_API_URL: `http://127.0.0.1:${apiPort}` });
    const baseUrl = `http://127.0.0.1:${port}`;
    try {
      await front.start(port, "127.0.0.1");
      await Promise.all([api.start(), relay.start()]);
      const isUp = async (path: string) => (await fetch(path).catch(() => null))?.ok;
      await waitFor(() => isUp(`${baseUrl}/readyz`), "the api", START_TIMEOUT_MS);
      await waitFor(() => isUp(`http://127.0.0.1:${relayPort}/ready`), "the relay", START_TIMEOUT_MS);
      for (const child of [api, relay]) child.markReady();
      return await work({ baseUrl, secret, front, api, relay, relayPort });
    } finally {
      await Promise.all([api.stop(), relay.stop()]);
      await front.close();
    }
  });
}
