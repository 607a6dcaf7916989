/** The element of the page with an id. Throws TypeError if there is none, or if it is of another kind. */
export function findElement<Kind extends HTMLElement>(id: string, kind: abstract new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new TypeError(`the page lacks #${id}`);
  return element;
}
