import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** The share of all cores that other programs may use before the measurement begins. */
const maxBusyBefore = 0.15;
/** The share of processor time that the host may take away during the measurement. */
const maxStolen = 0.05;

interface Ticks {
  idle: number;
  stolen: number;
  all: number;
}

/** Looks at the machine before anything is started; `doubts` lists the reasons not to trust the measurement. */
export async function watchMachine(): Promise<{ doubts(): string[] }> {
  const before = ticks();
  await pause(3_000);
  const start = ticks();
  const busy = 1 - (start.idle - before.idle) / (start.all - before.all);
  return {
    doubts() {
      const end = ticks();
      const stolen = (end.stolen - start.stolen) / (end.all - start.all);
      return [
        ...(busy > maxBusyBefore ? [`other programs used ${percent(busy)} of the processors before it began`] : []),
        ...(stolen > maxStolen ? [`the host took ${percent(stolen)} of the processors while it ran`] : []),
      ];
    },
  };
}

function ticks(): Ticks {
  const [, ...columns] = (readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] as string).split(/\s+/);
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0, stolen = 0] = columns.map(Number);
  return { idle: idle + waiting, stolen, all: user + nice + system + idle + waiting + irq + softirq + stolen };
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}
