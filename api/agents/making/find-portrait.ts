// The picture of an agent in the making: its owner's, one made from words, or one of the bundled gallery.
import { isServiceError } from "../../../shared/errors.ts";
import { MODEL_CATALOGUE } from "../../../shared/models.ts";
import type { Agent } from "../agent.ts";
import type { AgentPatch } from "../agent-rows.ts";
import type { AgentServices } from "../agent-services.ts";
import { checkFor, fetchAndStorePortrait, type StoredPortrait, storePortrait } from "../portraits/portrait-store.ts";
import { generatePortrait } from "./generate-portrait.ts";
import type { Gender, Subject } from "./persona.ts";

/** A maker of pictures sometimes draws no face, or two. */
const PAINT_ATTEMPTS = 2;

/** The picture given at submit, else fetched now, else made, else chosen, with the voice and gender that go with it. Throws what fetching
 *  throws and what is wrong with an owner's picture; a maker of pictures that fails is done without, and logged. */
export async function findPortrait(services: AgentServices, agent: Agent, signal: AbortSignal): Promise<AgentPatch> {
  if (agent.portraitKey) return {};
  if (agent.imageUrl) return toPatch(await fetchAndStorePortrait(services, agent.imageUrl, agent.model));
  const painted = await paintPortrait(services, agent, signal);
  return painted ? toPatch(painted) : chooseFromGallery(services, agent);
}

async function paintPortrait(
  services: AgentServices,
  agent: Agent,
  signal: AbortSignal,
): Promise<StoredPortrait | null> {
  if (services.painter === null) return null;
  const mustBePerson = MODEL_CATALOGUE[agent.model].humanOnly;
  const wish = { ...agent, mustBePerson, isTransparent: agent.transparency };
  for (let attempt = 1; attempt <= PAINT_ATTEMPTS; attempt++) {
    try {
      return await storePortrait(
        services,
        await generatePortrait(services.painter, wish, signal),
        checkFor(agent.model),
      );
    } catch (error) {
      services.logger.warn({ err: error, agentCode: agent.code, attempt }, "portrait was not made from words");
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
    ...toPatch(await storePortrait(services, bytes, "none")),
    galleryId: entry.id,
    subject: entry.kind,
    gender: entry.gender,
    // The voice that goes with the face, unless a sample asks for another.
    ...(agent.voicePitchHz === null && { voiceId: entry.voice }),
  };
}

function toPatch({ key, size }: StoredPortrait): AgentPatch {
  return { portraitKey: key, portraitSize: size };
}
