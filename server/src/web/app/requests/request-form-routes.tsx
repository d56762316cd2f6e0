import { createHash } from 'node:crypto';
import { limits } from '@waybill/protocol';
import type { FastifyReply } from 'fastify';
import { readPolicy } from '../../../domain/accounts/read-policy.ts';
import { readReceivers, type UnderstoodReceivers } from '../../../domain/contacts/read-receivers.ts';
import type { SignedIn } from '../../../domain/people/sessions.ts';
import type { Policy } from '../../../domain/policy.ts';
import { type FileRequestInput, prepareRequest } from '../../../domain/requests/request-files.ts';
import { offerDeadlines, readDeadline } from '../sent/deadlines.ts';
import { toNoticePath } from '../sent/sent-changes.ts';
import type { AppRequest, AppRoute, MemberVisit, Visit } from '../shared/app-route.ts';
import { describeRequestProblem, type ShownProblem } from '../shared/composer-problem.ts';
import { doOnce, readRequestId } from '../shared/do-once.ts';
import {
  FormProblem,
  listSecondFactors,
  requireReceivers,
  requireShortMessage,
  secondFactors,
  toProblem,
} from '../shared/form-problem.ts';
import { toListProps } from '../shared/list-visit.ts';
import { replyWithScreen } from '../shared/reply-with-screen.tsx';
import { RequestFormPage, type RequestValues, requestFormTexts, requestFormTitle } from './request-form-page.tsx';

const path = '/:user/requests/new';
const daySeconds = 86_400;
const maxToLength = 16 * 1024;

/** Asks people for files. */
export const requestFormRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path,
    access: 'member',
    async handle(visit) {
      const { to } = visit.request.query as { to?: unknown };
      const policy = await readPolicy(visit.engines, visit.actor.accountId);
      return replyWithForm(visit, policy, visit.engines.random.uuid(), {
        receivers: typeof to === 'string' ? to.slice(0, maxToLength).replaceAll(',', ', ') : '',
        message: '',
        days: (policy.lifetime.default * policy.lifetime.unitSeconds) / daySeconds,
        date: undefined,
        reusable: false,
        secondFactor: listSecondFactors(visit.engines, policy)[0] ?? 'off',
        notify: true,
      });
    },
  },
  {
    method: 'POST',
    path,
    access: 'member',
    async handle(visit) {
      const { engines, actor } = visit;
      const policy = await readPolicy(engines, actor.accountId);
      const values = readValues(visit, policy);
      const requestId = readRequestId(visit, visit.form);
      const understood = await readReceivers(engines, actor, values.receivers);
      try {
        const input = toInput(visit, policy, values, understood);
        const digest = createHash('sha256').update(JSON.stringify(values)).digest();
        const { path: made } = await doOnce(visit, { requestId, digest }, async () => {
          const make = await prepareRequest(engines, actor, input);
          return async (within) =>
            toNoticePath(visit.base, 'requests', values.notify ? 'asked' : 'linksReady', {
              dropId: (await make(within)).id,
            });
        });
        return visit.reply.redirect(made, 303);
      } catch (error) {
        const { problem, ...details } = toProblem(error, understood);
        const shown = describeRequestProblem(visit.translator, problem, details);
        if (!shown) throw error;
        // Pressing the button again is meant then.
        const nextId = problem === 'repeated' ? engines.random.uuid() : requestId;
        return replyWithForm(visit, policy, nextId, values, shown);
      }
    },
  },
];

function readValues(visit: Visit, policy: Policy): RequestValues {
  const { form } = visit;
  const days = form.get('days') ?? '';
  const factor = form.get('second_factor');
  return {
    receivers: form.get('receiver') ?? '',
    message: (form.get('message') ?? '').replaceAll('\r\n', '\n').trim(),
    days: /^\d{1,4}$/.test(days) ? Number(days) : undefined,
    date: days === '' ? (form.get('date') ?? '').slice(0, 20) : undefined,
    reusable: form.get('reusable') === '1',
    secondFactor: secondFactors.find((each) => each === factor) ?? listSecondFactors(visit.engines, policy)[0] ?? 'off',
    notify: form.get('notify') !== '0',
  };
}

function toInput(
  { person, form }: AppRequest & SignedIn,
  { lifetime }: Policy,
  values: RequestValues,
  understood: UnderstoodReceivers,
): FileRequestInput {
  const receivers = requireReceivers(understood);
  requireShortMessage(values.message);
  const expiresAt = readDeadline(form, { lifetime, now: new Date(), timeZone: person.timeZone });
  if (!expiresAt) throw new FormProblem('until');
  return {
    receivers: receivers.map(({ email, name }) => (name === '' ? { email } : { email, name })),
    message: values.message,
    ...(values.days === undefined ? { expiresAt } : { expiresIn: values.days * daySeconds }),
    reusable: values.reusable,
    secondFactor: values.secondFactor,
    notify: values.notify,
    title: null,
    externalId: null,
    metadata: null,
  };
}

function replyWithForm(
  visit: MemberVisit,
  policy: Policy,
  requestId: string,
  values: RequestValues,
  problem?: ShownProblem,
): Promise<FastifyReply> {
  const { base, person, translator, reply } = visit;
  if (problem) reply.code(400);
  const { lifetime } = policy;
  const usual = (lifetime.default * lifetime.unitSeconds) / daySeconds;
  const choices = offerDeadlines({ lifetime, now: new Date(), timeZone: person.timeZone });
  const days = Number.isInteger(usual) ? [...new Set([...choices.days, usual])] : choices.days;
  return replyWithScreen(visit, {
    screen: 'requests',
    title: requestFormTitle(translator),
    script: 'request',
    page: (
      <RequestFormPage
        {...toListProps(visit)}
        requestId={requestId}
        receiversHref={`${base}receivers`}
        textsJson={requestFormTexts(translator)}
        values={values}
        choices={{ ...choices, days: days.toSorted((one, other) => one - other) }}
        secondFactors={listSecondFactors(visit.engines, policy)}
        canPassLinks={policy.receiverDomains === null}
        maxMessageLength={limits.messageLength}
        problem={problem}
      />
    ),
  });
}
