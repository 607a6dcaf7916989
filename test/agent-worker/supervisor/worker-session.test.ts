// Sessions and their processes: real processes of a program that dies when it is told to, and an api that answers as
// told.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import type { WorkerSessionEvent } from "../../../agent-worker/session/session-event.ts";
import { AvatarFiles } from "../../../agent-worker/supervisor/avatar-files.ts";
import { ProcessPool, type ProcessPoolOptions } from "../../../agent-worker/supervisor/process-pool.ts";
import { WorkerSession } from "../../../agent-worker/supervisor/worker-session.ts";
import { createLogger } from "../../../program/log.ts";
import { NO_TRACER } from "../../../program/telemetry/tracer.ts";
import type { DispatchMetadata, EndReason, JobDescription } from "../../../shared/runtime-api.ts";
import { EspeakSynthesizer } from "../../../src/speech/voice/espeak-synthesizer.ts";
import { FetchedSynthesizer } from "../../../src/speech/voice/fetched/fetched-synthesizer.ts";
import { NeuralSynthesizer } from "../../../src/speech/voice/neural/neural-synthesizer.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });
const PROGRAM = new URL("./session-program.ts", import.meta.url);
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
  /** What sessions told. */
  happened: WorkerSessionEvent[];
  of<Type extends WorkerSessionEvent["type"]>(type: Type): Extract<WorkerSessionEvent, { type: Type }>[];
  /** What programs told as their CPU time: first the length of the avatar that was opened ahead. */
  told: number[];
  /** What became of their transcriptions. */
  transcribed: string[];
  /** A session with a program that does this; see `session-program.ts`. A part after a dot tells sessions apart. */
  session(does: string): BenchSession;
  /** The same, which viewers render, and which has been assigned. */
  light(does: string): Promise<BenchSession>;
}

interface BenchSession {
  session: WorkerSession;
  ended: EndReason[];
}

