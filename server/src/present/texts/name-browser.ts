import type { ViewTranslator } from './translator-context.ts';
import { describeBrowser } from './user-agent.ts';

/** Names a browser as people know it, such as “Firefox on Windows”. */
export function nameBrowser(translator: ViewTranslator, userAgent: string): string {
  const { browser, system } = describeBrowser(userAgent);
  if (browser && system) return translator.t('settings.session.name', { browser, system });
  return browser || system || translator.t('settings.session.unknown');
}
