/** Finds an element by its id. Throws TypeError if there is none, or if it is of another kind. */
export type FindElement = <Kind extends HTMLElement>(id: string, kind: abstract new () => Kind) => Kind;

/** The element of the page with an id. Throws TypeError if there is none, or if it is of another kind. */
export const findElement: FindElement = (id, kind) => checked(document.getElementById(id), id, kind);

/** Finds elements within a part of the page only. */
export function findWithin(part: ParentNode): FindElement {
  return (id, kind) => checked(part.querySelector(`#${id}`), id, kind);
}

function checked<Kind extends HTMLElement>(element: Element | null, id: string, kind: abstract new () => Kind): Kind {
  if (!(element instanceof kind)) throw new TypeError(`the page lacks #${id}`);
  return element;
}
