// The objects that belong to an agent.
import type { Logger } from "../../../program/log.ts";
import type { ObjectStorage } from "../../kernel/storage/object-storage.ts";
import { type Agent, type AgentContent, type AgentModel, withDraft } from "./agent.ts";

/** Keys of all objects of an agent, with those of its draft. */
export function fileKeys(agent: Agent): string[] {
  const clip = agent.clipKey === null ? [] : [agent.clipKey];
  return [...keysOf(agent), ...clip, ...draftFileKeys(agent)];
}

/** Keys of the objects of an agent's draft. */
export function draftFileKeys(agent: Agent): string[] {
  return agent.draft === null ? [] : keysOf(withDraft(agent));
}

/** Keys of an agent's own objects, without its draft's. */
export function keysOf(content: AgentContent & { models: AgentModel[] }): string[] {
  const { portraitKey, imageKey, voiceSampleKey, models } = content;
  const modelKeys = models.flatMap(({ artifactKey, replacedKey }) => [artifactKey, replacedKey]);
  const keys = [portraitKey, imageKey, voiceSampleKey, ...modelKeys];
  return keys.filter((key) => key !== null);
}

/** Removes objects that are no longer referred to. Never throws: an object that cannot be removed is logged and stays.
 *  */
export async function deleteFiles(
  { storage, logger }: { storage: ObjectStorage; logger: Logger },
  keys: readonly string[],
): Promise<void> {
  for (const key of keys) {
    await storage.delete(key).catch((error: unknown) => {
      logger.warn({ err: error, key }, "file of an agent could not be removed");
    });
  }
}
