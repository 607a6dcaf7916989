// Who is calling, as far as routes in general know: every way to authenticate has a name and a caller of its own.

/** Ways to authenticate, and who comes out of each. Nouns add theirs by declaration merging; `none` takes anybody. */
export interface Callers {
  none: null;
}

export type AuthKind = keyof Callers;
export type Caller = NonNullable<Callers[AuthKind]>;
