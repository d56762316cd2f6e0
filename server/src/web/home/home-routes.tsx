import type { App } from '../../http/shared/app.ts';
import type { PageEngines } from '../links/page-engines.ts';
import { genuinePath } from '../shared/components/page-foot.tsx';
import { chooseTranslator, type PageOptions, replyWithPage } from '../shared/page.ts';
import { HomePage, homeTitle } from './home-page.tsx';

/** `/genuine`: says who runs this server, and how to recognise a genuine link. */
export function homePage(app: App, { policy }: Pick<PageEngines, 'policy'>, options: PageOptions): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: genuinePath,
    config: { authentication: 'nobody' },
    handler: async (request, reply) => {
      const translator = chooseTranslator(options, request);
      const props = {
        operator: options.operator.name,
        publicUrl: policy.publicUrl,
        mailFrom: policy.mailFrom,
        support: options.operator.supportAddress,
        apiDescription: '/docs',
        // Also right for a person who has signed in.
        signInHref: '/',
      };
      return replyWithPage(options, request, reply, translator, {
        title: homeTitle(translator),
        page: <HomePage {...props} />,
      });
    },
  });
}
