// Launches on this machine as the jobs of its worker: each is checked, admitted by the account's service, given its
// face, and offered to the worker like a dispatched one.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../program/log.ts";
import { ServiceError } from "../../shared/errors.ts";
import { DEVICES, resolveModel } from "../../shared/models.ts";
import {
  type EndReason,
  type JobDescription,
  MAX_SELF_HOSTED_SECONDS,
  type WorkerProvider,
} from "../../shared/runtime-api.ts";
import { RIG_GENERATOR_VERSION } from "../../src/face/rig/generator-version.ts";
import { DEFAULT_LANGUAGE } from "../../src/speech/languages/languages.ts";
import { DEFAULT_VOICE_ID } from "../../src/speech/voice/voice-catalogue.ts";
import type { JobListener, JobSource } from "../service/job-source.ts";
import { type AccountService, type BegunSession, ServiceAwayError } from "./account-service.ts";
import { type Credential, fingerprintOf } from "./credential.ts";
import { type BundleStore, hashOf } from "./faces/bundle-store.ts";
import type { FaceWorkshop } from "./faces/face-workshop.ts";
import type { LaunchForm, LaunchImage } from "./launch-form.ts";
import { LaunchedSession } from "./launched-session.ts";
import type { LocalRuntime } from "./local-runtime.ts";
import { MeteredSession } from "./metered-session.ts";
import type { ServiceContact } from "./service-contact.ts";
import type { Task, TaskList } from "./task-list.ts";

/** Between the reports of a session's process to this one; what a crash can lose. */
const LOCAL_HEARTBEAT_S = 2;
/** How long a launch waits for its avatar, if its caller does. */
const LIVE_TIMEOUT_MS = 60_000;
/** How long the end of this worker waits for its last reports. */
const LAST_REPORTS_MS = 3_000;
const FULL_RETRY_AFTER_SECONDS = 5;
/** How long a launch waits for a slot; an avatar may be leaving its room. */
const SLOT_TIMEOUT_MS = 3_000;
const SLOT_POLL_MS = 100;
/** Launches that wait for a slot, each with an image of at most 10 MB. */
const MAX_WAITING = 8;

export interface LaunchJobsOptions {
  service: AccountService;
  contact: Pick<ServiceContact, "isReachable" | "noteAway">;
  runtime: LocalRuntime;
  bundles: BundleStore;
  workshop: Pick<FaceWorkshop, "bake">;
  tasks: TaskList;
  /** The face of launches that name none. */
  defaultFace(): Promise<Uint8Array>;
  /** Fetches an image of a caller under the guard. */
  fetchImage(url: string): Promise<Uint8Array>;
  providers: readonly WorkerProvider[];
  /** Sessions that the worker can take beside those it holds; 0 while it is not ready. */
  freeSlots(): number;
  /** Name of this machine, for the account's usage. */
  host: string;
  /** Names this installation: 32 characters. */
  installId: string;
  idleTimeoutMs: number;
  logger: Logger;
}

export interface LaunchRequest {
  form: LaunchForm;
  credential: Credential;
  /** Null for the worker's own credential. */
  owner: string | null;
}

/** What makes two launches the same session. */
interface Launching {
  face: string;
  owner: string | null;
  session: Promise<LaunchedSession>;
}

export class LaunchJobs implements JobSource {
  readonly #options: LaunchJobsOptions;
  /** By server, room and identity, until they have ended. */
  readonly #launches = new Map<string, Launching>();
  /** By task id. */
  readonly #sessions = new Map<string, LaunchedSession>();
  /** Ends that the service may not know yet. */
  readonly #reporting = new Set<LaunchedSession>();
  #listener: JobListener | undefined;
  /** Launches that hold a slot and are not offered to the worker yet. */
  #preparing = 0;
  /** Launches that wait for a slot. */
  #waiting = 0;
  #isClosed = false;

  constructor(options: LaunchJobsOptions) {
    this.#options = options;
  }

  /** The worker that takes the jobs. Once. */
  attach(listener: JobListener): this {
    this.#listener = listener;
    return this;
  }

  get isReady(): boolean {
    return !this.#isClosed && this.#options.contact.isReachable;
  }

  start(): void {
    this.#listener?.onReady();
  }

  reportLoad(): void {
    // Launches read the free slots when they come.
  }

  reportEnd(jobId: string, reason: EndReason): void {
    this.#sessions.get(jobId)?.finish(reason);
  }

