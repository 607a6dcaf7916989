// The sessions that this worker has launched, and those that have ended not long ago.

/** `pending`: the avatar is on its way into its room; `running`: it is there; `completed`: it has left as it should;
 *  `failed`: something has ended it, see `error`; `cancelled`: it was stopped. */
export type TaskStatus = "pending" | "running" | "completed" | "failed" | "cancelled";

export interface Task {
  readonly id: string;
  readonly roomName: string;
  readonly prompt: string;
  readonly createdAt: Date;
  /** Fingerprint of the credential that launched it; null for the worker's own. */
  readonly owner: string | null;
  /** The session's id at the service, by which its usage names it; null until it was begun. */
  sessionId: string | null;
  /** The model that is billed; null until the session was begun. */
  model: string | null;
  status: TaskStatus;
  completedAt: Date | null;
  error: string | null;
}

export interface TaskListOptions {
  /** How long a task is listed after its end, ms. */
  retentionMs: number;
  /** Most tasks that are listed after their end; the oldest give way. */
  maxEnded: number;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** In the order of their launches. Tasks that run are always listed. */
export class TaskList {
  readonly #options: TaskListOptions;
  readonly #tasks = new Map<string, Task>();

  constructor(options: TaskListOptions) {
    this.#options = options;
  }

  add(task: Task): void {
    this.#tasks.set(task.id, task);
    this.#forget();
  }

  remove(task: Task): void {
    this.#tasks.delete(task.id);
  }

  find(id: string): Task | null {
    this.#forget();
    return this.#tasks.get(id) ?? null;
  }

  list(): Task[] {
    this.#forget();
    return [...this.#tasks.values()];
  }

  #forget(): void {
    const { retentionMs, maxEnded, now } = this.#options;
    const since = now() - retentionMs;
    const ended = [...this.#tasks.values()].filter((task) => task.completedAt !== null);
    for (const [index, task] of ended.entries()) {
      const isOld = task.completedAt !== null && task.completedAt.getTime() < since;
      if (isOld || ended.length - index > maxEnded) this.#tasks.delete(task.id);
    }
  }
}

/** A task as `/tasks` shows it. */
export function viewTask(task: Task) {
  return {
    task_id: task.id,
    room_name: task.roomName,
    status: task.status,
    created_at: task.createdAt.toISOString(),
    completed_at: task.completedAt?.toISOString() ?? null,
    error: task.error,
    prompt: task.prompt,
    session_id: task.sessionId,
    model: task.model,
  };
}
