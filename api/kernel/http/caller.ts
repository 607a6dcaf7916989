// The caller of a route: every way to authenticate has a name and a type of caller.

/** Ways to authenticate, and the caller that each yields. Nouns add theirs by declaration merging; `none` needs no
 *  credential. */
export interface Callers {
  none: null;
}

export type AuthKind = keyof Callers;
