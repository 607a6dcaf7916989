// Guards a state machine: a move that its table does not list is a programmer's mistake.

/** The states that each state may change to. */
export type Moves<State extends string> = Readonly<Record<State, readonly State[]>>;

/** Throws Error unless `moves` lists `to` among the states that follow `from`. */
export function assertMove<State extends string>(moves: Moves<State>, from: State, to: State): void {
  if (!moves[from].includes(to)) throw new Error(`a move from ${from} to ${to} is not allowed`);
}
