import type { AppRoute } from './app-route.ts';

/** The first screen of an account. */
export const sendRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path: '/:user/',
    access: 'reader',
    handle: async ({ reply, base }) => reply.redirect(`${base}settings`, 303),
  },
];
