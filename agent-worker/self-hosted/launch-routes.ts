// The launch endpoints of a self-hosted worker, beside its health endpoints.
import type { IncomingMessage, ServerResponse } from "node:http";
import { addressKey } from "../../program/http/address-key.ts";
import { drain } from "../../program/http/drain.ts";
import { toErrorAnswer } from "../../program/http/error-answer.ts";
import { RequestSlots } from "../../program/http/request-slots.ts";
import type { Logger } from "../../program/log.ts";
import { isServiceError, ServiceError } from "../../shared/errors.ts";
import type { Access, Caller } from "./access.ts";
import { credentialOf } from "./credential.ts";
import type { FaceProbes } from "./faces/face-probes.ts";
import { type LaunchForm, type LaunchFormOptions, readLaunchForm } from "./launch-form.ts";
import type { LaunchJobs } from "./launch-jobs.ts";
import { type Task, type TaskList, viewTask } from "./task-list.ts";

/** Both take both forms: clients use the one that they know. */
const LAUNCH_PATHS = ["/launch", "/v1/runtime-tokens/request"];
const TASK_PATH = /^\/tasks\/([^/]{1,100})(\/stop)?$/;
/** Bodies of launches that are received at the same time; each has at most 14 MB. */
const MAX_BODIES = 8;
/** Of these, bodies of one account, or of one network address while the account is not known. */
const MAX_BODIES_OF_ONE = 2;
const BODY_TIMEOUT_MS = 10_000;
/** Secrets that are checked with the service at the same time. */
const MAX_CHECKS = 32;

export interface LaunchRoutesOptions {
  access: Access;
  jobs: Pick<LaunchJobs, "assertReady" | "assertAccepted" | "launch" | "stop">;
  tasks: Pick<TaskList, "find" | "list">;
  probes: FaceProbes;
  form: LaunchFormOptions;
  /** The worker's own secret, for launches without a credential. */
  secret: string | undefined;
  logger: Logger;
  /** How long a body may take, ms. Default 10,000. */
  bodyTimeoutMs?: number;
}

interface Answer {
  status: number;
  body: object | Uint8Array;
}

const launchSlots = (most: number, mostPerOwner: number): RequestSlots =>
  new RequestSlots({
    most,
    mostPerOwner,
    refusal: "Too many launches arrive at the same time. Try again.",
    retryAfterSeconds: 1,
  });

export class LaunchRoutes {
  readonly #options: LaunchRoutesOptions;
  readonly #checks = launchSlots(MAX_CHECKS, MAX_BODIES_OF_ONE);
  /** Slow strangers cannot take the slots of callers with a checked secret. */
  readonly #strangers = launchSlots(MAX_BODIES, MAX_BODIES_OF_ONE);
  readonly #accounts = launchSlots(MAX_BODIES, MAX_BODIES_OF_ONE);
  readonly #operator = launchSlots(MAX_BODIES, MAX_BODIES);

  constructor(options: LaunchRoutesOptions) {
    this.#options = options;
  }

