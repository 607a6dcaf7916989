// The media room of a session, with what is there from the join on: who needs what of the face, and the avatar's
// attributes.
import type { Logger } from "../../program/log.ts";
import type { AddressRule } from "../../program/outgoing/address-rules.ts";
import { VideoWatch } from "../../room/playout/video-watch.ts";
import type { EndReason, JobDescription } from "../../shared/runtime-api.ts";
import { AvatarAttributes } from "../room/avatar-attributes.ts";
import { joinMediaRoom, type MediaRoom } from "../room/media-room.ts";

export interface SessionRoomOptions {
  job: JobDescription;
  /** Decides which addresses the room's LiveKit server may have. */
  mayContact: AddressRule;
  logger: Logger;
  /** Asks the worker whether a session that viewers render may stream video. */
  admitVideo(): Promise<boolean>;
  /** Tells the worker that it no longer does. */
  releaseVideo(): void;
  /** The room has ended for the avatar. Once. */
  onEnd(reason: EndReason): void;
  onVacancy(isVacant: boolean): void;
}

export interface SessionRoom {
  mediaRoom: MediaRoom;
  watch: VideoWatch;
  attributes: AvatarAttributes;
  close(): Promise<void>;
}

/** Joins. Rejects with `JoinError`. */
export async function joinSessionRoom(options: SessionRoomOptions): Promise<SessionRoom> {
  const { job, mayContact, logger, onEnd, onVacancy, admitVideo, releaseVideo } = options;
  try {
    const mediaRoom = await joinMediaRoom({
      livekitUrl: job.livekit_url,
      livekitToken: job.livekit_token,
      mayContact,
      ...(job.idle_timeout_s !== undefined && { idleTimeoutMs: job.idle_timeout_s * 1000, staysForAudio: true }),
      logger,
      onEnd,
      onVacancy,
    });
    const { room } = mediaRoom;
    // Participants see the avatar from now on.
    const watch = new VideoWatch({
      room,
      logger,
      viewersMayRender: job.viewers_may_render === true,
      viewersRender: job.viewers_render === true,
      admitVideo,
      releaseVideo,
    });
    watch.start();
    const attributes = new AvatarAttributes({ room, livekitToken: job.livekit_token, logger });
    void attributes.showName(job.agent_name);
    const close = async (): Promise<void> => {
      attributes.close();
      watch.close();
      await mediaRoom.close();
    };
    return { mediaRoom, watch, attributes, close };
  } catch (error) {
    throw new JoinError(error);
  }
}

/** Joining the media room failed. */
export class JoinError extends Error {
  constructor(cause: unknown) {
    super("the media room could not be joined", { cause });
    this.name = "JoinError";
  }
}
