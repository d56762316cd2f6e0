/** The source of each script that a page loads. */
export const scripts = {
  gesture: 'src/web/shared/islands/gesture.ts',
  download: 'src/web/receiver/islands/download.ts',
  upload: 'src/web/contact/islands/upload.tsx',
  reference: 'src/web/reference/islands/reference.ts',
  frame: 'src/web/app/islands/frame.ts',
  'sign-in': 'src/web/app/sign-in/islands/sign-in.ts',
  settings: 'src/web/app/settings/islands/settings.ts',
  send: 'src/web/app/send/islands/send.tsx',
  'add-receivers': 'src/web/app/sent/islands/add-receivers.tsx',
} as const;

export type Script = keyof typeof scripts;

/** The script of the page that verifies receipts. The page contains it, so it shares no file with the others. */
export const verifierScript = 'src/web/verify/islands/verify.tsx';

/** The source of each stylesheet that a page loads: that of all pages, one of its own, and that of a part of it. */
export const stylesheets = {
  pages: 'src/web/shared/styles/pages.css',
  app: 'src/web/app/styles/app.css',
  composer: 'src/web/app/send/composer.css',
  'sign-in': 'src/web/app/sign-in/sign-in.css',
  reference: 'src/web/reference/reference.css',
} as const;

/** Files that no script or stylesheet asks for: pages and the manifest of the installed app name them. */
export const icons = {
  mark: 'src/web/shared/mark.svg',
  app192: 'src/web/app/app-icon-192.png',
  app512: 'src/web/app/app-icon-512.png',
} as const;
