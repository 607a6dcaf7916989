// Finds the portrait of an agent that is being created: the owner's image, one generated from the prompt, or one of the
// gallery.
import { isServiceError } from "../../../shared/errors.ts";
import { MODEL_CATALOGUE } from "../../../shared/models.ts";
import type { AgentServices } from "../agent-services.ts";
import { checkFor, type StoredPortrait, storePortrait } from "../portraits/portrait-store.ts";
import type { Agent } from "../record/agent.ts";
import type { AgentPatch } from "../record/agent-rows.ts";
import { generatePortrait } from "./generate-portrait.ts";
import type { Gender, Subject } from "./persona.ts";

/** An image model sometimes returns an image with no face, or with two. */
const GENERATE_ATTEMPTS = 2;

export interface FoundPortrait {
  /** The portrait, and the voice and gender that go with it. */
  patch: AgentPatch;
  /** Whether an owner's image shows a photographed person; false if it was not inspected. */
  isPerson: boolean;
}

/** Uses the image given at submit, else generates one, else chooses one of the gallery. Throws if the owner's image is
 *  refused. If the image model fails, logs that and uses the
 *  gallery. */
export async function findPortrait(services: AgentServices, agent: Agent, signal: AbortSignal): Promise<FoundPortrait> {
  if (agent.portraitKey) return { patch: {}, isPerson: false };
  const owned = await storeOwnersImage(services, agent);
  if (owned) return { patch: toPatch(owned), isPerson: owned.isPerson };
  const generated = await tryToGenerate(services, agent, signal);
  const patch = generated ? toPatch(generated) : await chooseFromGallery(services, agent);
  return { patch, isPerson: false };
}

/** The image that the request left to the job, or that was fetched; null if the request had no image. */
async function storeOwnersImage(services: AgentServices, agent: Agent): Promise<StoredPortrait | null> {
  const { userId, imageKey } = agent;
  if (imageKey === null) return null;
  const check = checkFor(agent.isAutoModel ? "auto" : agent.model);
  return storePortrait(services, await services.storage.readAll(imageKey), check, { userId });
}

async function tryToGenerate(
  services: AgentServices,
  agent: Agent,
  signal: AbortSignal,
): Promise<StoredPortrait | null> {
  if (services.painter === null) return null;
  const mustBePerson = MODEL_CATALOGUE[agent.model].humanOnly;
  const description = { ...agent, mustBePerson, isTransparent: agent.transparency };
  for (let attempt = 1; attempt <= GENERATE_ATTEMPTS; attempt++) {
    try {
      return await storePortrait(
        services,
        await generatePortrait(services.painter, description, signal),
        checkFor(agent.model),
        { userId: agent.userId },
      );
    } catch (error) {
      services.logger.warn(
        { err: error, agentCode: agent.code, attempt },
        "portrait could not be generated from the prompt",
      );
      if (!isServiceError(error) || signal.aborted) break;
    }
  }
  return null;
}

async function chooseFromGallery(services: AgentServices, agent: Agent): Promise<AgentPatch> {
  const entry = services.gallery.choose({
    prompt: agent.prompt,
    gender: agent.gender as Gender,
    mustBePerson: MODEL_CATALOGUE[agent.model].humanOnly,
    subject: agent.subject as Subject,
  });
  const { bytes } = await services.gallery.load(entry.id);
  return {
    ...toPatch(await storePortrait(services, bytes, "none", { userId: agent.userId })),
    galleryId: entry.id,
    subject: entry.kind,
    gender: entry.gender,
    // The voice that belongs to the face, unless a voice sample decides.
    ...(agent.voiceCharacter === null && { voiceId: entry.voice }),
  };
}

function toPatch({ key, size }: StoredPortrait): AgentPatch {
  return { portraitKey: key, portraitSize: size };
}
