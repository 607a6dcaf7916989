// An avatar file as a participant of a room: joins it, and speaks what its agent sends.
import { Room, RoomEvent } from "@livekit/rtc-node";
import { FaceInRoom } from "../../../room/face-in-room.ts";
import { connectInTime } from "../../../room/participants/connect-in-time.ts";
import { LoudestMicrophone } from "../../../room/participants/loudest-microphone.ts";
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

interface ParticipantParts {
  live: LiveFace;
  room: Room;
  face: FaceInRoom;
  /** Undefined if the face does not react to what users say. */
  microphone: LoudestMicrophone | undefined;
}

export class BundleParticipant {
  readonly #live: LiveFace;
  readonly #room: Room;
  readonly #face: FaceInRoom;
  readonly #speakers: OtherSpeakers;
  readonly #microphone: LoudestMicrophone | undefined;

  private constructor({ live, room, face, microphone }: ParticipantParts) {
    this.#live = live;
    this.#room = room;
    this.#face = face;
    this.#microphone = microphone;
    this.#speakers = new OtherSpeakers({ room, onChange: (isSpeaking) => live.engine.listening(isSpeaking) });
    face.start();
    this.#speakers.start();
    microphone?.start();
  }

  /** Resolves when its tracks are published and it accepts audio. Rejects with the error of the file (EngineError), of
   *  the disk, or of the server. */
  static async join(
    request: JoinRequest,
    events: ParticipantEvents,
    open: typeof openLive = openLive,
  ): Promise<BundleParticipant> {
    const { livekitUrl, livekitToken, bundle, listen = true, ...motion } = request;
    const { seed = Math.floor(Math.random() * SEEDS) } = motion;
    const room = new Room();
    // First the room: connecting is the network's work, opening the file is this thread's.
    const joining = connectInTime(room, livekitUrl, livekitToken, JOIN_TIMEOUT_MS);
    const watching = joining.then(() => {
      const watch = new VideoWatch({ room, logger: events.logger });
      watch.start();
      return watch;
    });
    const reserve = new StartReserve();
    const opening = open(bundle, { ...motion, seed, ...pacedEngine(reserve) });
    try {
      const [live, watch] = await Promise.all([opening, watching]);
      const onFailure = (error: unknown): void => {
        events.logger.warn({ error }, "the face cannot be rendered any more");
        events.onEnd();
      };
      const microphone = listen
        ? new LoudestMicrophone({ room, onHeard: (what) => live.engine.heard(what) })
        : undefined;
      const ignoreOwnSpeech = (): void => {
        if (microphone) microphone.isIgnored = face.isPlaying;
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
        listener: {
          segmentStarted: ignoreOwnSpeech,
          segmentQueued: () => undefined,
          segmentFinished: ignoreOwnSpeech,
        },
        onFailure,
      });
      const participant = new BundleParticipant({ live, room, face, microphone });
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
    this.#microphone?.close();
    await this.#face.close();
    await this.#room.disconnect();
    await this.#live.close();
  }
}
