// Accepts the marks that a person places on a face that the finder is unsure of, and ends the wait for them.
import { CREATION_PROGRESS } from "../../../shared/creation-progress.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { checkFaceMarks } from "../../../src/face/portrait/check-face-marks.ts";
import { areSameMarks, averageMarks, type FaceMarks } from "../../../src/face/portrait/face-marks.ts";
import type { Queryable } from "../../kernel/database/database.ts";
import { agentNotFound } from "../agent-access.ts";
import type { AgentServices } from "../agent-services.ts";
import { enqueueCreation } from "../creation/agent-queue.ts";
import { failAgent } from "../creation/creation-job.ts";
import { type Agent, withDraft } from "../record/agent.ts";
import { findAgentById, updateCreation } from "../record/agent-store.ts";

/** After this time the agent fails and is refunded. */
const LONGEST_WAIT_MS = 7 * 24 * 3_600_000;
const LONGEST_WAIT_TEXT = "seven days";
/** Keeps the error message readable. */
const MAX_LISTED_PROBLEMS = 5;

/** The service was not sure of them, so sending them back says nothing. */
const UNTOUCHED =
  "The marks are as they were suggested. Place them on the face: with three taps on the page of marking_url, or each by its coordinates.";

/** Stores the marks of a waiting agent and continues its creation, in one transaction. Repeating the same marks changes
 *  nothing. Throws VALIDATION_ERROR for marks that cannot be a face or are as suggested, and CONFLICT if the agent
 *  does not wait for marks. */
export async function placeFaceMarks(services: AgentServices, agent: Agent, marks: FaceMarks): Promise<void> {
  const { portraitSize, suggestedFaceMarks } = withDraft(agent);
  if (portraitSize) {
    const guesses = [averageMarks(portraitSize), ...(suggestedFaceMarks ? [suggestedFaceMarks] : [])];
    if (guesses.some((guess) => areSameMarks(marks, guess))) throw new ServiceError("VALIDATION_ERROR", UNTOUCHED);
    const problems = checkFaceMarks(marks, portraitSize);
    if (problems.length > 0) {
      const listed = problems.slice(0, MAX_LISTED_PROBLEMS).join("; ");
      throw new ServiceError("VALIDATION_ERROR", `The marks do not form a face: ${listed}`);
    }
  }
  await services.database.transaction().execute(async (transaction) => {
    const current = await findAgentById(transaction, agent.id, { lock: true });
    if (!current || current.deletedAt) throw agentNotFound(agent.code);
    if (!current.waitingSince) {
      if (current.revision === agent.revision && isStored(withDraft(current).faceMarks, marks)) return;
      throw new ServiceError(
        "CONFLICT",
        `Agent ${agent.code} is not waiting for face marks: its status is ${current.status}`,
      );
    }
    if (current.revision !== agent.revision) {
      throw new ServiceError(
        "CONFLICT",
        `Agent ${agent.code} was regenerated and has a new portrait. Load it again and place new marks.`,
      );
    }
    const patch = {
      faceMarks: marks,
      waitingSince: null,
      currentStep: "lip_sync",
      progressMessage: CREATION_PROGRESS.marked,
      eventType: "face_marked",
    } as const;
    await updateCreation(transaction, current, patch, new Date(services.now()));
    await enqueueCreation(transaction, current);
  });
}

/** Fails agents that have waited too long, with refunds. For the job runner's recovery. */
export async function giveUpWaiting(services: AgentServices): Promise<void> {
  const since = new Date(services.now() - LONGEST_WAIT_MS);
  for (const { id, revision } of await findWaitingSince(services.database, since)) {
    await failAgent(
      services,
      id,
      revision,
      "awaiting_face_marking",
      `the face was not marked within ${LONGEST_WAIT_TEXT}`,
    );
  }
}

function findWaitingSince(database: Queryable, until: Date): Promise<{ id: string; revision: number }[]> {
  return database
    .selectFrom("agents")
    .select(["id", "revision"])
    .where("waiting_since", "<=", until)
    .where("deleted_at", "is", null)
    .execute();
}

function isStored(stored: FaceMarks | null, marks: FaceMarks): boolean {
  return stored !== null && areSameMarks(stored, marks);
}
