// Routes of the marking page. Its link is the credential: the person who places marks gets no API secret.
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import { faceMarksSchema } from "../../../src/face/portrait/face-marks-schema.ts";
import { type RequestInfo, type Route, route } from "../../kernel/http/route.ts";
import type { AgentServices } from "../agent-services.ts";
import type { Agent } from "../record/agent.ts";
import { findAgentByCode } from "../record/agent-store.ts";
import { faceMarkingSchema, viewFaceMarking } from "./face-mark-routes.ts";
import { placeFaceMarks } from "./face-marking.ts";

/** With what becomes of the face, for a person who has placed its marks. */
const markingPageSchema = faceMarkingSchema
  .extend({ status: z.string(), progress: z.number(), error_message: z.string().nullable() })
  .meta({ id: "MarkingPage" });

/** The routes. */
export function markingPageRoutes(services: AgentServices): Route[] {
  const shared = {
    path: "/mark/:code/marks",
    tier: "address",
    auth: "none",
    tags: ["Pages"],
    internal: true,
    params: z.object({ code: z.string() }),
  } as const;

  /** The agent of a link. The error does not reveal whether the code or the token is wrong. */
  async function agentOf(code: string, { headers }: RequestInfo): Promise<Agent> {
    const token = /^Bearer +(\S+)$/i.exec(headers.authorization?.toString() ?? "")?.[1] ?? "";
    const agent = await findAgentByCode(services.database, code);
    if (agent && !agent.deletedAt && services.markingLinks.verify(agent, token)) return agent;
    throw new ServiceError("FORBIDDEN", "The link is not valid or has expired. Request a new one.");
  }

  return [
    route({
      ...shared,
      method: "get",
      operation: "markingPage.get",
      summary: "Get the portrait and the marks of a marking link",
      response: markingPageSchema,
      errors: ["FORBIDDEN", "MODEL_PREREQUISITE_MISSING"],
      async handler({ params, request }) {
        const agent = await agentOf(params.code, request);
        const { status, progress, errorMessage } = agent;
        return { ...viewFaceMarking(services, agent), status, progress, error_message: errorMessage };
      },
    }),
    route({
      ...shared,
      method: "put",
      operation: "markingPage.replaceMarks",
      summary: "Place the marks of a marking link",
      body: z.object({ marks: faceMarksSchema }),
      response: z.object({ success: z.literal(true) }),
      errors: ["FORBIDDEN", "CONFLICT"],
      async handler({ params, body, request }) {
        await placeFaceMarks(services, await agentOf(params.code, request), body.marks);
        return { success: true as const };
      },
    }),
  ];
}
