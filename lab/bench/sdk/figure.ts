/** One measurement beside what it must reach. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  goal: number;
  better: "lower" | "higher";
}

export function isReached({ value, goal, better }: Figure): boolean {
  return better === "lower" ? value <= goal : value >= goal;
}
