// From an agent's portrait to the `.imx` of one model, in object storage.
import { ServiceError } from "../../shared/errors.ts";
import type { ModelFamily } from "../../shared/models.ts";
import type { Agent } from "./agent.ts";
import type { AgentServices } from "./agent-services.ts";

/** Bakes a model and stores its file. Nothing is written to the database: run again, it makes another file and the row decides
 *  which counts. `onProgress` gets shares from 0 to 1. Throws the picture's ServiceError or the process's own error. */
export async function bakeModel(
  services: Pick<AgentServices, "storage" | "gallery" | "baker">,
  agent: Agent,
  family: ModelFamily,
  onProgress: (share: number) => void = () => undefined,
): Promise<{ key: string; sha256: string; sizeBytes: number }> {
  const { imx } = await services.baker.bake(
    { ...(await bakeSource(services, agent)), family, aspectRatio: agent.aspectRatio },
    onProgress,
  );
  return services.storage.put(artifactKey(agent, family), imx);
}

/** A bundled portrait is baked from the original with its exact points; any other from what was stored. */
async function bakeSource(services: Pick<AgentServices, "storage" | "gallery">, agent: Agent) {
  if (agent.galleryId) {
    const { bytes, points } = await services.gallery.load(agent.galleryId);
    const style = services.gallery.entries.find(({ id }) => id === agent.galleryId)?.style ?? null;
    return { bytes, points, style };
  }
  if (!agent.portraitKey) throw new ServiceError("MODEL_PREREQUISITE_MISSING", `Agent ${agent.code} has no portrait`);
  return { bytes: await services.storage.readAll(agent.portraitKey), points: null, style: null };
}

/** One name per agent, revision and model: a repeated bake replaces its own file. The row id keeps it from being guessed. */
function artifactKey(agent: Agent, family: ModelFamily): string {
  return `models/${agent.id}-${agent.revision}-${family}.imx`;
}
