import type { IconName } from './icon.tsx';

/**
 * The meaning of a message for its reader. The stylesheet has a colour for each tone; an icon and the text say the
 * same.
 */
export type Tone = 'quiet' | 'calm' | 'good' | 'warn' | 'bad';

export const toneIcons: Record<Tone, IconName> = {
  quiet: 'info',
  calm: 'info',
  good: 'check',
  warn: 'alert',
  bad: 'alert',
};
