// Starts avatar sessions: admits and dispatches them and waits for a worker.

import { NO_SPAN, type Span, type SpanKind, withSpan } from "../../../program/telemetry/tracer.ts";
import { isServiceError } from "../../../shared/errors.ts";
import type { TextSeal } from "../../kernel/tokens/sealed-text.ts";
import { SESSION_CHANNEL, type SessionMachine } from "../life/session-machine.ts";
import { type AvatarSession, wasServed } from "../record/avatar-session.ts";
import { findAvatarSession } from "../record/avatar-session-store.ts";
import { deletePortrait, storePortrait } from "../record/session-portraits.ts";
import { findVacant, type VacantScope } from "../record/session-queries.ts";
import type { SessionServices } from "../session-services.ts";
import type { WorkerControl } from "../workers/worker-control.ts";
import { admit, assertAdmissible, newSessionId } from "./admission.ts";
import type { Admission } from "./entry-rules.ts";
import type { Launch } from "./launch.ts";
import { noCapacity } from "./no-capacity.ts";
import { createSlotQueue, type QueuedLaunch } from "./slot-queue.ts";
import { SlotsTakenError } from "./slots-taken.ts";

export interface Launcher {
  /** Admits and dispatches a session, or finds the one that a repeated request has started; resolves once a worker has
   *  accepted it. Throws the contract's refusals, and SERVICE_UNAVAILABLE if no worker could be dispatched or none
   *  accepted in time. A refused launch leaves nothing behind. */
  launch(launch: Launch): Promise<AvatarSession>;
}

/** A dispatch needs this long to reach a worker, and to be reported, ms. */
const LEAST_WAIT_MS = 500;

/** Vacant sessions that a launch tries to end before it gives up: each may be in use again. */
const MOST_VACANT_TRIED = 4;

export interface LauncherOptions {
  services: SessionServices;
  machine: SessionMachine;
  workers: WorkerControl;
  seal: TextSeal;
}

/** For a span: the code of an error, never its message. */
function typeOfError(error: unknown): string {
  return isServiceError(error) ? error.code : "INTERNAL_ERROR";
}

