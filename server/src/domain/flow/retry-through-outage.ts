const firstPauseMs = 100;
const longestPauseMs = 1_000;
/** Longer than a database takes to restart and recover. */
const usualPatienceMs = 5 * 60_000;

/**
 * Retries work that must not be lost in a short outage until it succeeds, within limits; not after an error that the
 * caller knows to stay.
 */
export async function retryThroughOutage<Result>(
  work: () => Promise<Result>,
  isPassing: (error: unknown) => boolean = () => true,
  patienceMs = usualPatienceMs,
): Promise<Result> {
  const deadline = performance.now() + patienceMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || performance.now() + pauseMs > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