  /** Waits for the last reports, three seconds at most. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#reporting].map((session) => session.reported(LAST_REPORTS_MS)));
  }

  /** Starts a session, or finds the one that a repeated launch has started: the same server, room and identity by the
   *  same credential. Resolves once the worker has it; with `isAsync: false` in the form, once it is live or has ended.
   *  Throws the refusals of the service, VALIDATION_ERROR for an image, CONFLICT for another face or credential in
   *  the same room, and SERVICE_UNAVAILABLE without a free slot. A refused launch leaves nothing behind. */
  async launch({ form, credential, owner }: LaunchRequest): Promise<Task> {
    const key = [form.livekitUrl, form.roomName, form.avatarIdentity].join("\n");
    const face = faceOf(form);
    let launching = this.#launches.get(key);
    if (launching && (launching.face !== face || launching.owner !== owner)) {
      throw new ServiceError(
        "CONFLICT",
        "Another avatar already runs in this room with this identity. Stop its task first.",
      );
    }
    if (!launching) {
      launching = { face, owner, session: this.#begin(key, form, credential, owner) };
      this.#launches.set(key, launching);
      launching.session.catch(() => this.#launches.delete(key));
    }
    const session = await launching.session;
    if (!form.isAsync) await this.#untilLive(session);
    return session.task;
  }

  /** Ends the session of a task; one that has ended stays as it is. */
  stop(task: Task): void {
    this.#sessions.get(task.id)?.stop();
  }

  async #begin(key: string, form: LaunchForm, credential: Credential, owner: string | null): Promise<LaunchedSession> {
    const { contact } = this.#options;
    this.#assertDevice(form);
    await this.#takeSlot();
    try {
      const session = await this.#prepare(key, form, credential, owner);
      return await this.#offer(key, session);
    } catch (error) {
      if (error instanceof ServiceAwayError) contact.noteAway();
      throw error;
    } finally {
      this.#preparing -= 1;
    }
  }

  /** Throws SERVICE_UNAVAILABLE while no launch can be taken. Before a launch is read: its times can be checked by the
   *  service's clock alone. */
  assertReady(): void {
    const { contact } = this.#options;
    if (this.#isClosed) throw unavailable("This worker is stopping.");
    if (!contact.isReachable) throw unavailable("This worker is initializing: it cannot reach its service yet.");
  }

  /** Throws what the service says to a secret that it does not accept. */
  async assertAccepted(credential: Credential): Promise<void> {
    const { service, installId, contact } = this.#options;
    const request = { agentCode: null, roomName: null, livekitUrl: null, fingerprint: installId };
    try {
      await service.exchange(credential, request);
    } catch (error) {
      if (error instanceof ServiceAwayError) contact.noteAway();
      throw error;
    }
  }

  /** Waits for a free slot and holds it as `#preparing`. Throws SERVICE_UNAVAILABLE after some seconds, or at once if
   *  too many launches wait. */
  async #takeSlot(): Promise<void> {
    const { freeSlots } = this.#options;
    const untilMs = performance.now() + SLOT_TIMEOUT_MS;
    const isFull = () => freeSlots() - this.#preparing <= 0;
    this.assertReady();
    if (isFull() && this.#waiting >= MAX_WAITING) throw atCapacity();
    this.#waiting += 1;
    try {
      while (isFull()) {
        if (performance.now() >= untilMs) throw atCapacity();
        await delay(SLOT_POLL_MS);
        this.assertReady();
      }
      this.#preparing += 1;
    } finally {
      this.#waiting -= 1;
    }
  }

  #assertDevice({ model }: LaunchForm): void {
    const { providers } = this.#options;
    const pinned = (model && resolveModel(model)?.provider) || "cpu";
    if (pinned === "cpu" || providers.includes(pinned)) return;
    throw unavailable(`This machine has no ${DEVICES[pinned]}. Use the model without its suffix.`);
  }

  async #prepare(
    key: string,
    form: LaunchForm,
    credential: Credential,
    owner: string | null,
  ): Promise<LaunchedSession> {
    const { service, host, installId, tasks } = this.#options;
    const { agentCode, model, roomName, livekitUrl } = form;
    // The agent of a launch token is known to the service.
    const hasImage = form.image !== null || (agentCode === null && credential.kind === "secret");
    const exchange = { agentCode, roomName, livekitUrl, fingerprint: installId };
    const token = await service.exchange(credential, exchange);
    // Baking takes seconds of a processor, so the service admits the session first.
    const begun = await service.begin(token, { agentCode, model, hasImage, host, installId });
    const task: Task = {
      id: randomUUID(),
      roomName,
      prompt: form.prompt,
      owner,
      sessionId: begun.id,
      model: begun.model,
      createdAt: new Date(),
      status: "pending",
      completedAt: null,
      error: null,
    };
    try {
      const described = await service.describe(token, begun.id);
      const imx = hasImage ? await this.#imageFace(form.image) : await this.#agentFace(token, begun, described);
      const session = new LaunchedSession({
        task,
        jobId: task.id,
        job: this.#jobOf(described, form),
        imx,
        meter: (options) =>
          new MeteredSession({
            service,
            begun,
            token,
            logger: this.#options.logger.child({ avatarSessionId: begun.id }),
            // A launch token is exchanged once.
            renew: credential.kind === "secret" ? () => service.exchange(credential, exchange) : null,
            ...options,
          }),
        cancel: (jobId, reason) => this.#listener?.onCancelled(jobId, reason),
        onEnded: (ended) => this.#forget(key, ended),
        now: () => new Date(),
        logger: this.#options.logger,
      });
      tasks.add(task);
      return session;
    } catch (error) {
      await this.#giveUp(token, begun);
      throw error;
    }
  }

