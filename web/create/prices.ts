// What an order costs and what there is to pay it with, beside the buttons that order.
import type { AgentClient, Balance, OrderKind } from "./agent-client.ts";
import type { CreateContext } from "./create-context.ts";

export interface PricesOptions {
  client: Pick<AgentClient, "creationPrices" | "balance">;
  /** Whether there is access to the prices, and whether to the balance. */
  access(): { hasPrices: boolean; hasBalance: boolean };
  /** Shows a price at one of the places. `isTooLittle`: the balance is lower. */
  show(place: string, text: string, isTooLittle: boolean): void;
}

/** Places for a price: of the picture that was chosen, of a description, and of a sample face. */
const PLACES: readonly { id: string; kind: OrderKind }[] = [
  { id: "price", kind: "photograph" },
  { id: "described-price", kind: "photograph" },
  { id: "sample-price", kind: "any" },
];

export class Prices {
  readonly #context: Pick<CreateContext, "texts" | "number">;
  readonly #options: PricesOptions;
  readonly #kinds = new Map(PLACES.map(({ id, kind }) => [id, kind]));
  #prices: Partial<Record<OrderKind, number>> | undefined;
  #balance: Balance | undefined;

  constructor(context: Pick<CreateContext, "texts" | "number">, options: PricesOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Loads prices and balance, and shows them. Never throws: without them the orders' answers tell. */
  async refresh(): Promise<void> {
    const { client, access } = this.#options;
    const { hasPrices, hasBalance } = access();
    const [prices, balance] = await Promise.all([
      hasPrices ? (this.#prices ?? client.creationPrices().catch(() => undefined)) : undefined,
      hasBalance ? client.balance().catch(() => undefined) : undefined,
    ]);
    this.#prices = prices;
    this.#balance = balance;
    this.#show();
  }

  /** The order of the picture is now of another kind. */
  showKind(kind: OrderKind): void {
    this.#kinds.set("price", kind);
    this.#show();
  }

  /** The price of an order in words; undefined if unknown. */
  priceOf(kind: OrderKind): string | undefined {
    const price = this.#prices?.[kind];
    return price === undefined ? undefined : this.#credits(price);
  }

  /** The balance in words; undefined if unknown. */
  get balance(): string | undefined {
    return this.#balance && this.#credits(this.#balance.credits);
  }

  /** Why an order cannot be paid; undefined if it can, or if that is unknown. A balance that was too low is read
   *  again. */
  async whyTooLittle(kind: OrderKind): Promise<string | undefined> {
    if (this.#missing(kind) === undefined) return undefined;
    await this.refresh();
    const missing = this.#missing(kind);
    const { tooLittle } = this.#context.texts.price;
    if (missing === undefined) return undefined;
    return tooLittle(this.priceOf(kind) ?? "", this.balance ?? "", this.#context.number(missing));
  }

  #missing(kind: OrderKind): number | undefined {
    const price = this.#prices?.[kind];
    const { credits = 0, isLimit = false } = this.#balance ?? {};
    return price !== undefined && isLimit && credits < price ? Math.ceil(price - credits) : undefined;
  }

  #credits(count: number): string {
    return this.#context.texts.price.credits(Math.floor(count));
  }

  #show(): void {
    const { texts } = this.#context;
    for (const [id, kind] of this.#kinds) {
      const price = this.priceOf(kind);
      const parts = [
        price !== undefined && texts.price.costs(price),
        price !== undefined && this.balance !== undefined && texts.price.balance(this.balance),
      ];
      this.#options.show(id, parts.filter(Boolean).join(" "), this.#missing(kind) !== undefined);
    }
  }
}
