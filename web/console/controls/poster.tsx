// The still of an agent at rest.
import { type ReactElement, useState } from "react";
import { atOwnOrigin } from "../../shared/at-own-origin.ts";
import "./agent.css";

export interface PosterProps {
  /** The agent's `poster_url`. */
  url: string | null;
  /** CSS class that sets the size. Default: as wide as there is room. */
  className?: string;
}

/** Silent: the name stands beside it. Without a picture, the shape of a head. */
export function Poster({ url, className = "" }: PosterProps): ReactElement {
  const [broken, setBroken] = useState<string | null>(null);
  const classes = `poster ${className}`;
  if (url === null || url === broken) {
    return (
      <svg aria-hidden="true" className={classes} preserveAspectRatio="xMidYMax meet" viewBox="0 0 24 24">
        <path d="M12 14a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9M3 24c1-5 4.500-8 9-8s8 3 9 8z" />
      </svg>
    );
  }
  return <img alt="" className={classes} loading="lazy" onError={() => setBroken(url)} src={atOwnOrigin(url)} />;
}
