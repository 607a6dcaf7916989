// Tables of avatar sessions, as created by the migrations.

import type { ColumnType, Generated } from "kysely";
import type { Manner } from "../../../shared/manners.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import type { EndReason, MindKind, OpenSegment } from "../../../shared/runtime-api.ts";
import type { AvatarSessionStatus } from "./avatar-session.ts";

declare module "../../kernel/database/database.ts" {
  interface Tables {
    avatar_sessions: {
      id: string;
      user_id: string;
      /** The API secret that started it; revoking the secret ends the session. */
      secret_id: string | null;
      launch_token_id: string | null;
      /** The token exchange that started it. */
      transaction_id: string | null;
      agent_code: string | null;
      model: string;
      family: ModelFamily;
      mode: string;
      /** Stored image of a photo session. */
      portrait_key: string | null;
      is_self_hosted: boolean;
      /** Whether the room is one of ours, made for a visitor of the embed page. */
      is_hosted: Generated<boolean>;
      has_conversation: boolean;
      /** The caller's own id of the person in front of the avatar. */
      end_user_id: string | null;
      /** Whether the visitor's conversations are remembered, this one and the one before. */
      remembers_visitor: Generated<boolean>;
      /** Whether visitors may render it in their browsers, and whether they do from the start, without a stream. */
      viewers_may_render: Generated<boolean>;
      viewers_render: Generated<boolean>;
      /** Whether the face may react to what users say. */
      listens: Generated<boolean>;
      /** `own`, `none` or a language tag. */
      greeting: Generated<string>;
      /** As `parseExpression` reads it. Null: the agent's. */
      emotion: ColumnType<string | null, string | null | undefined, never>;
      manner: ColumnType<Manner | null, Manner | null | undefined, never>;
      livekit_url: string;
      room_name: string;
      avatar_identity: string;
      /** The caller's join token, encrypted; null once the session has ended. */
      sealed_livekit_token: Buffer | null;
      status: AvatarSessionStatus;
      end_reason: EndReason | null;
      dispatch_number: number;
      /** Number of consecutive lost workers. */
      lost_workers: Generated<number>;
      last_beat_seq: Generated<number>;
      /** Number of the last message that was reported. */
      last_message_seq: Generated<number>;
      /** Bytes of the messages that were kept or told. */
      message_bytes: Generated<number>;
      /** When room.join of a conversation was published. */
      announced_at: Date | null;
      /** What answers in a conversation, as its worker reported. */
      mind: MindKind | null;
      /** Of the time served, that in which a language model answered without a camera. */
      chat_deciseconds: Generated<number>;
      /** Of the time served, that in which it was also shown a camera. */
      camera_deciseconds: Generated<number>;
      /** Time served by earlier workers. */
      earlier_deciseconds: Generated<number>;
      /** Time served by all workers. */
      served_deciseconds: Generated<number>;
      /** Of the time served, that without video: by earlier workers, and by all. */
      earlier_viewer_deciseconds: Generated<number>;
      viewer_deciseconds: Generated<number>;
      last_seen_at: Date;
      /** When a worker accepted the current dispatch. */
      accepted_at: Date | null;
      created_at: Date;
      live_at: Date | null;
      ended_at: Date | null;
      /** Charged at the end; null while it runs. */
      credits: number | null;
      left_at: Date | null;
      /** Since when it waits for its last user to return; null while it is in use. */
      vacant_since: Date | null;
      room_participants: number | null;
      room_created_at: Date | null;
      /** Segments that the session's worker has not reported as finished; JSON. */
      open_segments: ColumnType<OpenSegment[], string | undefined, string>;
    };
  }
}
