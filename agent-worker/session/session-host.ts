// The avatar sessions of one process: one, or several that viewers render. A fault of one ends only that one; they
// share the thread, the runtime and its weights, and one measurement of the machine's load.
import { createLogger, type Logger } from "../../program/log.ts";
import { pacedEngine } from "../../room/playout/paced-engine.ts";
import type { EndReason } from "../../shared/runtime-api.ts";
import { createEngine } from "../../src/face/engine/create-engine.ts";
import { MachineLoad } from "../capacity/machine-load.ts";
import { WorkerTasks } from "../tasks/worker-tasks.ts";
import { AvatarAhead } from "./avatar-ahead.ts";
import { CpuShares } from "./cpu-shares.ts";
import type { PreparedProcess } from "./prepare-process.ts";
import { runSession } from "./run-session.ts";
import type { AvatarFile, MessageFromProcess, SessionTask } from "./session-messages.ts";

/** Time over which sessions look at the machine's load, ms: long enough that a garbage collection does not count,
 *  short enough that the frame rate follows the load. */
const LOAD_SPAN_MS = 1200;

interface HostedSession {
  tasks: WorkerTasks;
  /** Ends it; undefined until it has begun. */
  end?(reason: EndReason): void;
  /** Why it must end; kept until it has begun. */
  endReason?: EndReason;
}

export interface SessionHostOptions {
  /** Sessions begin when it has resolved. */
  prepared: Promise<PreparedProcess>;
  /** Sends a message to the worker. */
  tellWorker(message: MessageFromProcess): void;
  /** The last session has ended. Called again when that happens again. */
  onEmpty(): void;
}

export class SessionHost {
  readonly #options: SessionHostOptions;
  readonly #sessions = new Map<string, HostedSession>();
  readonly #machine = new MachineLoad(LOAD_SPAN_MS);
  readonly #cpu = new CpuShares();
  #ahead: AvatarAhead | undefined;
  #logger: Logger | undefined;

  constructor(options: SessionHostOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#sessions.size === 0;
  }

  /** The tasks of a session; undefined once it has ended. */
  tasksOf(sessionId: string): WorkerTasks | undefined {
    return this.#sessions.get(sessionId)?.tasks;
  }

  /** Opens the avatar that the first session will probably have, once everything is loaded. */
  async openAhead(file: AvatarFile): Promise<void> {
    const { runtime, rendering, lipSyncModel } = await this.#options.prepared;
    // Not on a GPU: sessions need its memory.
    if (rendering.provider !== "cpu") return;
    this.#ahead = new AvatarAhead(file, {
      runtime: rendering,
      createEngine: (avatar) => createEngine({ avatar, runtime, lipSyncModel, ...pacedEngine() }),
    });
  }

  /** Runs the session, and tells the worker how it ended. Never rejects. */
  async run(task: SessionTask): Promise<void> {
    const { prepared, tellWorker, onEmpty } = this.#options;
    const sessionId = task.metadata.avatar_session_id;
    const session: HostedSession = {
      tasks: new WorkerTasks({
        send: (request) => tellWorker({ type: "task", request }),
        cancel: (id) => tellWorker({ type: "cancel-task", sessionId, id }),
      }),
    };
    if (this.isEmpty) this.#machine.start();
    this.#sessions.set(sessionId, session);
    const loaded = await prepared;
    this.#logger ??= createLogger({ ...loaded.config.log, name: "agent-worker" });
    const logger = this.#logger.child({ avatarSessionId: sessionId });
    try {
      const reason = await runSession(task, {
        prepared: loaded,
        ahead: this.#ahead,
        tasks: session.tasks,
        cpu: this.#cpu,
        freeCores: () => this.#machine.freeCores(),
        logger,
        tellWorker,
        whenTold: (end) => {
          session.end = end;
          if (session.endReason !== undefined) end(session.endReason);
        },
      });
      tellWorker({ type: "ended", sessionId, reason });
    } catch (error) {
      logger.error({ err: error }, "avatar session failed to begin");
      session.tasks.close();
      tellWorker({ type: "failed", sessionId });
    }
    this.#sessions.delete(sessionId);
    if (!this.isEmpty) return;
    this.#machine.close();
    onEmpty();
  }

  /** Ends a session for this reason, unless another was given before. */
  end(sessionId: string, reason: EndReason): void {
    const session = this.#sessions.get(sessionId);
    if (!session) return;
    session.endReason ??= reason;
    session.end?.(session.endReason);
  }

  endAll(reason: EndReason): void {
    for (const sessionId of this.#sessions.keys()) this.end(sessionId, reason);
  }
}
