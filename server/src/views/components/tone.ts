import type { IconName } from './icon.tsx';

/** What a piece of news means to its reader. The stylesheet gives each a colour; an icon and words say the same. */
export type Tone = 'quiet' | 'calm' | 'good' | 'warn' | 'bad';

export const toneIcons: Record<Tone, IconName> = {
  quiet: 'info',
  calm: 'info',
  good: 'check',
  warn: 'alert',
  bad: 'alert',
};
