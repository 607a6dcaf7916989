// Churn: sessions that start, speak, are interrupted and end, many times over. Memory must stay flat.

import type { JudgeCommands, SenderCommands } from "../../bench/clients/client-messages.ts";
import { ClientProcess } from "../../bench/clients/client-process.ts";
import { makeSpeechFile } from "../../bench/clients/speech-file.ts";
import { readProcesses } from "../../bench/cpu-time.ts";
import { waitUntilQuiet } from "../../bench/scale/measure-starts.ts";
import { findServiceProcesses, partsOf, type ServiceProcesses } from "../../bench/service/find-service-processes.ts";
import { readPssMb } from "../../bench/service/memory.ts";
import { type DrivenService, startOwnService } from "../../bench/service/own-service.ts";
import { AVATAR_IDENTITY, closeSession, openSession } from "../../bench/service/session-opener.ts";
import { waitUntilAsync } from "../../bench/service/wait-until-async.ts";
import { isFlat, type MemorySample } from "./is-flat.ts";

export interface SessionsSoakOptions {
  environment: Readonly<Record<string, string | undefined>>;
  /** Sessions in all. */
  sessions: number;
  /** Sessions at a time. */
  lanes: number;
  report(line: string): void;
}

export interface SessionsSoakResult {
  sessions: number;
  /** Of the idle service, after each tenth of the sessions. */
  memory: MemorySample[];
  violations: string[];
}

const SPEECH_S = 20;
const REPLY_S = 5;
const SAMPLES = 10;
const TIMEOUT_MS = 60_000;

/** Runs the churn against a service of its own. */
export async function soakSessions(options: SessionsSoakOptions): Promise<SessionsSoakResult> {
  const { environment, sessions, lanes, report } = options;
  const speech = await makeSpeechFile(SPEECH_S);
  const service = await startOwnService({ environment, report });
  const senders = await ClientProcess.start<SenderCommands>("sender");
  const judge = await ClientProcess.start<JudgeCommands>("judge");
  const violations: string[] = [];
  const memory: MemorySample[] = [];
  try {
    const processes = () =>
      findServiceProcesses({ apiUrl: service.client.baseUrl, livekitUrl: service.livekit.url }, [
        senders.pid,
        judge.pid,
      ]);
    await senders.call("load", { speechFile: speech.file });
    const batch = Math.max(1, Math.ceil(sessions / SAMPLES));
    for (let done = 0; done < sessions; ) {
      const count = Math.min(batch, sessions - done);
      let left = count;
      const lane = async () => {
        while (left > 0) {
          left -= 1;
          await live(service, senders, judge).catch((error: Error) => violations.push(error.message));
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      done += count;
      const sample = { sessions: done, ...(await sampleMemory(await processes())) };
      memory.push(sample);
      report(`${done} sessions, ${violations.length} wrong, ${sample.serviceMb} MB`);
    }
  } finally {
    await Promise.all([senders.close(), judge.close()]);
    await service.close();
    await speech.close();
  }
  if (!isFlat(memory)) violations.push(`memory grew from ${memory[1].serviceMb} to ${memory.at(-1)?.serviceMb} MB`);
  return { sessions, memory, violations };
}

/** One session, from launch to end. Throws Error naming what did not happen. */
async function live(
  service: DrivenService,
  senders: ClientProcess<SenderCommands>,
  judge: ClientProcess<JudgeCommands>,
): Promise<void> {
  const listener = {
    join: (request: { id: string; url: string; token: string }) =>
      judge.call("join", { ...request, avatarIdentity: AVATAR_IDENTITY }),
    leave: (id: string) => judge.call("leave", { id }),
  };
  const session = await openSession(service, listener, senders);
  const { id } = session;
  try {
    const isShown = async () => (await judge.call("firstFrameAtMs", { id })) !== null;
    await waitUntilAsync(isShown, "a frame arrives", TIMEOUT_MS);
    const sinceMs = await senders.call("sendAhead", { id, seconds: REPLY_S, fromS: 0 });
    await judge.call("firstSoundAtMs", { id, sinceMs, timeoutMs: TIMEOUT_MS });
    await senders.call("interrupt", { id });
    await senders.call("waitUntilFinished", { id, count: 1, timeoutMs: TIMEOUT_MS });
    const [{ interrupted, positionS }] = await senders.call("finished", { id });
    if (!interrupted || positionS > REPLY_S) throw new Error(`reported ${positionS} s, interrupted: ${interrupted}`);
  } finally {
    await closeSession(service, session, senders);
  }
}

async function sampleMemory(processes: ServiceProcesses): Promise<Omit<MemorySample, "sessions">> {
  await waitUntilQuiet(processes);
  const { service, start, api, relay, livekit, postgres } = partsOf(await readProcesses(), processes);
  const pss = (parts: readonly { pid: number }[]) => readPssMb(parts.map(({ pid }) => pid));
  return {
    serviceMb: await pss([...service, ...start, ...api, ...relay]),
    livekitMb: await pss(livekit),
    postgresMb: await pss(postgres),
  };
}
