/** Segments opened before this thread handles other events that have arrived: about two milliseconds. */
const segmentsPerTurn = 16;

/**
 * The order in which downloads use this thread. When a thousand readers are ready for their next segment at the same
 * time, any other request would wait for all of them; with turns, it waits for only a few.
 */
export class EventLoopTurns {
  #openedInTurn = 0;
  #isTurnEnding = false;
  readonly #waiting: (() => void)[] = [];

  /** Call this before a segment is opened and sent. Returns undefined if there is no need to wait. */
  waitForTurn(): Promise<void> | undefined {
    if (!this.#isTurnEnding) {
      this.#isTurnEnding = true;
      setImmediate(() => this.#beginTurn());
    }
    if (this.#openedInTurn < segmentsPerTurn) {
      this.#openedInTurn += 1;
      return undefined;
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #beginTurn(): void {
    const next = this.#waiting.splice(0, segmentsPerTurn);
    this.#openedInTurn = next.length;
    this.#isTurnEnding = next.length > 0;
    if (this.#isTurnEnding) setImmediate(() => this.#beginTurn());
    for (const go of next) go();
  }
}
