import type { AppRoute } from './app-route.ts';
import { contactRoutes } from './contacts.tsx';
import { deliveryRoutes } from './delivery.tsx';
import { enrolmentRoutes } from './enrolment.tsx';
import { eventRoutes } from './events.ts';
import { homeRoutes } from './home.tsx';
import { inboxRoutes } from './inbox.tsx';
import { mailedLinkRoutes } from './mailed-links.tsx';
import { manifestRoutes } from './manifest.ts';
import { providerRoutes } from './providers.tsx';
import { publicPageRoutes } from './public-page.tsx';
import { requestRoutes } from './requests.tsx';
import { sendRoutes } from './send.tsx';
import { sentRoutes } from './sent.tsx';
import { settingsRoutes } from './settings.tsx';
import { settingsAccountRoutes } from './settings-account.tsx';
import { settingsKeysRoutes } from './settings-keys.tsx';
import { settingsWebhooksRoutes } from './settings-webhooks.tsx';
import { signInRoutes } from './sign-in.tsx';
import { uploadRoutes } from './uploads.ts';

/** Every route of the app. One that is not here does not exist. */
export const appRoutes: readonly AppRoute[] = [
  ...signInRoutes,
  ...mailedLinkRoutes,
  ...enrolmentRoutes,
  ...providerRoutes,
  ...publicPageRoutes,
  ...homeRoutes,
  ...manifestRoutes,
  ...sendRoutes,
  ...inboxRoutes,
  ...requestRoutes,
  ...contactRoutes,
  ...eventRoutes,
  ...sentRoutes,
  ...deliveryRoutes,
  ...settingsRoutes,
  ...settingsAccountRoutes,
  ...uploadRoutes,
  ...settingsKeysRoutes,
  ...settingsWebhooksRoutes,
];
