// Tells those who wait when the last session has ended.

export class LastSession {
  readonly #waiting: (() => void)[] = [];

  /** Call it when no session is left. */
  hasEnded(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves when the last one has ended, or after `limitMs`. Default: no limit. */
  async wait(limitMs?: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      if (limitMs !== undefined) timer = setTimeout(resolve, limitMs);
    });
    clearTimeout(timer);
  }
}
