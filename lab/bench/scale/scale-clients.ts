// The helper processes of one measurement: a process for all senders, one for each judge, one for the other listeners.
import { type Audience, startAudience } from "../clients/audience.ts";
import type { JudgeCommands, SenderCommands } from "../clients/client-messages.ts";
import { ClientProcess } from "../clients/client-process.ts";
import { AVATAR_IDENTITY, type RoomListener } from "../service/session-opener.ts";
import type { Materials } from "./materials.ts";

export interface Judge extends RoomListener {
  process: ClientProcess<JudgeCommands>;
}

export interface ScaleClients {
  senders: ClientProcess<SenderCommands>;
  /** The first judge; the only one unless all listeners decode. */
  judge: Judge;
  audience: Audience;
  /** A listener for each of `sessions`: the first decodes and judges, the others only if `decodeAll`. */
  listenersFor(sessions: number, decodeAll: boolean): Promise<RoomListener[]>;
  /** Of all judges that were started. */
  readonly judges: readonly Judge[];
  /** Ids of the processes that listen. */
  listenerPids(): number[];
  close(): Promise<void>;
}

export interface ScaleClientsOptions {
  materials: Pick<Materials, "speechFile">;
  environment: Readonly<Record<string, string | undefined>>;
  report(line: string): void;
}

/** Starts the helpers. */
export async function startScaleClients({
  materials,
  environment,
  report,
}: ScaleClientsOptions): Promise<ScaleClients> {
  const senders = await ClientProcess.start<SenderCommands>("sender");
  await senders.call("load", { speechFile: materials.speechFile });
  const judges: Judge[] = [await startJudge()];
  const audience = await startAudience({ avatarIdentity: AVATAR_IDENTITY, environment, report });
  return {
    senders,
    audience,
    judges,
    judge: judges[0],
    async listenersFor(sessions, decodeAll) {
      if (!decodeAll) return Array.from({ length: sessions }, (_, index) => (index === 0 ? judges[0] : audience));
      while (judges.length < sessions) judges.push(await startJudge());
      return judges.slice(0, sessions);
    },
    listenerPids: () => [...judges.map(({ process }) => process.pid), audience.pid],
    async close() {
      await Promise.all([senders.close(), audience.close(), ...judges.map(({ process }) => process.close())]);
    },
  };
}

async function startJudge(): Promise<Judge> {
  const process = await ClientProcess.start<JudgeCommands>("judge");
  return {
    process,
    join: (request) => process.call("join", { ...request, avatarIdentity: AVATAR_IDENTITY }),
    leave: (id) => process.call("leave", { id }),
  };
}
