import { createHash } from 'node:crypto';
import { readPolicy } from '../../../domain/accounts/read-policy.ts';
import { listSentDrops, toFilter } from '../../../domain/drops/find-sent-drops.ts';
import { type DropInput, prepareDrop } from '../../../domain/drops/send-drop.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import type { LifetimeRule, Policy } from '../../../domain/policy.ts';
import { readSignInMethods } from '../../../domain/sign-in/read-sign-in-methods.ts';
import { removeUpload, uploadOwner } from '../../../domain/uploads/account-upload.ts';
import { isolate } from '../../../present/texts/plain.ts';
import { receiveFile } from '../send/composer-form.ts';
import type { AppRoute, MemberVisit } from '../shared/app-route.ts';
import { describeProblem } from '../shared/composer-problem.ts';
import { doOnce, readRequestId } from '../shared/do-once.ts';
import { listSecondFactors, toProblem } from '../shared/form-problem.ts';
import { replyWithScreen } from '../shared/reply-with-screen.tsx';
import { WelcomePage, type WelcomePageProps, welcomeTitle } from './welcome-page.tsx';

const daySeconds = 86_400;

/** The page of a first visit, whose last step sends a sample to the person's own address. */
export const welcomeRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path: '/:user/welcome',
    access: 'member',
    handle: (visit) => replyWithWelcome(visit, undefined),
  },
  {
    method: 'POST',
    path: '/:user/welcome/sample',
    access: 'member',
    async handle(visit) {
      const { engines, actor, base, form, reply } = visit;
      const policy = await readPolicy(engines, actor.accountId);
      const requestId = readRequestId(visit, form);
      const digest = createHash('sha256').update('sample').digest();
      try {
        const { path } = await doOnce(visit, { requestId, digest }, async () => {
          const make = await prepareSample(visit, policy);
          return async (within) => `${base}sent/${(await make(within)).id}?sent=1`;
        });
        return reply.redirect(path, 303);
      } catch (error) {
        if (!(error instanceof ExchangeError)) throw error;
        const problem = toProblem(error, { receivers: [], unreadable: [] } as never);
        reply.code(problem.status);
        const { text } = describeProblem(visit.translator, problem.problem, problem);
        return replyWithWelcome(visit, text);
      }
    },
  },
];

async function prepareSample(visit: MemberVisit, policy: Policy) {
  const { engines, actor, person, options, request, translator, ended } = visit;
  const text = translator.t('welcome.content', { operator: isolate(options.operator.name) });
  const part = { fileName: translator.t('welcome.fileName'), mediaType: 'text/plain' };
  const { id } = await receiveFile({ ...engines, policy }, actor, request, part, toBytes(`${text}\r\n`), ended);
  const factors = listSecondFactors(engines, policy);
  const input: DropInput = {
    expiresIn: chooseSampleSeconds(policy.lifetime),
    uploads: [id],
    message: translator.t('welcome.message'),
    // A code would be asked of somebody who has just signed in.
    secondFactor: factors.includes('off') ? 'off' : policy.secondFactor,
    notify: true,
    title: null,
    externalId: null,
    metadata: null,
    receivers: [{ email: person.email, ...(person.name === '' ? {} : { name: person.name }) }],
  };
  try {
    return await prepareDrop(engines, actor, input);
  } catch (error) {
    await removeUpload(engines, uploadOwner(actor, id), id).catch(() => undefined);
    throw error;
  }
}

async function* toBytes(text: string): AsyncGenerator<Buffer, void, void> {
  yield Buffer.from(text);
}

/** A day, or the nearest lifetime that the account may choose. */
function chooseSampleSeconds({ unitSeconds, min, max, only }: LifetimeRule): number {
  const day = Math.ceil(daySeconds / unitSeconds);
  const sorted = only?.toSorted((one, other) => one - other);
  const lifetime = sorted
    ? (sorted.find((each) => each >= day) ?? sorted.at(-1) ?? day)
    : Math.max(min, Math.min(day, max));
  return lifetime * unitSeconds;
}

async function replyWithWelcome(visit: MemberVisit, problem: string | undefined) {
  const { engines, actor, person, base, csrf, translator } = visit;
  const now = new Date();
  const [policy, methods, [sample]] = await Promise.all([
    readPolicy(engines, actor.accountId),
    readSignInMethods(engines, person.id),
    listSentDrops(engines, actor.accountId, 'downloadfiles', toFilter({ receiver: person.email }), {}, 1),
  ]);
  const props: WelcomePageProps = {
    base,
    csrf,
    now,
    person,
    methods: [
      ...methods.passkeys.map(({ name }) => ({ kind: 'passkey', name }) as const),
      ...(methods.password ? [{ kind: 'password', name: '' } as const] : []),
      ...methods.identities.map(({ provider }) => ({ kind: 'provider', name: nameProvider(visit, provider) }) as const),
    ],
    sample: sample && { href: `${base}sent/${sample.id}`, sentAt: sample.createdAt },
    sampleSeconds: chooseSampleSeconds(policy.lifetime),
    requestId: engines.random.uuid(),
    problem,
  };
  return replyWithScreen(visit, {
    screen: 'send',
    title: welcomeTitle(translator, props),
    page: <WelcomePage {...props} />,
  });
}

function nameProvider({ engines }: MemberVisit, id: string): string {
  return engines.identityProviders.rules.find((rule) => rule.id === id)?.name ?? id;
}
