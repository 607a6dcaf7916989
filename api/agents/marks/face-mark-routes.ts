// Routes of an agent's face marks.
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import { averageMarks, type FaceMarks } from "../../../src/face/portrait/face-marks.ts";
import { faceMarksSchema, WHERE_MARKS_BELONG } from "../../../src/face/portrait/face-marks-schema.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import { requireOwnAgent } from "../agent-access.ts";
import type { AgentServices } from "../agent-services.ts";
import { type Agent, withDraft } from "../record/agent.ts";
import { placeFaceMarks } from "./face-marking.ts";

/** Life of a link to the image: enough for placing marks. Each answer has a new one. */
const IMAGE_LINK_SECONDS = 24 * 3600;

/** Of an image of 512 × 512 pixels, in whole pixels. */
const EXAMPLE_MARKS = Object.fromEntries(
  Object.entries(averageMarks({ widthPx: 512, heightPx: 512 })).map(([name, { x, y }]) => [
    name,
    { x: Math.round(x), y: Math.round(y) },
  ]),
) as FaceMarks;

const codeParams = z.object({ code: z.string() });

export const faceMarkingSchema = z
  .object({
    agent_id: z.string(),
    is_waiting: z.boolean().meta({ description: "Whether the agent is waiting for marks" }),
    image_url: z.string().meta({ description: "Link to the portrait, valid for a day" }),
    width_px: z.int(),
    height_px: z.int(),
    marks: faceMarksSchema.nullable().meta({
      description: "The marks that were placed, or else the detected marks to correct; null if detection was reliable",
    }),
    where: z.record(z.string(), z.string()).meta({ description: "Where to place each mark" }),
    marking_url: z.string().meta({
      description: "Link to a page for placing the marks, valid for seven days. It needs no other credential.",
    }),
  })
  .meta({ id: "FaceMarking" });

/** The routes. */
export function faceMarkRoutes(services: AgentServices): Route[] {
  const { database, pageAgents } = services;
  const shared = { tags: ["Agents"], params: codeParams } as const;
  return [
    route({
      ...shared,
      method: "get",
      path: "/v1/agent/:code/face-marks",
      operation: "faceMarks.get",
      tier: "read",
      auth: "secret-or-page",
      summary: "Get an agent's portrait and face marks",
      response: z.object({ success: z.literal(true), data: faceMarkingSchema }),
      errors: ["NOT_FOUND", "MODEL_PREREQUISITE_MISSING"],
      async handler({ params, caller }) {
        const agent = await pageAgents.require(caller, params.code);
        return { success: true as const, data: viewFaceMarking(services, agent) };
      },
    }),
    route({
      ...shared,
      method: "put",
      path: "/v1/agent/:code/face-marks",
      operation: "faceMarks.replace",
      tier: "write",
      auth: "secret",
      summary: "Set the face marks of an agent with the current_step awaiting_face_marking; its creation continues",
      body: z.object({ marks: faceMarksSchema }),
      example: { body: { marks: EXAMPLE_MARKS } },
      response: z.object({ success: z.literal(true), agent_id: z.string(), message: z.string() }),
      errors: ["MISSING_PARAM", "NOT_FOUND", "CONFLICT"],
      async handler({ params, body, caller }) {
        const agent = await requireOwnAgent(database, caller.account, params.code);
        await placeFaceMarks(services, agent, body.marks);
        return {
          success: true as const,
          agent_id: agent.code,
          message: "The marks are stored. Generation continues.",
        };
      },
    }),
  ];
}

/** The data that a person needs to place marks. Throws MODEL_PREREQUISITE_MISSING while there is no portrait. */
export function viewFaceMarking(
  { fileLinks, markingLinks }: AgentServices,
  agent: Agent,
): z.infer<typeof faceMarkingSchema> {
  const { portraitKey, portraitSize, faceMarks, suggestedFaceMarks } = withDraft(agent);
  if (portraitKey === null || portraitSize === null) {
    throw new ServiceError("MODEL_PREREQUISITE_MISSING", `Agent ${agent.code} has no portrait that could be marked`);
  }
  return {
    agent_id: agent.code,
    is_waiting: agent.waitingSince !== null,
    image_url: fileLinks.linkTo(portraitKey, { expiresInSeconds: IMAGE_LINK_SECONDS }),
    width_px: portraitSize.widthPx,
    height_px: portraitSize.heightPx,
    marks: faceMarks ?? suggestedFaceMarks,
    where: WHERE_MARKS_BELONG,
    marking_url: markingLinks.linkTo(agent),
  };
}
