// Beginning an avatar session: admitted, dispatched, and taken by a worker; or admitted for a machine of the caller's own.
import { setTimeout as delay } from "node:timers/promises";
import type { Transaction } from "kysely";
import { ServiceError } from "../../../shared/errors.ts";
import type { EndReason } from "../../../shared/runtime-api.ts";
import type { Tables } from "../../kernel/database/database.ts";
import type { TextSeal } from "../../kernel/tokens/sealed-text.ts";
import type { AvatarSession } from "../avatar-session.ts";
import { findAvatarSession, releaseLaunchToken, updateAvatarSession } from "../avatar-session-store.ts";
import type { SessionChanges } from "../session-changes.ts";
import type { SessionServices } from "../session-services.ts";
import { type AdmissionRequest, admit } from "./admission.ts";

const ACCEPTANCE_POLL_MS = 60;
/** What a launch that found no worker is told to wait. */
const CAPACITY_RETRY_AFTER_SECONDS = 5;

/** What admission is told by the installation, not by a request. */
type InstallationFacts = Pick<AdmissionRequest, "pausedModels" | "offeredModels" | "links" | "now">;

export type LaunchRequest = Omit<
  AdmissionRequest,
  keyof InstallationFacts | "sealedLivekitToken" | "hasImage" | "isSelfHosted"
> & {
  /** The caller's join token for the avatar. */
  livekitToken: string;
  /** The face of a photo session, checked to be a picture. */
  image: Uint8Array | null;
};

export type SelfHostedRequest = Pick<AdmissionRequest, "account" | "secretId" | "agentCode" | "model"> & {
  host: string;
};

export interface Launcher {
  /** Admits and dispatches a session, or returns the one that a repeated request already started; resolves once a worker has taken
   *  it. Throws the contract's refusals, and SERVICE_UNAVAILABLE when no worker could be asked for or none has room: then nothing
   *  is left behind. */
  launch(request: LaunchRequest): Promise<AvatarSession>;
  /** Admits a session that the caller runs on a machine of its own. */
  startSelfHosted(request: SelfHostedRequest): Promise<AvatarSession>;
}

export interface LauncherOptions {
  services: SessionServices;
  changes: SessionChanges;
  seal: TextSeal;
}

export function createLauncher({ services, changes, seal }: LauncherOptions): Launcher {
  const { database, links, offeredModels, storage, config } = services;
  const { change, closeControlRoom, enterEnded, sendWorker } = changes;
  const facts = (): InstallationFacts => ({
    ...{ pausedModels: config.AVATAR_PAUSED_MODELS, offeredModels, links },
    now: new Date(services.now()),
  });

  /** Ends a session whose launch is refused after all: the caller may come again with the same launch token. */
  async function takeBack(transaction: Transaction<Tables>, session: AvatarSession, reason: EndReason): Promise<void> {
    await enterEnded(transaction, session, reason);
    await releaseLaunchToken(transaction, session.id);
  }

  /** Resolves when a worker has taken the first dispatch of a session. A session that none takes in time is ended, and the caller
   *  told: it would otherwise hold a slot and wait for a face that never comes. Throws SERVICE_UNAVAILABLE. */
  async function untilAccepted(session: AvatarSession): Promise<void> {
    if (session.acceptedAt !== null || session.status === "live" || session.dispatchNumber > 1) return;
    const deadlineMs = performance.now() + services.policies.acceptance.timeoutMs;
    while (performance.now() < deadlineMs) {
      const current = await findAvatarSession(database, session.id);
      if (!current || current.status === "ended") throw noCapacity();
      if (current.acceptedAt !== null) return;
      await delay(ACCEPTANCE_POLL_MS);
    }
    const isEnded = await change(session.id, async (transaction, current) => {
      if (current.status !== "starting" || current.acceptedAt !== null) return current.status === "ended";
      await takeBack(transaction, current, "no_capacity");
      return true;
    });
    if (!isEnded) return;
    await closeControlRoom(session.id);
    throw noCapacity();
  }

  return {
    async launch(request) {
      const { image, livekitToken, ...rest } = request;
      const admission = await admit(
        database,
        {
          ...rest,
          isSelfHosted: false,
          hasImage: image !== null,
          sealedLivekitToken: seal.seal(livekitToken),
          ...facts(),
        },
        async (id) => (image === null ? null : (await storage.put(`session-portraits/${id}`, image)).key),
      );
      const { session, isNew } = admission;
      if (isNew) {
        try {
          await sendWorker(session);
        } catch (error) {
          await change(session.id, (transaction, current) => takeBack(transaction, current, "worker_lost"));
          throw error;
        }
      }
      await untilAccepted(session);
      return session;
    },

    async startSelfHosted({ host, ...request }) {
      const admission = await admit(
        database,
        {
          ...request,
          mode: "self_hosted",
          isSelfHosted: true,
          hasImage: false,
          hasConversation: false,
          livekitUrl: "",
          roomName: "",
          avatarIdentity: host,
          launchTokenId: null,
          sealedLivekitToken: null,
          ...facts(),
        },
        async () => null,
      );
      return change(admission.session.id, async (transaction, session) => {
        const patch = { status: "live" as const, liveAt: new Date(services.now()) };
        await updateAvatarSession(transaction, session.id, patch);
        return { ...session, ...patch };
      });
    },
  };
}

function noCapacity(): ServiceError {
  return new ServiceError(
    "SERVICE_UNAVAILABLE",
    "No avatar worker has room for another session right now. Try again.",
    {
      retryAfterSeconds: CAPACITY_RETRY_AFTER_SECONDS,
    },
  );
}
