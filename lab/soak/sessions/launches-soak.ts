// Launches one after the other, each as soon as the voice agent of the one before has left its room, while another
// program is started before each. None may be refused: a slot is free.
import { type ChildProcess, spawn } from "node:child_process";
import { availableParallelism, constants, setPriority } from "node:os";
import { dispose, Room, RoomEvent } from "@livekit/rtc-node";
import { AccessToken } from "livekit-server-sdk";
import { type DrivenService, startOwnService } from "../../bench/service/own-service.ts";
import { AVATAR_IDENTITY, mintToken } from "../../bench/service/session-opener.ts";
import { waitUntilAsync } from "../../bench/service/wait-until-async.ts";
import { type LaunchTarget, launchInto } from "./launch-into.ts";

export interface LaunchesSoakOptions {
  environment: Readonly<Record<string, string | undefined>>;
  launches: number;
  /** Shell command that is started before each launch, and ended after it. Default: none. */
  beside?: string;
  /** Whether a program of the lowest priority keeps each core busy. */
  isBusy: boolean;
  report(line: string): void;
}

export interface LaunchesSoakResult {
  launches: number;
  refused: number;
  /** From a launch to its answer, ms. */
  answer_ms: { median: number; most: number };
  /** From a launch to the avatar's video track, ms. */
  shown_ms: { median: number; most: number };
  violations: string[];
}

const SENDER_IDENTITY = "voice-agent";
const SHOWN_TIMEOUT_MS = 60_000;
/** An avatar leaves 3 s after its sender; the rest is for a busy machine. */
const END_TIMEOUT_MS = 20_000;

/** Runs the launches against a service of its own; its worker measures what the machine has left. */
export async function soakLaunches(options: LaunchesSoakOptions): Promise<LaunchesSoakResult> {
  const { report, isBusy } = options;
  const environment = { AVATAR_ADMISSION: "measured", ...options.environment };
  const service = await startOwnService({ environment, report });
  const neighbours = isBusy ? keepBusy() : [];
  try {
    return await launchAll(service, options);
  } finally {
    for (const neighbour of neighbours) neighbour.kill("SIGKILL");
    await service.close();
    // The SDK's native library would keep this process alive.
    await dispose();
  }
}

async function launchAll(service: DrivenService, options: LaunchesSoakOptions): Promise<LaunchesSoakResult> {
  const { launches, report } = options;
  const violations: string[] = [];
  const answersMs: number[] = [];
  const shownMs: number[] = [];
  const sessions: string[] = [];
  let refused = 0;
  for (let number = 1; number <= launches; number++) {
    const launched = await launchOne(service, options.beside);
    answersMs.push(launched.answerMs);
    if (launched.sessionId === null) {
      refused += 1;
      violations.push(`launch ${number} was answered with ${launched.refusal} after ${launched.answerMs} ms`);
    } else {
      sessions.push(launched.sessionId);
      if (launched.shownMs === null) violations.push(`launch ${number}: no avatar came`);
      else shownMs.push(launched.shownMs);
    }
    report(`launch ${number}: ${launched.refusal ?? "accepted"} after ${launched.answerMs} ms`);
  }
  for (const id of sessions) {
    const hasEnded = async () => (await readStatus(service, id)) === "ended";
    await waitUntilAsync(hasEnded, `${id} ends`, END_TIMEOUT_MS).catch((error: Error) =>
      violations.push(error.message),
    );
  }
  return { launches, refused, answer_ms: summaryOf(answersMs), shown_ms: summaryOf(shownMs), violations };
}

interface Launched {
  sessionId: string | null;
  /** Status and code of a refusal. */
  refusal: string | null;
  answerMs: number;
  /** Null if no avatar came. */
  shownMs: number | null;
}

/** The voice agent joins its room, the other program starts, the avatar is launched and comes, the voice agent
 *  leaves. */
export async function launchOne(service: LaunchTarget, beside?: string): Promise<Launched> {
  const roomName = `launches-${crypto.randomUUID()}`;
  const room = new Room();
  let other: ChildProcess | undefined;
  await room.connect(service.livekit.url, await mintAgentToken(service, roomName), {
    autoSubscribe: false,
    dynacast: false,
  });
  try {
    let atMs: number | null = null;
    room.on(RoomEvent.TrackPublished, () => {
      atMs ??= performance.now();
    });
    const avatar = await mintToken(service, roomName, AVATAR_IDENTITY, SENDER_IDENTITY);
    // With a process group of its own, so that it can be ended with its children.
    if (beside !== undefined) other = spawn("sh", ["-c", beside], { stdio: "ignore", detached: true });
    const startMs = performance.now();
    const { status, code, hasRetryAfter, sessionId } = await launchInto(service, roomName, avatar);
    const answerMs = Math.round(performance.now() - startMs);
    const refusal = `${status} ${code}${hasRetryAfter ? "" : " without Retry-After"}`;
    if (sessionId === null) return { sessionId, refusal, answerMs, shownMs: null };
    // A timeout leaves `atMs` null.
    await waitUntilAsync(async () => atMs !== null, "the avatar comes", SHOWN_TIMEOUT_MS).catch(() => {});
    return { sessionId, refusal: null, answerMs, shownMs: atMs === null ? null : Math.round(atMs - startMs) };
  } finally {
    await room.disconnect();
    if (other?.pid !== undefined) endGroup(other.pid);
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

function mintAgentToken({ livekit }: LaunchTarget, room: string): Promise<string> {
  const token = new AccessToken(livekit.apiKey, livekit.apiSecret, { identity: SENDER_IDENTITY, ttl: "1h" });
  token.addGrant({ room, roomJoin: true });
  token.kind = "agent";
  return token.toJwt();
}

/** A program for each core, at the lowest priority, that computes until it is killed. */
function keepBusy(): ChildProcess[] {
  return Array.from({ length: availableParallelism() }, () => {
    const neighbour = spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });
    if (neighbour.pid !== undefined) setPriority(neighbour.pid, constants.priority.PRIORITY_LOW);
    return neighbour;
  });
}

async function readStatus({ client, apiSecret }: DrivenService, id: string): Promise<string> {
  const response = await fetch(`${client.baseUrl}/v1/runtime-sessions/${id}`, { headers: { "api-secret": apiSecret } });
  return ((await response.json()) as { status: string }).status;
}

function summaryOf(valuesMs: number[]): { median: number; most: number } {
  const sorted = valuesMs.toSorted((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, most: sorted.at(-1) ?? 0 };
}
