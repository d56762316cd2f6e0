import { createHash } from 'node:crypto';
import { limits } from '@waybill/protocol';
import type { FastifyReply } from 'fastify';
import { readPolicy } from '../../../domain/accounts/read-policy.ts';
import { readReceivers, type UnderstoodReceivers } from '../../../domain/contacts/read-receivers.ts';
import type { Policy } from '../../../domain/policy.ts';
import { type FileRequestInput, prepareRequest } from '../../../domain/requests/request-files.ts';
import { readChoices, toComposerProps, toDispatchInput } from '../send/composer-input.ts';
import { type ComposerChoices, describeValues, emptyValues, readComposerValues } from '../send/composer-values.ts';
import { toNoticePath } from '../sent/sent-changes.ts';
import type { AppRoute, MemberVisit } from '../shared/app-route.ts';
import { describeRequestProblem, type ShownProblem } from '../shared/composer-problem.ts';
import { doOnce, readRequestId } from '../shared/do-once.ts';
import { FormProblem, listSecondFactors, toProblem } from '../shared/form-problem.ts';
import { toListProps } from '../shared/list-visit.ts';
import { replyWithScreen } from '../shared/reply-with-screen.tsx';
import { RequestFormPage, type RequestValues, requestFormTexts, requestFormTitle } from './request-form-page.tsx';

const path = '/:user/requests/new';
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
      const choices = { ...(await readChoices(visit, policy)), sharedLinks: 'never' } as const;
      const receivers = typeof to === 'string' ? to.slice(0, maxToLength).replaceAll(',', ', ') : '';
      const values = emptyValues(usualFactor(visit, policy), choices, receivers);
      return replyWithForm(visit, {
        choices,
        values: { ...values, wanted: [], reusable: true },
        requestId: visit.engines.random.uuid(),
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
      const choices = { ...(await readChoices(visit, policy)), sharedLinks: 'never' } as const;
      const values = readValues(visit, policy);
      const requestId = readRequestId(visit, visit.form);
      const understood = await readReceivers(engines, actor, values.receivers);
      try {
        const input = toInput(visit, policy, choices, values, understood);
        const digest = createHash('sha256').update(describeValues(values)).digest();
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
        return replyWithForm(visit, { choices, values, requestId: nextId, understood }, shown);
      }
    },
  },
];

function usualFactor({ engines }: MemberVisit, policy: Policy) {
  return listSecondFactors(engines, policy)[0] ?? 'off';
}

function readValues(visit: MemberVisit, policy: Policy): RequestValues {
  const { form } = visit;
  const values = readComposerValues(form, usualFactor(visit, policy));
  return {
    ...values,
    message: values.message.trim(),
    wanted: form
      .getAll('wanted')
      .slice(0, 2 * limits.wantedFilesPerRequest)
      .flatMap((text) => {
        const name = text.trim().slice(0, 2 * limits.nameLength);
        return name === '' ? [] : [{ name, note: '' }];
      }),
    reusable: form.get('reusable') !== '0',
  };
}

function toInput(
  visit: MemberVisit,
  policy: Policy,
  choices: ComposerChoices,
  values: RequestValues,
  understood: UnderstoodReceivers,
): FileRequestInput {
  const input = toDispatchInput(visit, policy, choices, values, understood);
  const { wanted, reusable } = values;
  if (wanted.length > limits.wantedFilesPerRequest) {
    throw new FormProblem('wanted', { count: limits.wantedFilesPerRequest });
  }
  return { ...input, wanted, reusable };
}

function replyWithForm(
  visit: MemberVisit,
  form: {
    readonly choices: ComposerChoices;
    readonly values: RequestValues;
    readonly requestId: string;
    readonly understood?: UnderstoodReceivers;
  },
  problem?: ShownProblem,
): Promise<FastifyReply> {
  const { translator, reply } = visit;
  if (problem) reply.code(400);
  return replyWithScreen(visit, {
    screen: 'requests',
    title: requestFormTitle(translator),
    script: 'send',
    partStylesheet: 'composer',
    page: (
      <RequestFormPage
        {...toListProps(visit)}
        {...toComposerProps(visit, form.choices, form.values, form.understood)}
        requestId={form.requestId}
        textsJson={requestFormTexts(translator)}
        values={form.values}
        maxTitleLength={limits.titleLength}
        maxWanted={limits.wantedFilesPerRequest}
        problem={problem}
      />
    ),
  });
}
