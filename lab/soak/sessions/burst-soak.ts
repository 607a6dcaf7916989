// A burst: many launches in the same moment against two workers. Each is answered, and none is lost.

import { AGENT_NAME } from "../../../shared/wire-names.ts";
import { withWorker } from "../../../test/helpers/service/with-worker.ts";
import { findServiceProcesses } from "../../bench/service/find-service-processes.ts";
import { type DrivenService, startOwnService } from "../../bench/service/own-service.ts";
import { AVATAR_IDENTITY, mintToken } from "../../bench/service/session-opener.ts";
import { waitUntilAsync } from "../../bench/service/wait-until-async.ts";
import { type LaunchAnswer, launchInto } from "./launch-into.ts";

export interface BurstSoakOptions {
  environment: Readonly<Record<string, string | undefined>>;
  launches: number;
  /** Most sessions of each worker. */
  capacity: number;
  report(line: string): void;
}

export interface BurstSoakResult {
  launches: number;
  /** How many launches got each answer: `200`, `503 SERVICE_UNAVAILABLE`, … */
  answers: Record<string, number>;
  /** Time until the last answer, ms. */
  answered_ms: number;
  /** What became of the accepted sessions: `live`, `ended: …`. */
  outcomes: Record<string, number>;
  violations: string[];
}

/** A session that is still starting after this is stuck. */
const START_TIMEOUT_MS = 90_000;
const AFTERWARDS_TIMEOUT_MS = 60_000;

/** Runs the burst against a service of its own and a second worker. */
export async function soakBurst(options: BurstSoakOptions): Promise<BurstSoakResult> {
  const { report, capacity } = options;
  const environment = { ...options.environment, AVATAR_MAX_SESSIONS: String(capacity) };
  const service = await startOwnService({ environment, report });
  try {
    const livekit = { ...service.livekit, dispatchName: AGENT_NAME };
    const second = { AVATAR_MAX_SESSIONS: String(capacity), AVATAR_API_URL: service.client.baseUrl };
    return await withWorker({ livekit, environment: second }, () => burst(service, options));
  } finally {
    await service.close();
  }
}

async function burst(service: DrivenService, { launches, report }: BurstSoakOptions): Promise<BurstSoakResult> {
  const addresses = { apiUrl: service.client.baseUrl, livekitUrl: service.livekit.url };
  const before = await findServiceProcesses(addresses);
  report(`${before.workers.length} workers, ${launches} launches`);
  const rooms = Array.from({ length: launches }, () => `burst-${crypto.randomUUID()}`);
  const tokens = await Promise.all(rooms.map((room) => mintToken(service, room, AVATAR_IDENTITY, "voice-agent")));
  const startedMs = performance.now();
  const answers = await Promise.all(rooms.map((room, index) => launchInto(service, room, tokens[index])));
  const answeredMs = Math.round(performance.now() - startedMs);
  const violations = answers.flatMap(describeViolation);
  const accepted = answers.flatMap(({ sessionId }) => sessionId ?? []);
  report(`${accepted.length} accepted; all answered after ${answeredMs} ms`);
  const outcomes = await Promise.all(accepted.map((id) => untilStarted(service, id)));
  violations.push(...outcomes.filter((outcome) => outcome === "starting").map(() => "a session is stuck in starting"));
  for (const id of accepted) await service.client.endAvatarSession(id).catch(() => {}); // It may have ended.
  const after = await findServiceProcesses(addresses);
  for (const pid of before.workers) if (!after.workers.includes(pid)) violations.push(`worker ${pid} was lost`);
  const [room, token] = [`after-${rooms[0]}`, await mintToken(service, `after-${rooms[0]}`, AVATAR_IDENTITY)];
  const takesAnother = async () => (await launchInto(service, room, token)).status === 200;
  await waitUntilAsync(takesAnother, "a launch is accepted again", AFTERWARDS_TIMEOUT_MS).catch((error: Error) =>
    violations.push(error.message),
  );
  return {
    launches,
    answers: countEach(answers.map(({ status, code }) => `${status} ${code}`.trim())),
    answered_ms: answeredMs,
    outcomes: countEach(outcomes),
    violations,
  };
}

function describeViolation({ status, code, hasRetryAfter, sessionId }: LaunchAnswer): string[] {
  if (status === 200) return sessionId ? [] : ["an accepted launch names no session"];
  if (status !== 503) return [`a launch was answered with ${status} ${code}`];
  return hasRetryAfter ? [] : ["a 503 without Retry-After"];
}

/** Status of a session once it has started or ended; `starting` if it has not in time. */
async function untilStarted({ client, apiSecret }: DrivenService, id: string): Promise<string> {
  let outcome = "starting";
  const isOver = async () => {
    const response = await fetch(`${client.baseUrl}/v1/runtime-sessions/${id}`, {
      headers: { "api-secret": apiSecret },
    });
    const { status, end_reason } = (await response.json()) as { status: string; end_reason?: string | null };
    outcome = end_reason ? `${status}: ${end_reason}` : status;
    return status !== "starting";
  };
  await waitUntilAsync(isOver, "the session starts", START_TIMEOUT_MS).catch(() => {}); // `outcome` says so.
  return outcome;
}

function countEach(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
