import { createHash } from 'node:crypto';
import { errors, limits } from '@waybill/protocol';
import type { FastifyReply } from 'fastify';
import { readPolicy } from '../../domain/accounts/read-policy.ts';
import { readReceivers, type UnderstoodReceivers } from '../../domain/contacts/read-receivers.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { isWeaker } from '../../domain/links/second-factor.ts';
import type { SignedIn } from '../../domain/people/sessions.ts';
import type { Policy, SecondFactor } from '../../domain/policy.ts';
import { type FileRequestInput, prepareRequest } from '../../domain/requests/request-files.ts';
import {
  RequestFormPage,
  type RequestProblem,
  type RequestValues,
  requestFormTexts,
  requestFormTitle,
} from '../../views/pages/app/request-form-page.tsx';
import type { AppContext, AppRequest, AppRoute, MemberVisit, Visit } from './app-route.ts';
import { offerDeadlines, readDeadline } from './deadlines.ts';
import { doOnce, readRequestId } from './do-once.ts';
import { toListProps } from './list-visit.ts';
import { sendScreen } from './send-screen.tsx';
import { toNoticePath } from './sent-changes.ts';

const path = '/:user/requests/new';
const factors: readonly SecondFactor[] = ['off', 'mail', 'sms'];
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
      return sendForm(visit, policy, visit.engines.random.uuid(), {
        receivers: typeof to === 'string' ? to.slice(0, maxToLength).replaceAll(',', ', ') : '',
        message: '',
        days: (policy.lifetime.default * policy.lifetime.unitSeconds) / daySeconds,
        date: undefined,
        reusable: false,
        secondFactor: listFactors(visit, policy)[0] ?? 'off',
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
      const input = toInput(visit, policy, values, await readReceivers(engines, actor, values.receivers));
      if ('kind' in input) return sendForm(visit, policy, requestId, values, input);
      try {
        const digest = createHash('sha256').update(JSON.stringify(values)).digest();
        const { path: shown } = await doOnce(visit, { requestId, digest }, async () => {
          const make = await prepareRequest(engines, actor, input);
          return async (within) =>
            toNoticePath(visit.base, 'requests', values.notify ? 'asked' : 'linksReady', {
              dropId: (await make(within)).id,
            });
        });
        return visit.reply.redirect(shown, 303);
      } catch (error) {
        const problem = toProblem(error, input);
        // Pressing the button again is meant then.
        const nextId = problem.kind === 'repeated' ? engines.random.uuid() : requestId;
        return sendForm(visit, policy, nextId, values, problem);
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
    secondFactor: factors.find((each) => each === factor) ?? listFactors(visit, policy)[0] ?? 'off',
    notify: form.get('notify') !== '0',
  };
}

function toInput(
  { person, form }: AppRequest & SignedIn,
  { lifetime }: Policy,
  values: RequestValues,
  { receivers, unreadable }: UnderstoodReceivers,
): FileRequestInput | RequestProblem {
  const [word] = unreadable;
  if (word !== undefined) return { kind: 'unreadable', name: word };
  if (receivers.length === 0) return { kind: 'nobody' };
  if (receivers.length > limits.receiversPerDispatch) return { kind: 'tooMany', count: limits.receiversPerDispatch };
  if (values.message.length > limits.messageLength) return { kind: 'message', count: limits.messageLength };
  const expiresAt = readDeadline(form, { lifetime, now: new Date(), timeZone: person.timeZone });
  if (!expiresAt) return { kind: 'date' };
  return {
    receivers: receivers.map(({ email, name }) => (name === '' ? { email } : { email, name })),
    message: values.message,
    ...(values.days === undefined ? { expiresAt } : { expiresIn: values.days * daySeconds }),
    reusable: values.reusable,
    secondFactor: values.secondFactor,
    notify: values.notify,
    externalId: null,
    metadata: null,
  };
}

/** Finds the words for what the domain refuses. An error that is nobody's input stays one. */
function toProblem(error: unknown, { receivers }: FileRequestInput): RequestProblem {
  if (!(error instanceof ExchangeError) || errors[error.code].status >= 500) throw error;
  if (error.code === 'idempotency_key_reused') return { kind: 'repeated' };
  if (error.code === 'daily_limit' || error.code === 'too_many_messages') return { kind: 'limit' };
  const [fault] = error.faults;
  const { entry, field, code } = fault ?? {};
  if (field === 'expiresIn' || field === 'expiresAt') return { kind: 'date' };
  if (field === 'notify') return { kind: 'links' };
  if (entry?.of !== 'receivers') throw error;
  const name = receivers[entry.index]?.email;
  if (field === 'phone') return { kind: 'noPhone', name };
  return { kind: code === 'recipient_not_allowed' ? 'notAllowed' : 'unreadable', name };
}

/** Those that are not weaker than the account's rule; one by SMS only where the server sends any. */
function listFactors({ engines }: AppContext, { secondFactor }: Policy): SecondFactor[] {
  const allowed = factors.filter((factor) => !isWeaker(factor, secondFactor) && (factor !== 'sms' || engines.sms));
  return allowed.length > 0 ? allowed : [secondFactor];
}

function sendForm(
  visit: MemberVisit,
  policy: Policy,
  requestId: string,
  values: RequestValues,
  problem?: RequestProblem,
): Promise<FastifyReply> {
  const { base, person, translator, reply } = visit;
  if (problem) reply.code(400);
  const { lifetime } = policy;
  const usual = (lifetime.default * lifetime.unitSeconds) / daySeconds;
  const choices = offerDeadlines({ lifetime, now: new Date(), timeZone: person.timeZone });
  const days = Number.isInteger(usual) ? [...new Set([...choices.days, usual])] : choices.days;
  return sendScreen(visit, {
    screen: 'requests',
    title: requestFormTitle(translator),
    script: 'request.ts',
    page: (
      <RequestFormPage
        {...toListProps(visit)}
        requestId={requestId}
        receiversHref={`${base}receivers`}
        textsJson={requestFormTexts(translator)}
        values={values}
        choices={{ ...choices, days: days.toSorted((one, other) => one - other) }}
        secondFactors={listFactors(visit, policy)}
        canPassLinks={policy.receiverDomains === null}
        maxMessageLength={limits.messageLength}
        problem={problem}
      />
    ),
  });
}
