// Whether a person talks, from how far a microphone exceeds the echo.

export interface GateInput {
  /** Excess of what the filter left, dB. */
  restDb: number;
  /** Excess of the microphone itself, dB. */
  microphoneDb: number;
  /** How much what the filter left resembles the echo, 0 to 1. */
  likeness: number;
  /** Whether the echo may just have moved. */
  isContradicted: boolean;
  /** Whether the microphone has sounded for a while without a trace of the avatar. */
  isLonely: boolean;
}

/** A person's voice beside the prediction reaches 0.1. More is echo, unless the microphone is far too loud for it. */
const LIKE_ECHO = 0.12;
const LOUD_DB = 5;
/** Echo, however loud. */
const SURELY_ECHO = 0.2;
/** Echo and nothing else. */
const ONLY_ECHO = 0.35;
/** Echo alone stays below 1.1 dB in 99.9 % of blocks; a person as loud as the echo is above 3 dB in 80 %. */
const OPEN_DB = 1.8;
const CLOSE_DB = 0.8;
/** Excess of the microphone that confirms that of the rest. */
const SURE_DB = 0.4;
/** Blocks of 10 ms. */
const OPEN_BLOCKS = 3;
/** Without that confirmation: an echo that has moved is found within this time. */
const UNSURE_BLOCKS = 15;
const LONGEST_HOLD = 25;
const SHORTEST_HOLD = 5;

/** Opens after 30 ms, and closes 50 to 250 ms after the person: the longer they talked, the later. */
export class PersonGate {
  #isOpen = false;
  /** Blocks: above the limit, below it, since it opened. */
  #above = 0;
  #below = 0;
  #open = 0;

  /** Whether a person talks. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    this.#below = 0;
    this.#open = 0;
  }

  close(): void {
    this.#isOpen = false;
    this.#above = 0;
  }

  /** Takes the judgement of a block. */
  push({ restDb, microphoneDb, likeness, isContradicted, isLonely }: GateInput): void {
    const isDoubtful = (likeness > LIKE_ECHO || isContradicted) && microphoneDb < LOUD_DB;
    const isEcho = isDoubtful || likeness > SURELY_ECHO;
    if (likeness > ONLY_ECHO) this.close();
    else if (this.#isOpen) this.#hold((restDb >= CLOSE_DB && !isEcho) || isLonely);
    else this.#await(restDb >= OPEN_DB && !isEcho, microphoneDb >= SURE_DB, isLonely);
  }

  #await(isAbove: boolean, isSure: boolean, isLonely: boolean): void {
    this.#above = isAbove ? this.#above + 1 : 0;
    if (isLonely || this.#above >= (isSure ? OPEN_BLOCKS : UNSURE_BLOCKS)) this.open();
  }

  #hold(isTalking: boolean): void {
    this.#open++;
    this.#below = isTalking ? 0 : this.#below + 1;
    if (this.#below > Math.min(LONGEST_HOLD, Math.max(SHORTEST_HOLD, this.#open - this.#below))) this.close();
  }
}
