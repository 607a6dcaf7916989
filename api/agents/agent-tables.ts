// Tables of agents, as migration 0003 made them.
import type { Generated } from "kysely";
import type { ModelFamily } from "../../shared/models.ts";
import type { AgentStatus, AgentStep, AspectRatio, Framing, ModelState } from "./agent.ts";

export interface AgentTables {
  agents: {
    id: Generated<string>;
    user_id: string;
    code: string;
    /** Counts regenerations; a job of an earlier revision stops when it sees a later one. */
    revision: Generated<number>;
    name: string;
    description: Generated<string>;
    system_prompt: string;
    language: Generated<string>;
    gender: Generated<string>;
    subject: Generated<string>;
    model: ModelFamily;
    voice_id: string | null;
    aspect_ratio: Generated<AspectRatio>;
    framing: Generated<Framing>;
    /** Where the job fetches the picture, when it could not be fetched at submit. */
    image_url: string | null;
    /** The bundled portrait that was chosen. */
    gallery_id: string | null;
    /** The portrait that pages show and workers bake from. */
    portrait_key: string | null;
    status: AgentStatus;
    progress: Generated<number>;
    progress_msg: Generated<string>;
    current_step: Generated<AgentStep>;
    event_type: Generated<string>;
    error_message: string | null;
    created_at: Date;
    updated_at: Date;
    deleted_at: Date | null;
  };
  agent_models: {
    agent_id: string;
    family: ModelFamily;
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
  idempotency_keys: {
    user_id: string;
    operation: string;
    key: string;
    body_sha256: string;
    /** The answer as it was sent, JSON text. */
    answer: string;
    created_at: Date;
  };
}
