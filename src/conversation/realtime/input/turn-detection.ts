// Where a person's turns begin and end by the client's settings, in audio that comes all the time.
import type { ConversationStt, EndOfTurn } from "../../turns/conversation-parts.ts";
import type { PersonSpeechOptions } from "../../turns/person-speech.ts";
import type { SpeechWindow } from "../../turns/turn-listener.ts";
import type { SessionSettings, TurnDetection } from "../session-settings.ts";

/** What `eagerness` does to the probability from which a turn is over. */
const EAGERNESS: Readonly<Record<TurnDetection["eagerness"], number>> = { low: 2, medium: 1, auto: 1, high: 0.5 };
/** The middle of the range in which a client may move the threshold of speech. */
const USUAL_THRESHOLD = 0.5;
const LEAST_THRESHOLD = 0.05;

/** Options of speech that follow the present settings. */
export function detectedSpeech(
  { stt, endOfTurn }: { stt: ConversationStt; endOfTurn: EndOfTurn },
  settings: () => SessionSettings,
): PersonSpeechOptions {
  return {
    stt,
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
  };
}

/** A window with its probability on a scale on which the client's threshold lies at 0.5. */
export function atUsualThreshold(
  { probability, samples }: SpeechWindow,
  { turnDetection: detection }: SessionSettings,
): SpeechWindow {
  const threshold = detection?.type === "server_vad" ? detection.threshold : USUAL_THRESHOLD;
  const inRange = Math.min(1 - LEAST_THRESHOLD, Math.max(LEAST_THRESHOLD, threshold));
  if (inRange === USUAL_THRESHOLD) return { probability, samples };
  return { probability: probability ** (Math.log(USUAL_THRESHOLD) / Math.log(inRange)), samples };
}
