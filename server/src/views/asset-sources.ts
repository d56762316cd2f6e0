/** The source of each script that a page loads. */
export const scripts = {
  gesture: 'src/views/islands/gesture.ts',
  download: 'src/views/islands/download.ts',
  upload: 'src/views/islands/upload.tsx',
  reference: 'src/views/islands/reference.ts',
  frame: 'src/views/islands/frame.ts',
  'sign-in': 'src/views/islands/sign-in.ts',
  settings: 'src/views/islands/settings.ts',
  send: 'src/views/islands/send.tsx',
  request: 'src/views/islands/request.ts',
} as const;

export type Script = keyof typeof scripts;

/** The script of the page that verifies receipts. The page contains it, so it shares no file with the others. */
export const verifierScript = 'src/views/islands/verify.tsx';

/** The source of each stylesheet that a page loads: that of all pages, and one of its own. */
export const stylesheets = {
  pages: 'src/views/assets/pages.css',
  app: 'src/views/assets/app.css',
  reference: 'src/views/assets/reference.css',
} as const;

/** Files that no script or stylesheet asks for: pages and the manifest of the installed app name them. */
export const icons = {
  mark: 'src/views/assets/mark.svg',
  app192: 'src/views/assets/app-icon-192.png',
  app512: 'src/views/assets/app-icon-512.png',
} as const;
