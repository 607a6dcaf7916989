/** Whether two names differ by one letter that is missing, extra or wrong, or by two neighbours that are swapped. */
export function isOneLetterAway(one: string, other: string): boolean {
  const longest = Math.min(one.length, other.length);
  let before = 0;
  while (before < longest && one[before] === other[before]) before++;
  let after = 0;
  while (after < longest - before && one.at(-1 - after) === other.at(-1 - after)) after++;
  const [rest, otherRest] = [one, other].map((name) => name.slice(before, name.length - after));
  if (rest.length === 2) return otherRest === rest[1] + rest[0];
  return Math.max(rest.length, otherRest.length) === 1;
}
