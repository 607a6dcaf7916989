// The price of a film beside the balance.
import type { ReactElement } from "react";
import { useCredits } from "../../data/prices.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { UPFRONT_MINUTES } from "./film-order.ts";

/** `rate`: credits per started minute. */
export function FilmPrice({ rate }: { rate: number }): ReactElement {
  const { films } = useTexts();
  const formats = useFormats();
  const credits = useCredits();
  return (
    <p className="film-price">
      {films.price(formats.credits(rate), formats.credits(rate * UPFRONT_MINUTES))}{" "}
      {credits.data && films.balance(formats.credits(credits.data.balance))}
    </p>
  );
}