async function withBench(
  options: Pick<Partial<ProcessPoolOptions>, "hasCapacity" | "mostSessions" | "stopTimeoutMs">,
  work: (bench: Bench) => Promise<void>,
): Promise<void> {
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
  const sessions: WorkerSession[] = [];
  const bench: Bench = {
    synthesizer,
    events: [],
    countOf: (path) => bench.events.filter((event) => event.path === path).length,
    status: 200,
    of: (type) => bench.happened.filter((event) => event.type === type) as never,
    happened: [],
    told: [],
    transcribed: [],
    get pool() {
      return pool;
    },
    session: (does) => open({ avatar_session_id: does }),
    async light(does) {
      const opened = open({ avatar_session_id: does, viewers_render: true });
      await opened.session.accept();
      opened.session.run(CONTROL_ROOM);
      return opened;
    },
  };
  const open = (metadata: Pick<DispatchMetadata, "avatar_session_id" | "viewers_render">): BenchSession => {
    const ended: EndReason[] = [];
    const session = new WorkerSession({
      jobId: "AJ_1",
      prepareConversation: () => Promise.reject(new Error("no session of this test holds a conversation")),
      metadata: { ...metadata, runtime_token: "token-0", api_url },
      allowedHosts: [],
      avatars,
      takeSlot: (sharing) => pool.take(sharing),
      tracer: NO_TRACER,
      onEvent: (event) => bench.happened.push(event),
      onEnded: (reason) => ended.push(reason),
      logger,
    });
    sessions.push(session);
    return { session, ended };
  };
  const pool = new ProcessPool({
    program: PROGRAM,
    environment: process.env,
    readyTarget: 1,
    nextAvatar: () => avatars.latest,
    tasks: {
      speak: (task, owner) => synthesizer.speak(task, owner),
      makePiece: (task, owner) => ("folder" in task ? fetched.speak(task, owner) : neural.speak(task, owner)),
      findLanguageModel: async () => null,
      admitVideo: async () => true,
      predictTurnEnd: () => Promise.reject(new Error("the model is missing")),
      transcribe: async ({ samples }, owner, signal) => {
        bench.transcribed.push(`${samples.length} samples of ${owner}`);
        // As a recogniser that has much to do.
        await new Promise((resolve) => signal?.addEventListener("abort", resolve));
        bench.transcribed.push("cancelled");
        throw signal?.reason;
      },
    },
    onUsage: ({ cpuCores }) => bench.told.push(cpuCores),
    logger,
    hasCapacity: () => true,
    ...options,
  });
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

/** The job of a session with a program that does this. */
function jobOf(does: string, apiUrl: string): JobDescription {
  const texts = { system_prompt: "", voice_id: "F1", language: "en", model: "essence-2", room_name: "room" };
  return {
    ...texts,
    avatar_session_id: does,
    agent_code: null,
    agent_name: does.split(".")[0],
    livekit_url: "ws://127.0.0.1:9",
    livekit_token: "join",
    beat_interval_s: 0.05,
    imx_url: `${apiUrl}/model`,
    imx_sha256: createHash("sha256").update(AVATAR).digest("hex"),
    portrait_url: null,
    conversation: false,
    open_segments: [],
  };
}

t.test("a session outlives a process that dies, and is given up when its processes keep dying", async (t) => {
  await withBench({}, async (bench) => {
    bench.pool.start();
    const once = bench.session("crash-once");
    t.equal(await once.session.accept(), true);
    once.session.run(CONTROL_ROOM);
    const firstPid = once.session.pid;
    await waitFor(() => bench.of("crash").length === 1, "the crash");
    await waitFor(() => once.session.pid !== firstPid, "the next process");
    t.same(once.ended, [], "the session goes on");
    await waitFor(() => bench.events.some(({ path }) => path === "beat"), "a heartbeat while the next process starts");
    const heartbeat = { seq: 1, served_seconds: 1 };
    t.match(bench.events.find(({ path }) => path === "beat")!, { token: "token-1", body: heartbeat });
    await once.session.end("worker_draining");
    t.same(once.ended, ["worker_draining"]);
    const opened = { type: "opened", renderedBy: "runtime", sessionId: "crash-once" };
    t.same(bench.of("opened"), [opened, opened], "what each process told of its avatar, with the session");
    t.equal(bench.of("live").length, 1, "it went live once, whatever happened then");
    t.equal(bench.countOf("job"), 1, "its processes share what the worker fetched");

    bench.happened = [];
    const doomed = bench.session("crash");
    await doomed.session.accept();
    doomed.session.run(CONTROL_ROOM);
    await waitFor(() => bench.events.some(({ body }) => body.event === "ended"), "the api learns of it");
    t.equal(bench.of("crash").length, 4);
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
  await withBench({ hasCapacity: () => false }, async (bench) => {
    const lingering = bench.session("linger");
    await lingering.session.accept();
    lingering.session.run(CONTROL_ROOM);
    await waitFor(() => bench.of("left").length === 1, "the avatar has left");
    t.match(bench.of("vacancy"), [{ isVacant: true }], "its room was vacant before");
    t.same(lingering.ended, [], "its process is still there");
    await lingering.session.end("worker_draining");

    const dying = bench.session("leave-crash");
    await dying.session.accept();
    dying.session.run(CONTROL_ROOM);
    await waitFor(() => bench.events.some(({ body }) => body.event === "ended"), "the api learns of the end");
    t.match(bench.events.find(({ body }) => body.event === "ended")?.body, { reason: "last_user_left" });
    t.same([bench.of("crash"), dying.ended], [[], ["last_user_left"]]);
  });
});

t.test("a session that loses its process in a vacant room takes its slot again", async (t) => {
  await withBench({ hasCapacity: () => false }, async (bench) => {
    const { session } = bench.session("crash-once");
    await session.accept();
    session.run(CONTROL_ROOM);
    await waitFor(() => bench.of("crash").length === 1, "the crash");
    t.match(bench.of("vacancy"), [{ isVacant: false }], "its next process looks who is there");
    await session.end("worker_draining");
  });
});

t.test("sessions speak with the voice of their worker", { timeout: 90_000 }, async (t) => {
  await withBench({ hasCapacity: () => false }, async (bench) => {
    const speak = async () => {
      const { session } = bench.session("speak");
      await session.accept();
      session.run(CONTROL_ROOM);
      return session;
    };
    const sessions = await Promise.all([speak(), speak()]);
    await waitFor(() => bench.told.length === 4, "both to have spoken");
    const counts = bench.told.filter((count) => count !== 0);
    t.ok(counts.length === 2 && counts.every((count) => count > 5_000), `a word of audio: ${counts}`);
    await bench.synthesizer.close();
    sessions.push(await speak());
    await waitFor(() => bench.told.includes(-1), "an error");
    await Promise.all(sessions.map((session) => session.end("worker_draining")));
  });
});

t.test("the worker stops a task that its session cancels, and says why it has failed at one", async (t) => {
  await withBench({ hasCapacity: () => false }, async (bench) => {
    const { session } = bench.session("transcribe");
    await session.accept();
    session.run(CONTROL_ROOM);
    await waitFor(() => bench.told.length === 3, "both answers");
    t.same(bench.told.slice(1), [-408, -500], "a recogniser that was too slow; a model that is missing");
    await waitFor(() => bench.transcribed.length === 2, "the worker stops it");
    t.same(bench.transcribed, ["160000 samples of transcribe", "cancelled"]);
    await session.end("worker_draining");
  });
});

t.test("a session that ends, or that the api has cancelled, leaves no process", async (t) => {
  await withBench({ hasCapacity: () => false }, async (bench) => {
    const { session, ended } = bench.session("end");
    await session.accept();
    session.run(CONTROL_ROOM);
    await waitFor(() => ended.length === 1, "the end");
    t.same(ended, ["last_user_left"]);
    await session.end("worker_draining");
    t.same(ended, ["last_user_left"], "an end is told once");

    bench.status = 409;
    const cancelled = bench.session("stay");
    t.equal(await cancelled.session.accept(), false);
    t.same(cancelled.ended, ["no_capacity"]);
    cancelled.session.run(CONTROL_ROOM);
    t.equal(cancelled.session.pid, undefined, "no process is started for it");
    bench.status = 503;
    const unreachable = bench.session("stay");
    t.equal(await unreachable.session.accept(), true, "an api that cannot be reached may still want it");
    unreachable.session.withdraw();
    t.same(unreachable.ended, ["no_capacity"]);
  });
});

t.test("one process is kept ready, and made ready only while the machine has capacity", async (t) => {
  let hasCapacity = true;
  let questions = 0;
  const ask = () => {
    questions += 1;
    return hasCapacity;
  };
  await withBench({ hasCapacity: ask }, async ({ pool, of, told, session: start }) => {
    pool.start();
    await waitFor(() => pool.readyCount === 1, "the first");
    hasCapacity = false;
    const first = start("stay");
    first.session.run(CONTROL_ROOM);
    t.equal(pool.readyCount, 0, "it was taken");
    const second = start("stay");
    second.session.run(CONTROL_ROOM);
    t.not(second.session.pid, first.session.pid, "without one that is ready, a session gets a new process");
    await waitFor(() => of("live").length === 2, "both are live");
    t.match(
      of("live"),
      [
        { wasReady: true, startMs: Number },
        { wasReady: false, startMs: Number },
      ],
      "the worker is told how the session got its process",
    );
    questions = 0;
    await waitFor(() => questions > 0, "the pool asks for capacity");
    t.equal(pool.readyCount, 0, "no capacity, no process");
    hasCapacity = true;
    await waitFor(() => pool.readyCount === 1, "the next");
    const third = start("stay");
    third.session.run(CONTROL_ROOM);
    await waitFor(() => of("live").length === 3, "the third is live");
    t.same(told, [0, 0, AVATAR.length], "a process that waits opens the avatar that was shown last");
    await Promise.all([first, second, third].map(({ session }) => session.end("ended_by_api")));
    t.same([...first.ended, ...second.ended, ...third.ended], Array(3).fill("ended_by_api"));
  });
});

t.test("job and avatar are fetched while the worker accepts, and a session may end meanwhile", async (t) => {
  await withBench({ hasCapacity: () => false }, async (bench) => {
    const { session, ended } = bench.session("stay");
    await session.accept();
    await waitFor(() => bench.countOf("model") === 1, "the avatar, before the assignment");
    session.run(CONTROL_ROOM);
    await session.end("ended_by_api");
    t.same(ended, ["ended_by_api"], "with a process that may not have its task yet");

    bench.status = 404;
    const gone = bench.session("stay");
    gone.session.run(CONTROL_ROOM);
    await waitFor(() => gone.ended.length === 1, "the end of a session without a job");
    t.same(gone.ended, ["ended_by_api"]);
  });
});

t.test(
  "four sessions that viewers render share a process, and one that renders video keeps it to itself",
  async (t) => {
    await withBench({ hasCapacity: () => false }, async (bench) => {
      const pidOf = ({ session }: BenchSession) => session.pid;
      const four = [];
      for (const name of ["stay.1", "stay.2", "stay.3", "stay.4"]) four.push(await bench.light(name));
      const fifth = await bench.light("stay.5");
      const streamed = bench.session("stay.6");
      streamed.session.run(CONTROL_ROOM);
      t.same(new Set(four.map(pidOf)).size, 1);
      const pids = [four[0], fifth, streamed].map(pidOf);
      t.equal(new Set(pids).size, 3, "the fifth has another one, and a streamed session one of its own");
      await waitFor(() => bench.of("live").length === 6, "all are live");

      await four[0].session.end("ended_by_api");
      t.same(
        four.map(({ ended }) => ended.length),
        [1, 0, 0, 0],
        "the end of one is not that of the others",
      );
      const next = await bench.light("video.1");
      t.equal(pidOf(next), pidOf(four[1]), "the slot is free again, and the fullest process is taken first");
      await waitFor(() => bench.of("video").length === 1, "video");
      const [, second] = four;
      await second.session.end("ended_by_api");
      const late = await bench.light("stay.7");
      t.equal(pidOf(late), pidOf(fifth), "no session joins a process that renders video");
      await next.session.end("ended_by_api");
      const last = await bench.light("stay.8");
      t.equal(pidOf(last), pidOf(four[2]), "until that session has ended");
      const pid = pidOf(last)!;
      await Promise.all([four[2], four[3], last].map(({ session }) => session.end("ended_by_api")));
      t.throws(() => process.kill(pid, 0), "a process exits with its last session");
    });
  },
);

t.test(
  "a crash ends the sessions of one process, and the one that causes it does not end others for long",
  async (t) => {
    await withBench({}, async (bench) => {
      const other = await bench.light("stay.1");
      await waitFor(() => bench.of("live").length === 1, "the other is live");
      await other.session.end("ended_by_api");
      bench.happened = [];
      const neighbours = [await bench.light("stay.2"), await bench.light("stay.3"), await bench.light("stay.4")];
      const culprit = await bench.light("crash");
      await waitFor(() => culprit.ended.length === 1, "the culprit is given up");
      t.same(culprit.ended, ["worker_lost"]);
      await waitFor(() => neighbours.every(({ session }) => session.pid !== undefined), "the neighbours");
      const crashesOf = (name: string) => bench.of("crash").filter(({ sessionId }) => sessionId === name).length;
      t.equal(crashesOf("crash"), 4);
      t.same(["stay.2", "stay.3", "stay.4"].map(crashesOf), [2, 2, 2], "then each has a process of its own");
      t.same(
        neighbours.flatMap(({ ended }) => ended),
        [],
      );
      t.equal(new Set(neighbours.map(({ session }) => session.pid)).size, 3);
    });
  },
);

t.test("a session that fails to begin ends nothing else; its successor is not in the same process", async (t) => {
  await withBench({ hasCapacity: () => false }, async (bench) => {
    const steady = await bench.light("stay");
    const failing = await bench.light("fail");
    t.equal(failing.session.pid, steady.session.pid);
    const before = steady.session.pid;
    await waitFor(() => failing.ended.length === 1, "it is given up");
    t.same([failing.ended, bench.of("crash").length], [["worker_lost"], 4]);
    t.same([steady.ended, steady.session.pid], [[], before]);
  });
});

t.test("a shared process with a session that does not end goes with its last session", async (t) => {
  await withBench({ hasCapacity: () => false, stopTimeoutMs: 300 }, async (bench) => {
    const stuck = await bench.light("stuck");
    const steady = await bench.light("stay");
    const pid = stuck.session.pid!;
    await waitFor(() => bench.of("live").length === 2, "both are live");
    await stuck.session.end("ended_by_api");
    t.same([stuck.ended, steady.ended], [["ended_by_api"], []], "the worker has given it up, and the other goes on");
    t.ok(process.kill(pid, 0));
    const next = await bench.light("stay.2");
    t.not(next.session.pid, pid, "no other session joins it");
    await steady.session.end("ended_by_api");
    t.throws(() => process.kill(pid, 0), "it is killed");
  });
});

t.test("a shared process is replaced after its number of sessions", async (t) => {
  await withBench({ hasCapacity: () => false, mostSessions: 2 }, async (bench) => {
    const [first, second, third] = [
      await bench.light("stay.1"),
      await bench.light("stay.2"),
      await bench.light("stay.3"),
    ];
    t.equal(first.session.pid, second.session.pid);
    t.not(third.session.pid, first.session.pid);
    await waitFor(() => bench.of("live").length === 3, "all are live");
    await first.session.end("ended_by_api");
    const fourth = await bench.light("stay.4");
    t.equal(fourth.session.pid, third.session.pid);
  });
});
