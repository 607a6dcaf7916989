// Routes of an agent's models: add one, download its file.
import type { Readable } from "node:stream";
import { z } from "zod";
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import type { ModelDownloadCaller, SecretCaller } from "../../accounts/caller.ts";
import { Answer, redirectTo } from "../../kernel/http/answer.ts";
import { asksForJson } from "../../kernel/http/asks-for-json.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import { MODEL_LINK_SECONDS } from "../../kernel/storage/file-links.ts";
import { agentNotFound, requireOwnAgent } from "../agent-access.ts";
import type { AgentServices } from "../agent-services.ts";
import type { Agent } from "../record/agent.ts";
import { findAgentByCode } from "../record/agent-store.ts";
import { addModel } from "./add-model.ts";
import { needsLightModel, orderLightModel } from "./light-model.ts";
import { requireModel } from "./model-availability.ts";
import { chooseAddedModel } from "./model-choice.ts";
import { type ModelFile, modelDownloadAnswer, requireModelFile } from "./model-download.ts";

const codeParams = z.object({ code: z.string() });

/** The routes. */
export function modelRoutes(services: AgentServices): Route[] {
  const { database, fileLinks, offeredModels, storage } = services;

  /** The agent of a file that the caller may download. Deleted ones count, so that the owner gets AGENT_DELETED. */
  async function agentOf(caller: SecretCaller | ModelDownloadCaller, code: string): Promise<Agent> {
    if (caller.kind === "model-download" && caller.agentCode !== code) {
      throw new ServiceError("FORBIDDEN", "This token was minted for another agent");
    }
    const agent = await findAgentByCode(database, code);
    if (!agent || agent.userId !== caller.account.userId) throw agentNotFound(code);
    return agent;
  }

  /** The essence-2 file. The contract prescribes 404 for every refusal of this route. */
  async function selfHostedFile(caller: SecretCaller | ModelDownloadCaller, code: string): Promise<ModelFile> {
    try {
      return requireModelFile(await agentOf(caller, code), "essence-2", offeredModels);
    } catch (error) {
      if (!isServiceError(error) || error.code === "MODEL_ARTIFACT_NOT_READY") throw error;
      throw new ServiceError("NOT_FOUND", `No essence-2 model file found for agent code: ${code}`, { cause: error });
    }
  }

  return [
    route({
      method: "post",
      path: "/v1/agent/:code/models",
      operation: "models.add",
      tier: "write",
      auth: "secret",
      summary: "Add a model to an agent; a repeated request charges nothing",
      description:
        "No model needs the identity video (video_url), and an agent without a voice gets one. So MODEL_PREREQUISITE_MISSING is answered only to an agent without a face image.",
      tags: ["Agents"],
      params: codeParams,
      body: z.object({ model: z.string().nullish() }),
      example: { body: { model: "expression-1" } },
      response: z.object({
        success: z.literal(true),
        agent_id: z.string(),
        model: z.string(),
        status: z.enum(["processing", "ready"]),
        credits: z.int(),
        supported_models: z.array(z.string()),
        message: z.string(),
      }),
      errors: [
        "MISSING_PARAM",
        "MODEL_NOT_OFFERED",
        "NOT_FOUND",
        "AGENT_NOT_READY",
        "MODEL_PREREQUISITE_MISSING",
        "MODEL_SUBJECT_MISMATCH",
        "IMAGE_FACE_UNSUITABLE",
        "SERVICE_UNAVAILABLE",
        "MODEL_NOT_YET_AVAILABLE",
        "INSUFFICIENT_BALANCE",
        "ACCOUNT_SUSPENDED",
      ],
      async handler({ params, body, caller, request }) {
        if (!body.model) throw new ServiceError("MISSING_PARAM", "model is required");
        const family = chooseAddedModel(body.model, offeredModels);
        const agent = await requireOwnAgent(database, caller.account, params.code);
        const { account, secretId } = caller;
        const { signal } = request;
        const { status, credits, supportedModels } = await addModel(services, {
          account,
          secretId,
          agent,
          family,
          signal,
        });
        return {
          success: true as const,
          agent_id: agent.code,
          model: family,
          status,
          credits,
          supported_models: supportedModels,
          message:
            status === "ready" ? `${family} can be used now` : `${family} is being made; follow supported_models`,
        };
      },
    }),
    route({
      method: "get",
      path: "/v1/agent/:code/model/download",
      operation: "models.download",
      tier: "read",
      auth: "secret-or-model-download",
      summary: "Redirect to the file of an agent's model, or return its URL as JSON",
      tags: ["Agents"],
      params: codeParams,
      query: z.object({ model: z.string().optional(), redirect: z.string().optional() }),
      example: { query: { redirect: "false" } },
      response: modelDownloadAnswer,
      redirects: true,
      errors: [
        "FORBIDDEN",
        "NOT_FOUND",
        "MODEL_NOT_DOWNLOADABLE",
        "MODEL_ARTIFACT_NOT_READY",
        "MODEL_NOT_GENERATED",
        "MODEL_NOT_OFFERED",
        "AGENT_DELETED",
        "AGENT_PURGED",
      ],
      async handler({ params, query, caller }) {
        const { code } = params;
        const agent = await agentOf(caller, code);
        const family = query.model === undefined ? agent.model : requireModel(query.model, offeredModels).family;
        if (needsLightModel(agent, family)) await orderLightModel(services.database, agent, new Date(services.now()));
        const file = requireModelFile(agent, family, offeredModels);
        const { filename, sha256 } = file;
        const url = fileLinks.linkTo(file.key, { expiresInSeconds: MODEL_LINK_SECONDS, filename });
        if (!asksForJson(query.redirect)) return redirectTo(url);
        const data = { code, model: family, filename, url, expires_in: MODEL_LINK_SECONDS, sha256 };
        return new Answer({ json: { success: true as const, data } });
      },
    }),
    route({
      method: "get",
      path: "/v1/agent/:code/self-hosted-avatar",
      operation: "models.downloadSelfHosted",
      tier: "read",
      auth: "self-hosted-download",
      summary: "Download the essence-2 file of an agent without a redirect",
      description: "The API secret is accepted as Bearer here, too: a container has no other header to send it in.",
      tags: ["Agents"],
      params: codeParams,
      responseType: "application/octet-stream",
      errors: ["NOT_FOUND", "MODEL_ARTIFACT_NOT_READY"],
      async handler({ params, caller }): Promise<Answer<undefined>> {
        const { key, filename } = await selfHostedFile(caller, params.code);
        const sizeBytes = await storage.sizeOf(key);
        if (sizeBytes === null)
          throw new ServiceError("MODEL_ARTIFACT_NOT_READY", "The model file is not available yet. Try again later.");
        return new Answer({
          headers: {
            "Content-Type": "application/octet-stream",
            "Content-Disposition": `attachment; filename="${filename}"`,
            "Content-Length": String(sizeBytes),
          },
          stream: (await storage.read(key)) as Readable,
        });
      },
    }),
  ];
}
