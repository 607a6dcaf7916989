// GET /v1/ledger: every movement of an account's credits.
import { z } from "zod";
import { momentSchema, parseMoment } from "../../kernel/http/moment.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import { paginationOf, paginationSchema } from "../../kernel/http/shared-schemas.ts";
import type { AccountServices } from "../account-services.ts";
import { CREDIT_POOLS } from "../account-tables.ts";
import { type ListedMovement, listMovements, MOVEMENT_KINDS } from "./list-movements.ts";

const movementSchema = z
  .object({
    id: z.int().meta({ description: "Number of the movement; later ones have higher numbers" }),
    kind: z.enum(MOVEMENT_KINDS).meta({
      description:
        "charge and refund: usage. top_up: bought credits. grant: credits of a plan or a reward. lapse: plan credits that a month has left",
    }),
    reason: z
      .string()
      .meta({ description: "Pricing code, with credit_refund_ before it in a refund; else a fixed word" }),
    reference: z.string().meta({
      description: "What it paid for, such as session:cs_… or video:vid_…; the same in all parts of a charge",
    }),
    pool: z.enum(CREDIT_POOLS).meta({ description: "The credits that changed. A charge has a movement for each" }),
    credits: z.int().meta({ description: "Change of the balance; negative for a charge" }),
    balance_after: z.int().meta({
      description: "Balance of all pools after it. Sessions that run are booked when they end",
    }),
    agent_code: z.string().nullable(),
    agent_name: z.string().nullable(),
    key_alias: z.string().nullable().meta({
      description: "Alias of the API secret that ordered it; null if that is not known, and for the console",
    }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "CreditMovement" });

export function ledgerRoutes({ database }: AccountServices): Route[] {
  return [
    route({
      method: "get",
      path: "/v1/ledger",
      operation: "ledger.list",
      tier: "read",
      auth: "secret",
      summary: "List every change of the account's balance, the last one first",
      description:
        "The changes add up to the booked balance: that of the last one is the balance without running work.",
      tags: ["Accounts"],
      query: z.object({
        limit: z.coerce.number().int().min(1).max(200).default(50),
        offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
        kind: z.enum(MOVEMENT_KINDS).optional(),
        agent_code: z.string().min(1).max(100).optional().meta({ description: "Only changes that this agent caused" }),
        start: momentSchema.optional(),
        end: momentSchema.optional(),
      }),
      response: z.object({
        success: z.literal(true),
        data: z.array(movementSchema),
        pagination: paginationSchema,
      }),
      errors: ["VALIDATION_ERROR"],
      async handler({ query, caller }) {
        const { limit, offset, kind, agent_code: agentCode } = query;
        const span = { start: parseMoment(query.start), end: parseMoment(query.end) };
        const { movements, total } = await listMovements(database, caller.account.userId, {
          limit,
          offset,
          kind,
          agentCode,
          ...span,
        });
        const pagination = paginationOf({ limit, offset, total }, movements);
        return { success: true as const, data: movements.map(viewMovement), pagination };
      },
    }),
  ];
}

function viewMovement(movement: ListedMovement): z.infer<typeof movementSchema> {
  return {
    id: movement.id,
    kind: movement.kind,
    reason: movement.reason,
    reference: movement.reference,
    pool: movement.pool,
    credits: movement.credits,
    balance_after: movement.balanceAfter,
    agent_code: movement.agentCode,
    agent_name: movement.agentName,
    key_alias: movement.secretAlias,
    created_at: movement.createdAt.toISOString(),
  };
}
