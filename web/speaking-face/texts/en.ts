// The page's texts in English, and what the other languages have.
export const en = {
  /** Name of the page before it has one of a face. */
  page: "A speaking face",
  generated: "AI-generated face",
  words: "What it says",
  pictureOf: (name: string) => `Picture of ${name}`,
  filmOf: (name: string) => `Film of ${name}`,
  loading: "Loading",
  speak: "Speak",
  stop: "Stop",
  again: "Say it again",
  tryAgain: "Try again",
  playWithSound: "Play with sound",
  soundBlocked: "The browser plays nothing before you press.",
  makeFilm: "Make the film",
  makeFilmFor: (credits: number) => `Make the film (${credits} ${credits === 1 ? "credit" : "credits"})`,
  makingFilm: "Making the film",
  filmInstead: "This host cannot render the face. A film shows the same.",
  voiceOnly: "This host shows neither the moving face nor films. You hear the voice.",
  /** `why`: a sentence with its full stop. */
  voiceAfter: (why: string) => `${why} You hear the voice.`,
  noFilmHere: "The film cannot be played here.",
  notHere: "The face cannot be shown here.",
  /** By code of a `HostError` of the page's own. */
  problems: {
    NO_TOOLS: "This host lets the page ask for nothing.",
    BUSY: "Too much is asked at once.",
    TIMED_OUT: "There was no answer in time.",
    REFUSED: "The host refused.",
    FAILED: "The call failed.",
    CANCELLED: "The call was cancelled.",
    NOTHING_SENT: "The host sent no answer to show.",
    NO_FACE: "The face cannot be shown.",
    INCOMPLETE: "The host passed on an incomplete answer.",
    TOO_LARGE: "The face is too large for this page.",
    CHANGED: "The face changed meanwhile. Try again.",
    NO_FILMS: "This host shows no films.",
    FILM_FAILED: "The film could not be made; it costs nothing.",
    FILM_LATE: "The film is not there in time.",
  },
};

export type SpeakingTexts = typeof en;
export type ProblemCode = keyof SpeakingTexts["problems"];
