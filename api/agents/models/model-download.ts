// Finds the file of a model download.
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import { MODEL_CATALOGUE, type ModelFamily } from "../../../shared/models.ts";
import { assertNotDeleted } from "../agent-access.ts";
import { type Agent, generatedModels } from "../record/agent.ts";
import { needsLightModel } from "./light-model.ts";
import { assertGenerated } from "./model-availability.ts";

export interface ModelFile {
  family: ModelFamily;
  key: string;
  filename: string;
  /** Of the file, hex; null for files of early versions. */
  sha256: string | null;
}

/** Where a model file can be downloaded. */
const downloadSchema = z
  .object({
    code: z.string(),
    model: z.string(),
    filename: z.string(),
    url: z.string(),
    expires_in: z.int(),
    sha256: z.string().nullable().meta({ description: "SHA-256 of the file, hex; null if it is not known" }),
  })
  .meta({ id: "ModelDownload" });

/** The JSON answer of a download with `redirect=false`. */
export const modelDownloadAnswer = z.object({
  success: z.literal(true),
  data: downloadSchema,
});

/** Approximate duration of a bake. */
const RETRY_AFTER_SECONDS = 5;

/** Filename endings that identify a family; all others are `.imx`. Source: the contract's artifact names. */
const FILE_ENDINGS: Partial<Record<ModelFamily, string>> = {
  "essence-2-light": "lebundle.imx",
  "essence-2-quality": "pkl",
  "expression-2": "avatar",
};

/** Filename for the download of a model. The format is `.imx`, whatever the ending. */
export function artifactFilename(agentCode: string, family: ModelFamily): string {
  return `${agentCode}.${FILE_ENDINGS[family] ?? "imx"}`;
}

/** The file of an agent's model. Throws AGENT_DELETED, AGENT_PURGED, MODEL_NOT_DOWNLOADABLE, MODEL_ARTIFACT_NOT_READY
 *  while it is being made, and MODEL_NOT_GENERATED or MODEL_NOT_OFFERED if the agent does not have it. */
export function requireModelFile(agent: Agent, family: ModelFamily, offered: readonly ModelFamily[]): ModelFile {
  assertNotDeleted(agent);
  if (!MODEL_CATALOGUE[family].hasArtifact) {
    throw new ServiceError("MODEL_NOT_DOWNLOADABLE", `${family} is rendered in the cloud and has no file to download`);
  }
  const model = agent.models.find((entry) => entry.family === family);
  if (model?.state === "pending" || needsLightModel(agent, family)) {
    throw new ServiceError(
      "MODEL_ARTIFACT_NOT_READY",
      `The ${family} file of agent ${agent.code} is still being generated. Try again later.`,
      {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      },
    );
  }
  assertGenerated(agent.code, family, generatedModels(agent), offered);
  if (!model?.artifactKey)
    throw new ServiceError("MODEL_ARTIFACT_NOT_READY", "The file is not published yet. Try again later.");
  const filename = artifactFilename(agent.code, family);
  return { family, key: model.artifactKey, filename, sha256: model.artifactSha256 };
}
