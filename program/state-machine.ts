// The state of a class that has states: one field with a table of the permitted moves. A move that the table does not
// list is a programmer's mistake.

/** The states that each state may change to. A state without any is final. */
export type Moves<State extends string> = Readonly<Record<State, readonly State[]>>;

/** Freezes a table of moves, so that all instances of a class may share it. */
export function defineMoves<State extends string>(moves: Moves<State>): Moves<State> {
  for (const next of Object.values(moves)) Object.freeze(next);
  return Object.freeze(moves);
}

export class StateMachine<State extends string> {
  readonly #moves: Moves<State>;
  #current: State;

  /** `moves`: of `defineMoves`. */
  constructor(moves: Moves<State>, initial: State) {
    this.#moves = moves;
    this.#current = initial;
  }

  get current(): State {
    return this.#current;
  }

  /** True in one of these states. */
  is(...states: readonly State[]): boolean {
    return states.includes(this.#current);
  }

  /** True if the table lists the move. Staying in a state is a move, too: it has to be listed. */
  canEnter(next: State): boolean {
    return this.#moves[this.#current].includes(next);
  }

  /** Changes the state. Throws Error if the table does not list the move. */
  enter(next: State): void {
    if (!this.canEnter(next)) throw new Error(`a move from ${this.#current} to ${next} is not allowed`);
    this.#current = next;
  }
}
