import { icons } from '../shared/asset-sources.ts';
import type { AppRoute } from './shared/app-route.ts';

/** Colours of the app without an operator's own: those of the mark and of the page. */
const markColor = '#0b5d63';
const pageColor = '#f4f2ed';
const iconSizes = [192, 512] as const;

/**
 * Lets a person install the app, as browsers call it. On a phone, its Share menu then offers to send files by Waybill:
 * they come as an ordinary form.
 */
export const manifestRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path: '/manifest.webmanifest',
    access: 'anyone',
    async handle({ options: { operator, assets }, reply }) {
      const manifest = {
        id: '/home',
        name: operator.name,
        short_name: operator.name,
        start_url: '/home',
        scope: '/',
        display: 'standalone',
        background_color: pageColor,
        theme_color: operator.color ?? markColor,
        icons: iconSizes.map((size) => ({
          src: assets.href(icons[`app${size}`]),
          sizes: `${size}x${size}`,
          type: 'image/png',
          purpose: 'any maskable',
        })),
        share_target: {
          action: '/share',
          method: 'POST',
          enctype: 'multipart/form-data',
          params: { title: 'title', text: 'text', url: 'url', files: [{ name: 'files', accept: ['*/*'] }] },
        },
      };
      return reply.type('application/manifest+json; charset=utf-8').send(JSON.stringify(manifest));
    },
  },
];
