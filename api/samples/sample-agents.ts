// Samples as agents: every account may show one in its rooms without making an agent first.
import { ServiceError } from "../../shared/errors.ts";
import type { AgentServices } from "../agents/agent-services.ts";
import type { GalleryEntry } from "../agents/portraits/gallery.ts";
import type { Agent } from "../agents/record/agent.ts";
import { enqueueSample, RETRY_AFTER_SECONDS, SAMPLE_FAMILY, sampleCode, sampleKey } from "./sample-avatars.ts";

/** The sample of this code as an agent that no account owns; null if there is none. Throws SERVICE_UNAVAILABLE while
 *  its file is being made. */
export type FindSampleAgent = (code: string) => Promise<Agent | null>;

export function createFindSampleAgent(
  services: Pick<AgentServices, "gallery" | "storage" | "database">,
): FindSampleAgent {
  const { gallery, storage, database } = services;
  return async (code) => {
    const entry = gallery.entries.find((candidate) => sampleCode(candidate) === code);
    if (!entry) return null;
    const bytes = await storage.sizeOf(sampleKey(entry));
    if (bytes !== null) return toAgent(entry, bytes);
    await enqueueSample(database, entry);
    throw new ServiceError("SERVICE_UNAVAILABLE", `The file of ${code} is still being made. Try again in a moment.`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  };
}

function toAgent(entry: GalleryEntry, bytes: number): Agent {
  const made = new Date(0);
  return {
    id: sampleCode(entry),
    userId: "",
    code: sampleCode(entry),
    name: entry.name,
    isNamed: true,
    description: "",
    prompt: "",
    systemPrompt: "",
    greeting: "",
    language: "en",
    gender: entry.gender,
    subject: entry.kind,
    model: SAMPLE_FAMILY,
    isAutoModel: false,
    voiceId: entry.voice,
    aspectRatio: "1:1",
    framing: "portrait",
    transparency: false,
    imageUrl: null,
    imageKey: null,
    galleryId: entry.id,
    portraitKey: null,
    portraitSize: null,
    faceMarks: null,
    suggestedFaceMarks: null,
    voiceSampleUrl: null,
    voiceSampleKey: null,
    voiceCharacter: null,
    revision: 0,
    waitingSince: null,
    status: "ready",
    progress: 1,
    progressMessage: "",
    currentStep: "done",
    eventType: "",
    errorMessage: null,
    createdAt: made,
    updatedAt: made,
    clipKey: null,
    deletedAt: null,
    purgedAt: null,
    dynamics: {},
    providers: {},
    localRendering: "allowed",
    emotion: null,
    manner: null,
    models: [
      {
        family: SAMPLE_FAMILY,
        state: "ready",
        reason: null,
        credits: 0,
        chargeReference: "",
        artifactKey: sampleKey(entry),
        artifactSha256: null,
        artifactBytes: bytes,
        replacedKey: null,
      },
    ],
    draft: null,
    draftModels: [],
  };
}