  async #offer(key: string, session: LaunchedSession): Promise<LaunchedSession> {
    const { runtime, tasks, logger } = this.#options;
    const { task, jobId: id } = session;
    this.#sessions.set(id, session);
    const metadata = JSON.stringify(runtime.add(session));
    if (!this.#isClosed && (await this.#listener?.onOffer({ id, metadata }))) {
      this.#listener?.onAssigned({ id, metadata, controlRoom: null });
      logger.info({ taskId: id, avatarSessionId: task.sessionId, roomName: task.roomName }, "avatar launched");
      return session;
    }
    session.finish("no_capacity");
    tasks.remove(task);
    this.#forget(key, session);
    throw atCapacity();
  }

  #forget(key: string, session: LaunchedSession): void {
    this.#launches.delete(key);
    this.#sessions.delete(session.jobId);
    this.#options.runtime.remove(session);
    this.#reporting.add(session);
    void session.whenReported().then(() => this.#reporting.delete(session));
  }

  async #untilLive(session: LaunchedSession): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LIVE_TIMEOUT_MS);
    });
    await Promise.race([session.settled, timeout]);
    clearTimeout(timer);
    const { status, error } = session.task;
    if (status !== "failed" && status !== "cancelled") return;
    throw new ServiceError("UPSTREAM_UNAVAILABLE", error ?? "The session was stopped before its avatar was live.");
  }

  async #imageFace(image: LaunchImage | null): Promise<Uint8Array> {
    const { workshop, fetchImage, defaultFace } = this.#options;
    if (image === null) return defaultFace();
    return workshop.bake({ bytes: image.kind === "bytes" ? image.bytes : await fetchImage(image.url) });
  }

  /** The agent's file; for a model without a file, one that is baked from its portrait. */
  async #agentFace(token: string, begun: BegunSession, described: JobDescription): Promise<Uint8Array> {
    const { service, bundles, workshop } = this.#options;
    if (described.imx_url === null) {
      const portrait = await service.fetchFile(token, begun.id, "portrait");
      const key = `${RIG_GENERATOR_VERSION} ${hashOf(portrait)}`;
      return bundles.remember(key, () => workshop.bake({ bytes: portrait }));
    }
    const download = () => service.fetchFile(token, begun.id, "model");
    const { imx_sha256: sha256 } = described;
    return sha256 ? bundles.get(sha256, download) : download();
  }

  #jobOf(described: JobDescription, form: LaunchForm): JobDescription {
    return {
      ...described,
      voice_id: described.voice_id || DEFAULT_VOICE_ID,
      language: described.language || DEFAULT_LANGUAGE,
      livekit_url: form.livekitUrl,
      livekit_token: form.livekitToken,
      room_name: form.roomName,
      beat_interval_s: LOCAL_HEARTBEAT_S,
      duration_limit_s: MAX_SELF_HOSTED_SECONDS,
      idle_timeout_s: this.#options.idleTimeoutMs / 1000,
      conversation: false,
      is_hosted: false,
      listen: form.listens,
      providers: null,
      open_segments: [],
    };
  }

  /** A session that was begun and will not be served: nothing was served, so nothing is billed. */
  async #giveUp(token: string, begun: BegunSession): Promise<void> {
    await this.#options.service.stop(token, begun.id, 0).catch((error: unknown) => {
      // The service ends a session that never reports by itself.
      this.#options.logger.debug({ err: error, avatarSessionId: begun.id }, "refused session not stopped");
    });
  }
}

/** The face of a launch, in a form that can be compared and shows no image. */
function faceOf({ agentCode, model, image }: LaunchForm): string {
  const shown = image === null ? null : image.kind === "url" ? image.url : hashOf(image.bytes);
  return fingerprintOf(JSON.stringify([agentCode, model, shown]));
}

function atCapacity(): ServiceError {
  return unavailable("This worker is at capacity. Try again later.");
}

function unavailable(message: string): ServiceError {
  return new ServiceError("SERVICE_UNAVAILABLE", message, { retryAfterSeconds: FULL_RETRY_AFTER_SECONDS });
}
