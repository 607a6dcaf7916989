// Tables of agents, as created by migrations 0003, 0011, 0021, 0033, 0035, 0037, 0038, 0041, 0044,
// 0056 and 0058.

import type { ColumnType, Generated } from "kysely";
import type { Manner } from "../../../shared/manners.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import type { FaceMarks } from "../../../src/face/portrait/face-marks.ts";
import type { VoiceCharacter } from "../../../src/speech/voice/measuring/voice-character.ts";
import type { ProviderSelection } from "../../providers/provider-selection.ts";
import type {
  AgentContent,
  AgentDynamics,
  AgentStatus,
  AgentStep,
  AspectRatio,
  Framing,
  LocalRendering,
  ModelState,
} from "./agent.ts";

/** Written as JSON text. */
type FaceMarksColumn = ColumnType<FaceMarks | null, string | null, string | null>;

type DraftColumn = ColumnType<AgentContent | null, string | null | undefined, string | null>;

declare module "../../kernel/database/database.ts" {
  interface Tables {
    agents: {
      id: Generated<string>;
      user_id: string;
      code: string;
      /** Counts regenerations. A job of an earlier revision stops when it sees a later one. */
      revision: Generated<number>;
      name: string;
      /** The owner chose the name, or none. */
      is_named: Generated<boolean>;
      description: Generated<string>;
      /** The owner's own words; `system_prompt` may have been written from them. */
      prompt: Generated<string>;
      system_prompt: string;
      /** Written by a language model, or empty. */
      greeting: Generated<string>;
      language: Generated<string>;
      gender: Generated<string>;
      subject: Generated<string>;
      model: ModelFamily;
      /** The caller did not choose a model, and the image that decides has not been inspected yet. */
      is_auto_model: Generated<boolean>;
      voice_id: string | null;
      aspect_ratio: Generated<AspectRatio>;
      framing: Generated<Framing>;
      transparency: Generated<boolean>;
      /** URL from which the job fetches the image, if it could not be fetched at submit. */
      image_url: string | null;
      /** Object with the image as received, if it could not be checked at submit. */
      image_key: string | null;
      /** The bundled portrait that was chosen. */
      gallery_id: string | null;
      /** The portrait that pages show and workers bake from. */
      portrait_key: string | null;
      portrait_width_px: number | null;
      portrait_height_px: number | null;
      /** Placed by a person. */
      face_marks: FaceMarksColumn;
      /** The face finder's guess, for a person to correct. */
      suggested_face_marks: FaceMarksColumn;
      /** Since when the agent waits for marks; null when it does not. */
      waiting_since: Date | null;
      /** URL from which the job fetches the voice sample, if it could not be fetched at submit. */
      voice_sample_url: string | null;
      /** Object with the voice sample as received, if it could not be measured at submit. */
      voice_sample_key: string | null;
      voice_character: ColumnType<VoiceCharacter | null, string | null, string | null>;
      status: AgentStatus;
      progress: Generated<number>;
      progress_msg: Generated<string>;
      current_step: Generated<AgentStep>;
      event_type: Generated<string>;
      error_message: string | null;
      created_at: Date;
      updated_at: Date;
      deleted_at: Date | null;
      /** Content of the running regeneration, as `AgentContent`; null if there is none. */
      draft: DraftColumn;
      /** Gesture configuration, as `AgentDynamics`. */
      dynamics: ColumnType<AgentDynamics, string | undefined, string>;
      /** When the texts and images of the deleted agent were erased. */
      purged_at: Date | null;
      clip_key: string | null;
      /** Ids of the chosen providers, by kind. */
      providers: ColumnType<ProviderSelection, string | undefined, string>;
      /** Whether visitors may render the agent in their browsers. */
      local_rendering: Generated<LocalRendering>;
      /** As `parseExpression` reads it; null: neutral. */
      emotion: ColumnType<string | null, string | null | undefined, string | null>;
      manner: ColumnType<Manner | null, Manner | null | undefined, Manner | null>;
    };
    agent_models: {
      agent_id: string;
      family: ModelFamily;
      /** Belongs to the draft of its agent. */
      is_draft: Generated<boolean>;
      state: ModelState;
      reason: string | null;
      credits: number;
      /** Reference of the charge in the ledger. The reference of the refund is derived from it, so it is refunded once
       *  at most. */
      charge_reference: string;
      artifact_key: string | null;
      artifact_sha256: string | null;
      artifact_bytes: number | null;
      /** Version of the rig generator that made the file, such as 1.4.0; null for one before versions were recorded. */
      generator_version: string | null;
      /** The latest generator that tried to bake the model again. */
      rebake_version: string | null;
      /** How often it tried. */
      rebake_attempts: Generated<number>;
      rebake_tried_at: Date | null;
      /** The file before the last rebake, which is deleted later: links to it are in use. */
      replaced_key: string | null;
      replaced_at: Date | null;
      requested_at: Date;
      ready_at: Date | null;
    };
  }
}
