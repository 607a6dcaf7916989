// The turns of a person whose audio comes all the time: where they begin and end, by the client's settings.
import type { ConversationEars, EndOfTurn } from "../conversation/conversation-parts.ts";
import { PersonSpeech, type PersonSpeechEvents } from "../conversation/person-speech.ts";
import type { SpeechWindow } from "../conversation/turn-listener.ts";
import type { SessionSettings, TurnDetection } from "./session-settings.ts";

/** What `eagerness` does to the probability from which a turn is over. */
const EAGERNESS: Readonly<Record<TurnDetection["eagerness"], number>> = { low: 2, medium: 1, auto: 1, high: 0.5 };
/** The middle of the range in which a client may move the threshold of speech. */
const USUAL_THRESHOLD = 0.5;
const LEAST_THRESHOLD = 0.05;

export interface PersonTurnsOptions {
  ears: ConversationEars;
  endOfTurn: EndOfTurn;
  /** The present ones. */
  settings(): SessionSettings;
  events: PersonSpeechEvents;
}

export class PersonTurns {
  readonly #settings: () => SessionSettings;
  readonly #speech: PersonSpeech;

  constructor({ ears, endOfTurn, settings, events }: PersonTurnsOptions) {
    this.#settings = settings;
    this.#speech = new PersonSpeech({
      ears,
      endOfTurn: {
        predict: (samples) => endOfTurn.predict(samples),
        threshold: (language) => {
          const factor = EAGERNESS[settings().turnDetection?.eagerness ?? "auto"];
          return Math.min(0.99, endOfTurn.threshold(language) * factor);
        },
      },
      get language() {
        return settings().language;
      },
      get silenceMs() {
        const detection = settings().turnDetection;
        return detection?.type === "server_vad" ? detection.silenceMs : undefined;
      },
      events,
    });
  }

  /** Whether the person is in the middle of an utterance. */
  get isOpen(): boolean {
    return this.#speech.isOpen;
  }

  push({ probability, samples }: SpeechWindow): void {
    const detection = this.#settings().turnDetection;
    const threshold = detection?.type === "server_vad" ? detection.threshold : USUAL_THRESHOLD;
    this.#speech.push({ probability: atUsualThreshold(probability, threshold), samples });
  }

  /** See `PersonSpeech.endTurn`. */
  endTurn(): boolean {
    return this.#speech.endTurn();
  }

  drop(): void {
    this.#speech.drop();
  }
}

/** A probability on a scale on which the client's threshold lies at 0.5. */
function atUsualThreshold(probability: number, threshold: number): number {
  const inRange = Math.min(1 - LEAST_THRESHOLD, Math.max(LEAST_THRESHOLD, threshold));
  return inRange === USUAL_THRESHOLD ? probability : probability ** (Math.log(USUAL_THRESHOLD) / Math.log(inRange));
}
