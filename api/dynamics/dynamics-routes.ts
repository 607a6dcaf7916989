// Routes of agents' gestures.
import { z } from "zod";
import { Answer } from "../kernel/http/answer.ts";
import { idempotentRequest } from "../kernel/http/idempotency.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { changeDynamics } from "./change-dynamics.ts";
import { DYNAMICS_SECONDS } from "./dynamics.ts";
import type { DynamicsServices } from "./dynamics-services.ts";
import { findDynamics } from "./dynamics-store.ts";
import { dynamicsSchema, viewDynamics } from "./dynamics-views.ts";
import { orderDynamics, requireAgent } from "./order-dynamics.ts";

const OPERATION_GENERATE = "dynamics-generate";
const TAGS = ["Gestures"];
/** Source: the contract. */
const DEFAULT_MODEL = "quality";

const generateSchema = z
  .object({
    agent_id: z.string().min(1),
    image_url: z.string().max(4_096).nullish(),
    duration: z.number().min(DYNAMICS_SECONDS.least).max(DYNAMICS_SECONDS.most).nullish(),
    model: z.string().max(100).nullish(),
  })
  .meta({ id: "GenerateDynamics" });

const changeSchema = z
  .object({
    dynamics: z.looseObject({ enabled: z.boolean().nullish() }),
    toggle_enabled: z.boolean().nullish(),
  })
  .meta({ id: "ChangeDynamics" });

const byAgent = z.object({ agent_id: z.string() });

/** The routes. */
export function dynamicsRoutes(services: DynamicsServices): Route[] {
  const { database, fileLinks } = services;
  return [
    route({
      method: "post",
      path: "/v1/dynamics/generate",
      operation: "dynamics.generate",
      tier: "generate",
      auth: "secret",
      summary: "Make gestures for an agent: in its model files, and a clip of each",
      description:
        "Every agent with a generated model gets gestures, also one with expression-1 alone. Without any, the answer is 409 MODEL_NOT_GENERATED.",
      tags: TAGS,
      body: generateSchema,
      example: { body: { agent_id: "AGENT_CODE" } },
      requestHeaders: {
        "Idempotency-Key":
          "A repeated request with the same key within 24 hours returns the first answer and is charged once",
      },
      response: z.object({
        success: z.literal(true),
        message: z.string(),
        agent_id: z.string(),
        status: z.literal("processing"),
      }),
      errors: [
        "INSUFFICIENT_BALANCE",
        "ACCOUNT_SUSPENDED",
        "PLAN_REQUIRED",
        "NOT_FOUND",
        "CONFLICT",
        "AGENT_NOT_READY",
        "MODEL_NOT_GENERATED",
        "AGENT_DELETED",
        "AGENT_PURGED",
        "MODEL_NOT_YET_AVAILABLE",
        "SERVICE_UNAVAILABLE",
      ],
      async handler({ body, caller, request }) {
        const { account, secretId } = caller;
        const order = {
          agentCode: body.agent_id,
          seconds: body.duration ?? DYNAMICS_SECONDS.default,
          imageUrl: body.image_url || null,
        };
        const key = request.headers["idempotency-key"];
        // The model does not change the gestures, but another model is another request.
        const model = body.model || DEFAULT_MODEL;
        const identity = { ...order, ...(model !== DEFAULT_MODEL && { model }) };
        const idempotency = idempotentRequest(key, account.userId, OPERATION_GENERATE, identity);
        const { answer, isReplay } = await orderDynamics(services, { ...order, account, secretId }, idempotency);
        const headers: Record<string, string> = isReplay ? { "Idempotency-Replayed": "true" } : {};
        return new Answer({ json: answer, headers });
      },
    }),
    route({
      method: "get",
      path: "/v1/dynamics/:agent_id",
      operation: "dynamics.get",
      tier: "read",
      auth: "secret",
      summary: "Get an agent's gestures: their state, and a link to the clip of each",
      tags: TAGS,
      params: byAgent,
      response: z.object({ success: z.literal(true), data: dynamicsSchema }),
      errors: ["NOT_FOUND", "AGENT_DELETED", "AGENT_PURGED"],
      async handler({ params, caller }) {
        const agent = await requireAgent(database, caller.account, params.agent_id);
        const dynamics = await findDynamics(database, agent.id);
        return { success: true as const, data: viewDynamics(agent, dynamics, fileLinks) };
      },
    }),
    route({
      method: "put",
      path: "/v1/dynamics/:agent_id",
      operation: "dynamics.update",
      tier: "write",
      auth: "secret",
      summary: "Change an agent's gesture configuration, and make its gestures anew",
      tags: TAGS,
      params: byAgent,
      body: changeSchema,
      example: { body: { dynamics: { mini_wave_hello: { enabled: true } } } },
      response: z.object({
        success: z.literal(true),
        message: z.string(),
        agent_id: z.string(),
        regeneration_status: z.enum(["started", "failed"]),
        regeneration_error: z.string().optional(),
      }),
      errors: ["NOT_FOUND", "AGENT_DELETED", "AGENT_PURGED"],
      handler({ params, body, caller }) {
        const { enabled, ...fields } = body.dynamics;
        return changeDynamics(services, {
          account: caller.account,
          agentCode: params.agent_id,
          fields,
          isEnabled: body.toggle_enabled ?? enabled ?? null,
        });
      },
    }),
  ];
}
