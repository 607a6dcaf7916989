// Portraits of photo sessions: kept while the session runs, deleted with its end.
import { BackgroundLoop } from "../../kernel/background-loop.ts";
import type { BackgroundService } from "../../kernel/module.ts";
import type { ObjectStorage } from "../../kernel/storage/object-storage.ts";
import type { SessionServices } from "../session-services.ts";
import type { AvatarSession } from "./avatar-session.ts";
import { forgetPortrait } from "./avatar-session-store.ts";
import { listKeptPortraits } from "./session-queries.ts";

const SWEEP_INTERVAL_MS = 60_000;
const SWEEP_BATCH = 100;

type PortraitServices = Pick<SessionServices, "database" | "storage" | "logger">;

/** Stores the portrait of a session that is about to be admitted and returns its key. */
export async function storePortrait(storage: ObjectStorage, sessionId: string, portrait: Uint8Array): Promise<string> {
  return (await storage.put(`session-portraits/${sessionId}`, portrait)).key;
}

/** Deletes the portrait of a session that has ended or was withdrawn. Never throws: the sweep tries again. */
export async function deletePortrait(
  { database, storage, logger }: PortraitServices,
  { id, portraitKey }: Pick<AvatarSession, "id" | "portraitKey">,
): Promise<void> {
  if (portraitKey === null) return;
  try {
    await storage.delete(portraitKey);
    await forgetPortrait(database, id);
  } catch (error) {
    logger.warn({ err: error, avatarSessionId: id }, "session portrait not deleted");
  }
}

/** Deletes, every minute, portraits that are still stored although their session has ended. */
export function createPortraitSweep(services: PortraitServices): BackgroundService {
  return new BackgroundLoop({
    name: "session portraits",
    intervalMs: SWEEP_INTERVAL_MS,
    logger: services.logger,
    async work() {
      for (const kept of await listKeptPortraits(services.database, SWEEP_BATCH)) await deletePortrait(services, kept);
    },
  });
}
