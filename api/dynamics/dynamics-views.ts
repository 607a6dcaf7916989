// Agents' gestures as their owners read them.
import { z } from "zod";
import { GESTURES, isGestureName } from "../../shared/gesture-names.ts";
import { languageOf } from "../../src/speech/languages/languages.ts";
import { artifactFilename } from "../agents/models/model-download.ts";
import { type Agent, isDynamicsEnabled, speechOf } from "../agents/record/agent.ts";
import { type FileLinks, MODEL_LINK_SECONDS } from "../kernel/storage/file-links.ts";
import { clipKey, type Dynamics, hasGestures, ownModels } from "./dynamics.ts";

export const dynamicsSchema = z
  .object({
    url: z.string().nullable(),
    status: z.enum(["processing", "generating", "ready", "failed"]),
    agent_id: z.string(),
    gestures: z.record(z.string(), z.string()),
    descriptions: z.record(z.string(), z.string()),
    cues: z.record(z.string(), z.array(z.string())),
    enabled: z.boolean(),
    duration: z.number().nullable(),
    progress: z.number(),
    error_message: z.string().nullable(),
  })
  .meta({ id: "Dynamics" });

/** The record, with newly signed links. Links to clips do not expire. `dynamics`: null before the first order. */
export function viewDynamics(
  agent: Agent,
  dynamics: Dynamics | null,
  fileLinks: FileLinks,
): z.infer<typeof dynamicsSchema> {
  const isMade = hasGestures(dynamics, agent);
  const actions = isMade ? dynamics.actions : [];
  // A run of an earlier face says nothing about this one.
  const current = dynamics?.revision === agent.revision ? dynamics : null;
  const [model] = ownModels(agent);
  const link = (action: string) =>
    fileLinks.linkTo(clipKey(agent.id, isMade ? dynamics.madeRun : 0, action), {
      expiresInSeconds: null,
      filename: `${action}.mp4`,
    });
  return {
    url:
      isMade && model
        ? fileLinks.linkTo(model.key, {
            expiresInSeconds: MODEL_LINK_SECONDS,
            filename: artifactFilename(agent.code, model.family),
          })
        : null,
    status: current?.status ?? "ready",
    agent_id: agent.code,
    gestures: Object.fromEntries(actions.map((action) => [action, link(action)])),
    descriptions: Object.fromEntries(actions.filter(isGestureName).map((action) => [action, GESTURES[action].sight])),
    cues: Object.fromEntries(
      (languageOf(speechOf(agent).language)?.cues ?? []).map(([gesture, words]) => [gesture, words.split("|")]),
    ),
    enabled: isDynamicsEnabled(agent),
    duration: isMade ? dynamics.madeSeconds : null,
    progress: current === null || current.status === "ready" ? 1 : Math.round(current.progress * 100) / 100,
    error_message: current?.status === "failed" ? current.errorMessage : null,
  };
}
