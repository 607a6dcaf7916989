// An avatar file as a participant of a room: joins it, and speaks what its agent sends.
import { Room, RoomEvent } from "@livekit/rtc-node";
import { FaceInRoom } from "../../../room/face-in-room.ts";
import { connectInTime } from "../../../room/participants/connect-in-time.ts";
import { OtherSpeakers } from "../../../room/participants/other-speakers.ts";
import { pacedEngine } from "../../../room/playout/paced-engine.ts";
import { StartReserve } from "../../../room/playout/start-reserve.ts";
import { VideoWatch } from "../../../room/playout/video-watch.ts";
import type { RoomLog } from "../../../room/room-log.ts";
import { type LiveFace, openLive } from "../../engine/live.ts";
import type { JoinRequest } from "./bundle-messages.ts";

const JOIN_TIMEOUT_MS = 10_000;
const CODEC = "h264";
const MAX_BITRATE_KBPS = 2000;
/** Different faces of one agent should not move alike. */
const SEEDS = 2 ** 31;

export interface ParticipantEvents {
  logger: RoomLog;
  /** It is out of the room, or cannot render any more. Once, unless it was closed. */
  onEnd(): void;
}

export class BundleParticipant {
  readonly #live: LiveFace;
  readonly #room: Room;
  readonly #face: FaceInRoom;
  readonly #speakers: OtherSpeakers;

  private constructor(live: LiveFace, room: Room, face: FaceInRoom) {
    this.#live = live;
    this.#room = room;
    this.#face = face;
    this.#speakers = new OtherSpeakers({ room, onChange: (isSpeaking) => live.engine.listening(isSpeaking) });
    face.start();
    this.#speakers.start();
  }

  /** Resolves when its tracks are published and it accepts audio. Rejects with the error of the file (EngineError), of
   *  the disk, or of the server. */
  static async join(request: JoinRequest, events: ParticipantEvents): Promise<BundleParticipant> {
    const { livekitUrl, livekitToken, bundle, seed = Math.floor(Math.random() * SEEDS), expressiveness } = request;
    const room = new Room();
    // First the room: connecting is the network's work, opening the file is this thread's.
    const joining = connectInTime(room, livekitUrl, livekitToken, JOIN_TIMEOUT_MS);
    const watching = joining.then(() => {
      const watch = new VideoWatch({ room, logger: events.logger });
      watch.start();
      return watch;
    });
    const reserve = new StartReserve();
    const opening = openLive(bundle, { seed, expressiveness, ...pacedEngine(reserve) });
    try {
      const [live, watch] = await Promise.all([opening, watching]);
      const onFailure = (error: unknown): void => {
        events.logger.warn({ error }, "the face cannot be rendered any more");
        events.onEnd();
      };
      const face = await FaceInRoom.publish({
        engine: live.engine,
        widthPx: live.widthPx,
        heightPx: live.heightPx,
        room,
        watch,
        reserve,
        codec: CODEC,
        maxBitrateKbps: MAX_BITRATE_KBPS,
        logger: events.logger,
        onFailure,
      });
      const participant = new BundleParticipant(live, room, face);
      room.on(RoomEvent.Disconnected, () => events.onEnd());
      return participant;
    } catch (error) {
      // Whatever else was started is undone; its caller is told of the first failure.
      await opening.then((live) => live.close()).catch(() => undefined);
      await watching.then((watch) => watch.close()).catch(() => undefined);
      await joining.then(() => room.disconnect()).catch(() => undefined);
      throw error;
    }
  }

  /** Reports what is still played as interrupted, and leaves. */
  async close(): Promise<void> {
    this.#room.removeAllListeners(RoomEvent.Disconnected);
    this.#speakers.close();
    await this.#face.close();
    await this.#room.disconnect();
    await this.#live.close();
  }
}
