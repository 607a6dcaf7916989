// Sessions and their processes: real processes of a program that dies when it is told to, and an api that answers as
// told.

import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { AvatarFiles } from "../../agent-worker/avatars/avatar-files.ts";
import { HostedSession } from "../../agent-worker/hosted-session.ts";
import { ProcessPool } from "../../agent-worker/processes/process-pool.ts";
import { createLogger } from "../../shared/log.ts";
import type { EndReason, JobDescription } from "../../shared/runtime-api.ts";
import { NO_TRACER } from "../../src/telemetry/tracer.ts";
import { EspeakSynthesizer } from "../../src/voice/espeak-synthesizer.ts";
import { FetchedSynthesizer } from "../../src/voice/fetched/fetched-synthesizer.ts";
import { NeuralSynthesizer } from "../../src/voice/neural/neural-synthesizer.ts";
import { waitFor } from "../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });
const PROGRAM = new URL("./processes/session-program.ts", import.meta.url);
const AVATAR = new TextEncoder().encode("an avatar");
const CONTROL_ROOM = { url: "ws://127.0.0.1:9", token: "control" };

interface Bench {
  pool: ProcessPool;
  synthesizer: EspeakSynthesizer;
  /** What the api got: events, heartbeats and requests for jobs and avatars, with the token of each. */
  events: { path: string; token: string; body: Record<string, unknown> }[];
  countOf(path: string): number;
  /** Answer of the api; 200 at first. */
  status: number;
  crashes: number;
  /** Whether each session that went live found a process ready. */
  live: boolean[];
  /** What programs told as their CPU time: first the length of the avatar that was opened ahead. */
  told: number[];
  renderers: string[];
  /** Whether its room was vacant, each time that a session told. */
  vacancies: boolean[];
  /** Sessions whose avatar has left. */
  left: number;
  /** A session whose program does this; see `session-program.ts`. */
  session(does: string): { session: HostedSession; ended: EndReason[] };
}

