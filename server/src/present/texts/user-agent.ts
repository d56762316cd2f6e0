/** A browser as far as people recognise it. Empty where it does not say. */
export interface BrowserName {
  readonly browser: string;
  readonly system: string;
  readonly isPhone: boolean;
}

/** In this order, because most browsers claim to be others, too. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Reads what a browser says of itself. It may lie: this is for people to recognise their own devices by. */
export function describeBrowser(userAgent: string): BrowserName {
  const find = (known: typeof browsers) => known.find(([pattern]) => pattern.test(userAgent))?.[1] ?? '';
  const system = find(systems);
  return { browser: find(browsers), system, isPhone: /\bMobile\b/.test(userAgent) && system !== 'iPad' };
}
