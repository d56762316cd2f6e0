import { aboutRoutes } from './about/about-routes.tsx';
import { contactRoutes } from './contacts/contact-list-routes.tsx';
import { eventRoutes } from './events.ts';
import { homeRoutes } from './home-routes.tsx';
import { inboxRoutes } from './inbox/inbox-routes.tsx';
import { manifestRoutes } from './manifest.ts';
import { publicPageRoutes } from './public-page/public-page-routes.tsx';
import { requestRoutes } from './requests/request-list-routes.tsx';
import { sendRoutes } from './send/send-routes.tsx';
import { uploadRoutes } from './send/uploads-routes.ts';
import { sentRoutes } from './sent/drop-list-routes.tsx';
import { dropRoutes } from './sent/drop-routes.tsx';
import { settingsAccountRoutes } from './settings/settings-account-routes.tsx';
import { settingsKeysRoutes } from './settings/settings-keys-routes.tsx';
import { settingsRoutes } from './settings/settings-routes.tsx';
import { settingsWebhooksRoutes } from './settings/settings-webhooks-routes.tsx';
import type { AppRoute } from './shared/app-route.ts';
import { enrolmentRoutes } from './sign-in/enrolment-routes.tsx';
import { mailedLinkRoutes } from './sign-in/mailed-links-routes.tsx';
import { providerRoutes } from './sign-in/providers-routes.tsx';
import { signInRoutes } from './sign-in/sign-in-routes.tsx';
import { welcomeRoutes } from './welcome/welcome-routes.tsx';

/** Every route of the app. One that is not here does not exist. */
export const appRoutes: readonly AppRoute[] = [
  ...signInRoutes,
  ...mailedLinkRoutes,
  ...enrolmentRoutes,
  ...providerRoutes,
  ...publicPageRoutes,
  ...homeRoutes,
  ...aboutRoutes,
  ...welcomeRoutes,
  ...manifestRoutes,
  ...sendRoutes,
  ...inboxRoutes,
  ...requestRoutes,
  ...contactRoutes,
  ...eventRoutes,
  ...sentRoutes,
  ...dropRoutes,
  ...settingsRoutes,
  ...settingsAccountRoutes,
  ...uploadRoutes,
  ...settingsKeysRoutes,
  ...settingsWebhooksRoutes,
];
