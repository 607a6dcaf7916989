// GET /v1/models: the names that /v1/audio/* and /v1/realtime accept, in OpenAI's shape.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import type { Account } from "../accounts/account.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { SPEECH_MODELS, TRANSCRIPTION_MODELS } from "../speech/audio-models.ts";
import type { RealtimeServices } from "./realtime-services.ts";
import { realtimeModels } from "./upstreams.ts";

const TAGS = ["Speech"];
/** OpenAI's shape has the time at which a model was made. Ours are as old as this list. */
const CREATED_S = Date.UTC(2026, 10, 24) / 1000;
const MAX_SHOWN_CHARACTERS = 100;

const modelSchema = z
  .object({
    id: z.string(),
    object: z.literal("model").meta({ description: "Always model" }),
    created: z.int().meta({ description: "Unix seconds; the same for all" }),
    owned_by: z.enum(["service", "operator"]).meta({
      description: "service: built in. operator: a realtime server that the operator has configured",
    }),
  })
  .meta({ id: "ClientModel" });
type Model = z.infer<typeof modelSchema>;

export function modelRoutes(services: RealtimeServices): Route[] {
  const modelsOf = (account: Account): Model[] => {
    const { own, configured } = realtimeModels(services, account);
    return [
      ...[...SPEECH_MODELS, ...TRANSCRIPTION_MODELS, ...own].map((id) => describe(id, "service")),
      ...configured.map((id) => describe(id, "operator")),
    ];
  };
  return [
    route({
      method: "get",
      path: "/v1/models",
      operation: "models.list",
      tier: "read",
      auth: "secret-or-bearer",
      summary: "List the names of models that /v1/audio/* and /v1/realtime accept, for OpenAI clients",
      tags: TAGS,
      response: z.object({
        object: z.literal("list").meta({ description: "Always list" }),
        data: z.array(modelSchema),
      }),
      errors: [],
      async handler({ caller }) {
        return { object: "list" as const, data: modelsOf(caller.account) };
      },
    }),
    route({
      method: "get",
      path: "/realtime/models",
      operation: "pages.realtimeModels",
      tier: "read",
      auth: "secret-or-page",
      summary: "Models that the realtime page may call",
      tags: TAGS,
      internal: true,
      response: z.object({ models: z.array(z.object({ name: z.string(), is_own: z.boolean() })) }),
      errors: [],
      async handler({ caller }) {
        const { own, configured } = realtimeModels(services, caller.kind === "page" ? caller.operator : caller.account);
        const view = (isOwn: boolean) => (name: string) => ({ name, is_own: isOwn });
        return { models: [...own.map(view(true)), ...configured.map(view(false))] };
      },
    }),
    route({
      method: "get",
      path: "/v1/models/:model",
      operation: "models.get",
      tier: "read",
      auth: "secret-or-bearer",
      summary: "Get one of these names",
      tags: TAGS,
      params: z.object({ model: z.string() }),
      example: { params: { model: "whisper-1" } },
      response: modelSchema,
      errors: ["NOT_FOUND"],
      async handler({ params, caller }) {
        const model = modelsOf(caller.account).find(({ id }) => id === params.model);
        if (model) return model;
        throw new ServiceError("NOT_FOUND", `No model ${params.model.slice(0, MAX_SHOWN_CHARACTERS)}`);
      },
    }),
  ];
}

function describe(id: string, owner: Model["owned_by"]): Model {
  return { id, object: "model", created: CREATED_S, owned_by: owner };
}