  /** Answers a request. Returns false for other paths. Never rejects. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { pathname: path, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const handler = this.#handlerOf(request, path, searchParams);
    if (handler === null) return false;
    try {
      send(response, await handler());
    } catch (error) {
      this.#refuse(error, response);
    } finally {
      drain(request);
    }
    return true;
  }

  #handlerOf(request: IncomingMessage, path: string, query: URLSearchParams): (() => Promise<Answer>) | null {
    const { access, tasks } = this.#options;
    const route = `${request.method} ${path}`;
    if (request.method === "POST" && LAUNCH_PATHS.includes(path)) return () => this.#launch(request);
    if (route === "GET /tasks") {
      return async () => {
        const caller = access.read(request);
        return ok({
          tasks: tasks
            .list()
            .filter((task) => isOf(task, caller))
            .map(viewTask),
        });
      };
    }
    const [, id, isStop] = TASK_PATH.exec(path) ?? [];
    if (id !== undefined && request.method === (isStop ? "POST" : "GET")) {
      return async () => this.#task(access.read(request), id, isStop !== undefined);
    }
    if (route === "POST /benchmark") return () => this.#benchmark(request, query.get("iterations"));
    if (route === "GET /test-frame") return () => this.#testFrame(request, query);
    return null;
  }

  async #launch(request: IncomingMessage): Promise<Answer> {
    const { access, jobs, secret } = this.#options;
    const caller = access.read(request, true);
    jobs.assertReady();
    const form = await this.#receive(request, caller);
    const payer = form.apiSecret === null ? caller : access.of(form.apiSecret);
    // Without a credential only programs of this machine come here with the worker's own secret.
    if (payer.credential === null) access.read(request);
    const value = payer.credential ?? secret;
    if (value === undefined) {
      throw new ServiceError("MISSING_AUTH", "This worker has no AVATAR_API_SECRET. Send a token or secret that pays.");
    }
    const task = await jobs.launch({ form, credential: credentialOf(value), owner: payer.owner });
    const status = form.isAsync ? "pending" : task.status;
    return ok({ status, task_id: task.id, room_name: task.roomName });
  }

  /** The form of a launch. A secret in a header is checked before the body is received; a launch token is used up by
   *  its check, so its caller is a stranger until then. */
  async #receive(request: IncomingMessage, { credential, owner }: Caller): Promise<LaunchForm> {
    const read = (): Promise<LaunchForm> => this.#readInTime(request);
    if (owner === null) return this.#operator.run("", read);
    const address = addressKey(request.socket.remoteAddress ?? "");
    const given = credential === null ? null : credentialOf(credential);
    if (given?.kind !== "secret") return this.#strangers.run(address, read);
    await this.#checks.run(address, () => this.#options.jobs.assertAccepted(given));
    return this.#accounts.run(owner, read);
  }

  async #readInTime(request: IncomingMessage): Promise<LaunchForm> {
    const { form, bodyTimeoutMs = BODY_TIMEOUT_MS } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      const error = new ServiceError("VALIDATION_ERROR", `The body did not arrive within ${bodyTimeoutMs / 1000} s.`);
      timer = setTimeout(() => reject(error), bodyTimeoutMs);
    });
    const reading = readLaunchForm(request, form);
    // The connection is closed after a timeout, which ends this read.
    reading.catch(() => undefined);
    return Promise.race([reading, timeout]).finally(() => clearTimeout(timer));
  }

  #task(caller: Caller, id: string, isStop: boolean): Answer {
    const { jobs, tasks } = this.#options;
    const task = tasks.find(id);
    if (!task || !isOf(task, caller)) throw new ServiceError("NOT_FOUND", `No task has the id ${id.slice(0, 100)}`);
    if (isStop) jobs.stop(task);
    const { status } = task;
    // The avatar leaves within a second; its slot is free then.
    const isStopping = isStop && (status === "pending" || status === "running");
    return ok(isStop ? { ...viewTask(task), status: isStopping ? "cancelled" : status } : viewTask(task));
  }

  async #benchmark(request: IncomingMessage, iterations: string | null): Promise<Answer> {
    const { access, probes } = this.#options;
    access.assertOperator(access.read(request));
    return ok(await probes.benchmark(iterations));
  }

  async #testFrame(request: IncomingMessage, query: URLSearchParams): Promise<Answer> {
    const { access, probes } = this.#options;
    access.assertOperator(access.read(request));
    const code = query.get("avatar_id") || query.get("agent_id");
    return { status: 200, body: await probes.testFrame(code) };
  }

  #refuse(error: unknown, response: ServerResponse): void {
    const { logger } = this.#options;
    if (!isServiceError(error)) logger.error({ err: error }, "request of the launch server failed");
    const shown = isServiceError(error)
      ? error
      : new ServiceError("INTERNAL_ERROR", "The worker could not answer. Its log says why.");
    const { status, headers, body } = toErrorAnswer(shown);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    // Older clients of these containers read `detail`.
    send(response, { status, body: { ...body, detail: shown.message } });
  }
}

/** The operator of the worker sees all tasks, others those of their own credential. */
function isOf(task: Task, { owner }: Caller): boolean {
  return owner === null || task.owner === owner;
}

function ok(body: object): Answer {
  return { status: 200, body };
}

function send(response: ServerResponse, { status, body }: Answer): void {
  const isJpeg = body instanceof Uint8Array;
  const bytes = isJpeg ? body : Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    "content-type": isJpeg ? "image/jpeg" : "application/json",
    "content-length": bytes.length,
    "cache-control": "no-store",
  });
  response.end(bytes);
}
