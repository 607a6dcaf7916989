// Shows what the avatar says as it is heard: word by word where the voice tells its words' times, otherwise sentence by
// sentence.
import type { Room } from "@livekit/rtc-node";
import type { Logger } from "../../program/log.ts";
import type { QueuedAudio } from "../../room/playout/heard-events.ts";
import type { Expression } from "../../shared/expressions.ts";
import type { CaptionPiece } from "./caption-pieces.ts";
import { Transcriptions } from "./transcriptions.ts";

export interface CaptionsOptions {
  room: Room;
  /** Of the avatar's audio track now: the SDK publishes it again when it restores a connection. */
  audioTrackSid(): string | undefined;
  /** What the face shows now with words that bring no expression of their own. */
  expression(): Expression;
  /** Called with each sentence as it begins to be heard. */
  onHeard?(sentence: string): void;
  logger: Logger;
}

interface Caption {
  id: string;
  /** With the timer that fires when the piece begins to be heard; undefined until its audio is queued. */
  pieces: (CaptionPiece & { timer?: NodeJS.Timeout })[];
  /** The sentence that begins with it. */
  sentence: string | undefined;
  /** Of its first words; until they are heard, undefined if they bring none. */
  expression: Expression | undefined;
  shownPieces: number;
}

/** Captions of the segments that the avatar speaks by itself. They follow the audio that is played: a voice that
 *  synthesizes too slowly delays them, too. What is cut off before it begins is never shown. */
export class Captions {
  readonly #options: CaptionsOptions;
  readonly #transcriptions: Transcriptions;
  readonly #segments = new Map<string, Caption[]>();

  constructor(options: CaptionsOptions) {
    this.#options = options;
    const { room, audioTrackSid: trackSid, logger } = options;
    const identity = () => room.localParticipant?.identity;
    this.#transcriptions = new Transcriptions({ room, identity, trackSid, grows: true, logger });
  }

  /** Adds a text in pieces, which begin at their times in a segment. `sentence`: the one that begins with the first
   *  piece, if one does. `expression`: what the first words bring. Call it before the audio is passed to the engine. */
  add(segmentId: string, pieces: readonly CaptionPiece[], sentence?: string, expression?: Expression): void {
    const captions = this.#segments.get(segmentId) ?? [];
    this.#segments.set(segmentId, captions);
    const id = `${segmentId}-${captions.length + 1}`;
    captions.push({ id, pieces: pieces.map((piece) => ({ ...piece })), sentence, expression, shownPieces: 0 });
  }

  /** Audio of a segment is in the playout queue: the pieces that begin in it are shown when it is heard. */
  queued(segmentId: string, { fromMs, untilMs, inMs }: QueuedAudio): void {
    for (const caption of this.#segments.get(segmentId) ?? []) {
      for (const [index, piece] of caption.pieces.entries()) {
        if (piece.timer || index < caption.shownPieces) continue;
        if (piece.startMs >= untilMs) break;
        const delayMs = inMs + Math.max(0, piece.startMs - fromMs);
        piece.timer = setTimeout(() => this.#show(caption, index + 1, false), delayMs);
      }
    }
  }

  /** A segment is over after `positionMs` of it were heard. What began before that is shown even if its timers are
   *  late: on a busy machine start and end of a short segment can be reported in the same moment. */
  finished(segmentId: string, positionMs: number): void {
    const captions = this.#segments.get(segmentId) ?? [];
    this.#segments.delete(segmentId);
    for (const caption of captions) {
      for (const { timer } of caption.pieces) clearTimeout(timer);
      const heard = caption.pieces.filter(({ startMs }) => startMs < positionMs).length;
      this.#show(caption, Math.max(heard, caption.shownPieces), true);
    }
  }

  close(): void {
    for (const segmentId of [...this.#segments.keys()]) this.finished(segmentId, 0);
  }

  /** Shows the first pieces. `isCut`: no further ones come. */
  #show(caption: Caption, count: number, isCut: boolean): void {
    const { id, pieces, sentence, shownPieces } = caption;
    const wasComplete = shownPieces === pieces.length;
    if (count === 0 || wasComplete || (count <= shownPieces && !isCut)) return;
    if (shownPieces === 0 && sentence !== undefined) this.#options.onHeard?.(sentence);
    caption.expression ??= this.#options.expression();
    caption.shownPieces = isCut ? pieces.length : count;
    const shown = pieces.slice(0, count).map((piece) => piece.text);
    const isFinal = caption.shownPieces === pieces.length;
    this.#transcriptions.show({ id, text: shown.join("").trim(), isFinal, expression: caption.expression });
  }
}
