import type { NewDrop } from './drop-store.ts';

const daySeconds = 24 * 60 * 60;

/**
 * How long before the deadline receivers are reminded: a day, or a quarter of the time they have if that is shorter.
 * Only drops with files to download have a reminder.
 */
export function reminderSeconds(type: NewDrop['type'], secondsLeft: number): number | null {
  return type === 'downloadfiles' ? Math.min(daySeconds, secondsLeft / 4) : null;
}