export function createLauncher({ services, machine, workers, seal }: LauncherOptions): Launcher {
  const { database, livekit, notifications, policies, sessionMetrics, tracer, logger } = services;

  /** Ends the session that has waited longest for its user to return. Its worker is told afterwards: it gives the slot
   *  to the next job by itself, too. */
  async function endVacant(scope: VacantScope): Promise<boolean> {
    for (let attempt = 0; attempt < MOST_VACANT_TRIED; attempt++) {
      const id = await findVacant(database, scope);
      if (id === null) return false;
      const hasEnded = await machine.hold(id, async (held) => {
        // Its user may be back.
        if (held.session.vacantSince === null || !held.can("end")) return false;
        await held.end("last_user_left");
        return true;
      });
      if (!hasEnded) continue;
      void workers.dismiss(id, "last_user_left", true).then(() => workers.closeControlRoom(id));
      return true;
    }
    return false;
  }

  const queue = createSlotQueue({ notifications, policy: policies.waiting, endVacant });

  /** Throws as the admission would; a vacant session counts as a free slot. */
  async function assertVacancy(launch: Launch): Promise<void> {
    try {
      await assertAdmissible(services, launch);
    } catch (error) {
      if (!(error instanceof SlotsTakenError) || (await findVacant(database, error.scope)) === null) throw error;
    }
  }

  /** Stores the portrait before the admission's transaction, which locks the account; deletes it if it is not needed
   *  after all. */
  async function admitWithPortrait(launch: Launch, image: Uint8Array | null, queued: QueuedLaunch): Promise<Admission> {
    const id = newSessionId();
    const portraitKey = image === null ? null : await storePortrait(services.storage, id, image);
    let isNew = false;
    try {
      const admission = await queue.whenFree(queued, () =>
        admit(services, machine, launch, { id, portraitKey, sealedLivekitToken: seal.seal(launch.livekitToken) }),
      );
      isNew = admission.isNew;
      return admission;
    } finally {
      if (!isNew) await deletePortrait(services, { id, portraitKey });
    }
  }

  /** Withdraws a launch that no worker has accepted. Returns whether the session has ended or is removed. */
  async function withdraw(id: string): Promise<boolean> {
    try {
      return await machine.hold(id, async (held) => {
        if (held.can("withdraw")) {
          await held.withdraw();
          return true;
        }
        return held.session.status === "ended";
      });
    } catch (error) {
      // Another request for the same launch has withdrawn it.
      if (isServiceError(error) && error.code === "NOT_FOUND") return true;
      throw error;
    }
  }

  /** Dispatches a launch again that LiveKit has given to no worker: it asks the workers of one node alone, and drops a
   *  dispatch that all of them reject. Never throws: another attempt or the refusal follows. */
  async function dispatchAgain(id: string): Promise<void> {
    try {
      if (await livekit.isTaken(id)) return;
      const untaken = await machine.hold(id, async (held) => {
        if (held.session.acceptedAt !== null || !held.can("handOver")) return null;
        await held.handOver();
        return held.session;
      });
      if (untaken === null) return;
      // A worker that answers late must not run the session beside the next one.
      await workers.closeControlRoom(id);
      await workers.dispatch(untaken);
    } catch (error) {
      logger.warn({ err: error, avatarSessionId: id }, "launch not dispatched again");
    }
  }

  /** Waits for a worker to accept the session; undefined after `timeoutMs`. */
  function waitForWorker(id: string, timeoutMs: number): Promise<"accepted" | "gone" | undefined> {
    return notifications.waitFor({ channel: SESSION_CHANNEL, payload: id, timeoutMs }, async () => {
      const current = await findAvatarSession(database, id);
      if (!current || current.status === "ended") return "gone";
      return current.acceptedAt !== null || wasServed(current) ? "accepted" : undefined;
    });
  }

  /** Resolves when a worker has accepted the session. `isNew`: it is dispatched again meanwhile. If none accepts in
   *  time, the session is withdrawn; otherwise it would hold a slot, and its room would wait for an avatar. Throws
   *  SERVICE_UNAVAILABLE. */
  async function untilAccepted({ id }: AvatarSession, isNew: boolean): Promise<void> {
    const { timeoutMs, retryMs = timeoutMs } = policies.acceptance;
    const deadlineMs = performance.now() + timeoutMs;
    let outcome = await waitForWorker(id, isNew ? Math.min(retryMs, timeoutMs) : timeoutMs);
    while (outcome === undefined && deadlineMs - performance.now() > LEAST_WAIT_MS) {
      await dispatchAgain(id);
      outcome = await waitForWorker(id, Math.max(0, Math.min(retryMs, deadlineMs - performance.now())));
    }
    if (outcome === "accepted") return;
    if (outcome === undefined && !(await withdraw(id))) return;
    if (outcome === undefined) await workers.closeControlRoom(id);
    throw noCapacity();
  }

  async function start(launch: Launch): Promise<AvatarSession> {
    const { readImage, span = NO_SPAN } = launch;
    const part = <T>(name: string, work: (child: Span) => Promise<T>, kind?: SpanKind): Promise<T> => {
      const child = tracer.start(name, { parent: span.context, kind });
      return withSpan(child, () => work(child), typeOfError);
    };
    // Before an image is fetched and inspected, which costs far more than these few queries.
    const queued: QueuedLaunch = { userId: launch.account.userId, waitedMs: 0 };
    if (readImage !== null) await queue.whenFree(queued, () => assertVacancy(launch));
    const image = readImage === null ? null : await readImage();
    const { session, isNew } = await part("session.admit", () => admitWithPortrait(launch, image, queued));
    span.set({ "avatar.session.id": session.id, "avatar.model": session.model, "avatar.launch.is_new": isNew });
    if (isNew) {
      try {
        await part("session.dispatch", ({ context }) => workers.dispatch(session, context), "producer");
      } catch (error) {
        // The worker has accepted: the dispatch arrived, and only its answer was lost.
        if (await withdraw(session.id)) throw error;
      }
    }
    await part("session.await_worker", () => untilAccepted(session, isNew));
    return session;
  }

  return { launch: (launch) => sessionMetrics.countLaunch(start(launch)) };
}
