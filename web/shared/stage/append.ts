/** Puts children into an element, without those that are absent, and returns it. */
export function append<Parent extends Element>(
  parent: Parent,
  ...children: readonly (Element | false | undefined)[]
): Parent {
  parent.append(...children.filter((child) => child instanceof Element));
  return parent;
}