async function withBench(options: { hasRoom?: () => boolean }, work: (bench: Bench) => Promise<void>): Promise<void> {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const [name, path] = request.url?.split("/").slice(-2) ?? [];
    bench.events.push({ path, token: request.headers.authorization?.slice(7) ?? "", body: JSON.parse(text || "{}") });
    response.writeHead(bench.status, { "content-type": "application/json" });
    if (path === "model") response.end(AVATAR);
    else response.end(JSON.stringify(path === "job" ? jobOf(name, api_url) : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const api_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const avatars = new AvatarFiles();
  const synthesizer = new EspeakSynthesizer();
  const neural = new NeuralSynthesizer();
  const fetched = new FetchedSynthesizer();
  const pool = new ProcessPool({
    program: PROGRAM,
    environment: process.env,
    readyTarget: 1,
    nextAvatar: () => avatars.latest,
    speak: (task, owner) => synthesizer.speak(task, owner),
    makePiece: (task, owner) => ("folder" in task ? fetched.speak(task, owner) : neural.speak(task, owner)),
    predictTurnEnd: () => Promise.reject(new Error("no session of this test holds a conversation")),
    logger,
    hasRoom: () => true,
    ...options,
  });
  const sessions: HostedSession[] = [];
  const bench: Bench = {
    pool,
    synthesizer,
    events: [],
    countOf: (path) => bench.events.filter((event) => event.path === path).length,
    status: 200,
    crashes: 0,
    live: [],
    told: [],
    renderers: [],
    vacancies: [],
    left: 0,
    session(does) {
      const ended: EndReason[] = [];
      const session = new HostedSession({
        jobId: "AJ_1",
        prepareConversation: () => Promise.reject(new Error("no session of this test holds a conversation")),
        metadata: { avatar_session_id: does, runtime_token: "token-0", api_url },
        allowedHosts: [],
        avatars,
        takeProcess: () => pool.take(),
        onOpened: (renderedBy) => bench.renderers.push(renderedBy),
        onPlayout: (_, cpuCores) => bench.told.push(cpuCores),
        tracer: NO_TRACER,
        onFirstFrame: () => undefined,
        onLive: (startMs, wasReady) => startMs > 0 && bench.live.push(wasReady),
        onTurn: () => undefined,
        onConversationFault: () => undefined,
        onMessagesDropped: () => undefined,
        onCrash: () => {
          bench.crashes += 1;
        },
        onVacancy: (isVacant) => bench.vacancies.push(isVacant),
        onLeft: () => {
          bench.left += 1;
        },
        onEnded: (reason) => ended.push(reason),
        logger,
      });
      sessions.push(session);
      return { session, ended };
    },
  };
  try {
    await work(bench);
  } finally {
    // After a failure, too: a process that is left would keep the test alive.
    await Promise.all(sessions.map((session) => session.end("worker_draining")));
    await Promise.all([pool.close(), synthesizer.close(), neural.close(), fetched.close()]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** The job of a session whose program does this. */
function jobOf(does: string, apiUrl: string): JobDescription {
  const texts = { system_prompt: "", voice_id: "F1", language: "en", model: "essence-2", room_name: "room" };
  return {
    ...texts,
    ...{ avatar_session_id: does, agent_code: null, agent_name: does },
    ...{ livekit_url: "ws://127.0.0.1:9", livekit_token: "join", beat_interval_s: 0.05 },
    ...{
      imx_url: `${apiUrl}/model`,
      imx_sha256: createHash("sha256").update(AVATAR).digest("hex"),
      portrait_url: null,
    },
    ...{ conversation: false, open_segments: [] },
  };
}

t.test("a session outlives a process that dies, and is given up when its processes keep dying", async (t) => {
  await withBench({}, async (bench) => {
    bench.pool.start();
    const once = bench.session("crash-once");
    t.equal(await once.session.accept(), true);
    once.session.serve(CONTROL_ROOM);
    const firstPid = once.session.pid;
    await waitFor(() => bench.crashes === 1, "the crash");
    await waitFor(() => once.session.pid !== firstPid, "the next process");
    t.same(once.ended, [], "the session goes on");
    await waitFor(() => bench.events.some(({ path }) => path === "beat"), "a heartbeat while the next process starts");
    const heartbeat = { seq: 1, served_seconds: 1 };
    t.match(bench.events.find(({ path }) => path === "beat")!, { token: "token-1", body: heartbeat });
    await once.session.end("worker_draining");
    t.same(once.ended, ["worker_draining"]);
    t.same(bench.renderers, ["runtime", "runtime"], "what each process told of its avatar");
    t.equal(bench.live.length, 1, "it went live once, whatever happened then");
    t.equal(bench.countOf("job"), 1, "its processes share what the worker fetched");

    bench.crashes = 0;
    const doomed = bench.session("crash");
    await doomed.session.accept();
    doomed.session.serve(CONTROL_ROOM);
    await waitFor(() => bench.events.some(({ body }) => body.event === "ended"), "the api hears of it", 20_000);
    t.equal(bench.crashes, 4);
    t.same(doomed.ended, ["worker_lost"]);
    const open = [{ sender_identity: `${AVATAR.length} bytes`, position_ms: 120, interrupted: true }];
    t.match(
      bench.events.find(({ body }) => body.event === "ended"),
      { token: "token-4", body: { reason: "worker_lost", served_seconds: 4, open_segments: open } },
      "with the last checkpoint: token, served time and open segments of all its processes",
    );
    t.equal(bench.countOf("model"), 1, "an avatar that was shown before is not fetched again");
  });
});

t.test("an avatar has left before its process is gone, and a process that dies then has no successor", async (t) => {
  await withBench({ hasRoom: () => false }, async (bench) => {
    const lingering = bench.session("linger");
    await lingering.session.accept();
    lingering.session.serve(CONTROL_ROOM);
    await waitFor(() => bench.left === 1, "the avatar has left", 20_000);
    t.same(bench.vacancies, [true], "its room was vacant before");
    t.same(lingering.ended, [], "its process is still there");
    await lingering.session.end("worker_draining");

    const dying = bench.session("leave-crash");
    await dying.session.accept();
    dying.session.serve(CONTROL_ROOM);
    await waitFor(() => bench.events.some(({ body }) => body.event === "ended"), "the api hears of the end", 20_000);
    t.match(bench.events.find(({ body }) => body.event === "ended")?.body, { reason: "last_user_left" });
    t.same([bench.crashes, dying.ended], [0, ["last_user_left"]]);
  });
});

t.test("a session whose process dies in a vacant room takes its slot again", async (t) => {
  await withBench({ hasRoom: () => false }, async (bench) => {
    const { session } = bench.session("crash-once");
    await session.accept();
    session.serve(CONTROL_ROOM);
    await waitFor(() => bench.crashes === 1, "the crash", 20_000);
    t.same(bench.vacancies, [false], "its next process looks who is there");
    await session.end("worker_draining");
  });
});

t.test("sessions speak with the voice of their worker", { timeout: 90_000 }, async (t) => {
  await withBench({ hasRoom: () => false }, async (bench) => {
    const speak = async () => {
      const { session } = bench.session("speak");
      await session.accept();
      session.serve(CONTROL_ROOM);
      return session;
    };
    const sessions = await Promise.all([speak(), speak()]);
    await waitFor(() => bench.told.length === 4, "both to have spoken", 20_000);
    const counts = bench.told.filter((count) => count !== 0);
    t.ok(counts.length === 2 && counts.every((count) => count > 5_000), `a word of audio: ${counts}`);
    await bench.synthesizer.close();
    sessions.push(await speak());
    await waitFor(() => bench.told.includes(-1), "an error", 20_000);
    await Promise.all(sessions.map((session) => session.end("worker_draining")));
  });
});

t.test("a session that ends, or that the api has cancelled, leaves no process", async (t) => {
  await withBench({ hasRoom: () => false }, async (bench) => {
    const { session, ended } = bench.session("end");
    await session.accept();
    session.serve(CONTROL_ROOM);
    await waitFor(() => ended.length === 1, "the end", 20_000);
    t.same(ended, ["last_user_left"]);
    await session.end("worker_draining");
    t.same(ended, ["last_user_left"], "an end is told once");

    bench.status = 409;
    const cancelled = bench.session("stay");
    t.equal(await cancelled.session.accept(), false);
    t.same(cancelled.ended, ["no_capacity"]);
    cancelled.session.serve(CONTROL_ROOM);
    t.equal(cancelled.session.pid, undefined, "no process is started for it");
    bench.status = 503;
    const unheard = bench.session("stay");
    t.equal(await unheard.session.accept(), true, "an api that cannot be reached may still want it");
    unheard.session.withdraw();
    t.same(unheard.ended, ["no_capacity"]);
  });
});

t.test("one process is kept ready, and made ready only while the machine has room", async (t) => {
  let hasRoom = true;
  let questions = 0;
  const ask = () => {
    questions += 1;
    return hasRoom;
  };
  await withBench({ hasRoom: ask }, async ({ pool, live, told, session: start }) => {
    pool.start();
    await waitFor(() => pool.readyCount === 1, "the first", 20_000);
    hasRoom = false;
    const first = start("stay");
    first.session.serve(CONTROL_ROOM);
    t.equal(pool.readyCount, 0, "it was taken");
    const second = start("stay");
    second.session.serve(CONTROL_ROOM);
    t.not(second.session.pid, first.session.pid, "without one that is ready, a session gets a new process");
    await waitFor(() => live.length === 2, "both are live", 20_000);
    t.same(live, [true, false], "the worker is told how the session got its process");
    questions = 0;
    await waitFor(() => questions > 0, "the pool asks for room");
    t.equal(pool.readyCount, 0, "no room, no process");
    hasRoom = true;
    await waitFor(() => pool.readyCount === 1, "the next", 20_000);
    const third = start("stay");
    third.session.serve(CONTROL_ROOM);
    await waitFor(() => live.length === 3, "the third is live");
    t.same(told, [0, 0, AVATAR.length], "a process that waits opens the avatar that was shown last");
    await Promise.all([first, second, third].map(({ session }) => session.end("ended_by_api")));
    t.same([...first.ended, ...second.ended, ...third.ended], Array(3).fill("ended_by_api"));
  });
});

t.test("job and avatar are fetched while the worker accepts, and a session may end meanwhile", async (t) => {
  await withBench({ hasRoom: () => false }, async (bench) => {
    const { session, ended } = bench.session("stay");
    await session.accept();
    await waitFor(() => bench.countOf("model") === 1, "the avatar, before the assignment");
    session.serve(CONTROL_ROOM);
    await session.end("ended_by_api");
    t.same(ended, ["ended_by_api"], "with a process that may not have its task yet");

    bench.status = 404;
    const gone = bench.session("stay");
    gone.session.serve(CONTROL_ROOM);
    await waitFor(() => gone.ended.length === 1, "the end of a session without a job");
    t.same(gone.ended, ["ended_by_api"]);
  });
});
