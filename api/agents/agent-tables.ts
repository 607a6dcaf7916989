// Tables of agents, as migrations 0003, 0011 and 0021 made them.
import type { ColumnType, Generated } from "kysely";
import type { ModelFamily } from "../../shared/models.ts";
import type { FaceMarks } from "../../src/face/face-marks.ts";
import type { AgentContent, AgentStatus, AgentStep, AspectRatio, Framing, ModelState } from "./agent.ts";

/** JSON text on the way in. */
type FaceMarksColumn = ColumnType<FaceMarks | null, string | null, string | null>;

type DraftColumn = ColumnType<AgentContent | null, string | null | undefined, string | null>;

declare module "../kernel/database/database.ts" {
  interface Tables {
    agents: {
      id: Generated<string>;
      user_id: string;
      code: string;
      /** Counts regenerations; a job of an earlier revision stops when it sees a later one. */
      revision: Generated<number>;
      name: string;
      description: Generated<string>;
      /** The owner's own words; `system_prompt` may have been written from them. */
      prompt: Generated<string>;
      system_prompt: string;
      language: Generated<string>;
      gender: Generated<string>;
      subject: Generated<string>;
      model: ModelFamily;
      /** The caller left the model to us, and the picture that decides has not been seen yet. */
      is_auto_model: Generated<boolean>;
      voice_id: string | null;
      aspect_ratio: Generated<AspectRatio>;
      framing: Generated<Framing>;
      transparency: Generated<boolean>;
      /** Where the job fetches the picture, when it could not be fetched at submit. */
      image_url: string | null;
      /** Object with the picture as received, when it could not be checked at submit. */
      image_key: string | null;
      /** The bundled portrait that was chosen. */
      gallery_id: string | null;
      /** The portrait that pages show and workers bake from. */
      portrait_key: string | null;
      portrait_width_px: number | null;
      portrait_height_px: number | null;
      /** As a person placed them. */
      face_marks: FaceMarksColumn;
      /** As the finder guessed them, for a person to correct. */
      suggested_face_marks: FaceMarksColumn;
      /** Since when the agent waits for marks; null when it does not. */
      waiting_since: Date | null;
      /** Where the job fetches the sample, when it could not be fetched at submit. */
      voice_sample_url: string | null;
      /** Object with the sample as received, when it could not be measured at submit. */
      voice_sample_key: string | null;
      voice_pitch_hz: number | null;
      status: AgentStatus;
      progress: Generated<number>;
      progress_msg: Generated<string>;
      current_step: Generated<AgentStep>;
      event_type: Generated<string>;
      error_message: string | null;
      created_at: Date;
      updated_at: Date;
      deleted_at: Date | null;
      /** What a regeneration has made so far, as `AgentContent`; null when none is under way. */
      draft: DraftColumn;
      /** When the deleted agent's words and pictures were erased for good. */
      purged_at: Date | null;
    };
    agent_models: {
      agent_id: string;
      family: ModelFamily;
      /** Belongs to the draft of its agent. */
      is_draft: Generated<boolean>;
      state: ModelState;
      reason: string | null;
      credits: number;
      /** Reference of the ledger entry that paid for it; its refund is derived from it, so it can happen once only. */
      charge_reference: string;
      artifact_key: string | null;
      artifact_sha256: string | null;
      artifact_bytes: number | null;
      requested_at: Date;
      ready_at: Date | null;
    };
  }
}
