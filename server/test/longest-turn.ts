/**
 * The longest time for which this thread did nothing but one turn of its event loop while the work ran, in milliseconds of
 * CPU time: another program on the machine does not make it longer.
 */
export async function measureLongestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isDone = false;
  let before = readCpuMs();
  const look = () => {
    const now = readCpuMs();
    longest = Math.max(longest, now - before);
    before = now;
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
  } finally {
    isDone = true;
    look();
  }
  return longest;
}

function readCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
