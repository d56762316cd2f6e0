import { createHash } from 'node:crypto';
import { limits } from '@waybill/protocol';
import type { FastifyReply } from 'fastify';
import { findAccountById } from '../../../domain/accounts/read-accounts.ts';
import { readPolicy } from '../../../domain/accounts/read-policy.ts';
import { phoneNumber } from '../../../domain/contacts/phone-number.ts';
import { readReceivers, type UnderstoodReceivers } from '../../../domain/contacts/read-receivers.ts';
import { type DropInput, prepareDrop } from '../../../domain/drops/send-drop.ts';
import type { SharedLinkInput } from '../../../domain/drops/shared-links.ts';
import type { ExchangeError } from '../../../domain/exchange-error.ts';
import type { SignedIn } from '../../../domain/people/sessions.ts';
import type { Policy } from '../../../domain/policy.ts';
import { findUploads, removeUpload, uploadOwner } from '../../../domain/uploads/account-upload.ts';
import { findFileSizeLeft, findFileSizeLimit } from '../../../domain/uploads/find-file-size-limit.ts';
import type { AppContext, AppRequest, AppRoute, Member, MemberVisit, Visit } from '../shared/app-route.ts';
import { describeProblem, type ProblemDetails } from '../shared/composer-problem.ts';
import { doOnce, readRequestId } from '../shared/do-once.ts';
import {
  FormProblem,
  isFileProblem,
  listSecondFactors,
  type Problem,
  requireReceivers,
  requireShortMessage,
  secondFactors,
  toFileProblem,
  toProblem,
} from '../shared/form-problem.ts';
import { replyWithScreen } from '../shared/reply-with-screen.tsx';
import { type FormWithFiles, readFormWithFiles, readUploadIds } from './composer-form.ts';
import { toDraftKey } from './draft-key.ts';
import { listLifetimes, readLifetime } from './lifetime-choices.ts';
import { receiverRoutes } from './receivers.ts';
import { type ComposerValues, composerTexts, SendPage, sendTitle } from './send-page.tsx';
import { shareRoutes } from './share.ts';
import { readSharedLink, readSharedLinkValues } from './shared-link-rows.tsx';

const phonePrefix = 'phone:';
/** The longest short field: more than a lifetime, a date or a phone number has. A refused form shows it again. */
const shortLength = 100;

/** The first screen of an account: the composer. */
export const sendRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path: '/:user/',
    access: 'reader',
    async handle(visit) {
      const { to, upload, refused } = visit.request.query as { to?: unknown; upload?: unknown; refused?: unknown };
      const { engines, actor } = visit;
      const [policy, account] = await Promise.all([
        readPolicy(engines, actor.accountId),
        findAccountById(engines, actor.accountId),
      ]);
      const uploads = readUploadIds([upload].flat().filter((id) => typeof id === 'string'));
      const values = {
        ...emptyValues(visit, policy, account?.defaultDays ?? null),
        receivers: typeof to === 'string' ? to : '',
      };
      return replyWithComposer(
        visit,
        { policy, values, uploads, requestId: engines.random.uuid() },
        describeSharedFile(visit, policy, refused),
      );
    },
  },
  {
    method: 'POST',
    path: '/:user/send',
    access: 'member',
    body: 'multipart',
    transfer: true,
    async handle(visit) {
      const form = await readFormWithFiles(visit, visit.actor, visit.ended);
      const composed = await readComposer(visit, form);
      try {
        return respondWithLocation(visit, await send(visit, form, composed));
      } catch (error) {
        const problem = toProblem(error, composed.understood);
        return replyWithRefusal(visit, composed, problem);
      }
    },
  },
  ...receiverRoutes,
  ...shareRoutes,
];

/** The form as it was filled in. */
interface Composed {
  readonly policy: Policy;
  readonly values: ComposerValues;
  readonly uploads: readonly string[];
  readonly requestId: string;
  readonly sharedLink?: SharedLinkInput | undefined;
  readonly understood: UnderstoodReceivers;
}

async function readComposer(visit: AppContext & Member, { fields, files }: FormWithFiles): Promise<Composed> {
  const { engines, actor } = visit;
  const policy = await readPolicy(engines, actor.accountId);
  const factor = fields.get('second_factor');
  const receivers = fields.getAll('receiver').join('\n');
  const readShort = (name: string) => (fields.get(name) ?? '').slice(0, shortLength);
  const values = {
    receivers,
    message: fields.get('message') ?? '',
    days: readShort('days'),
    until: readShort('until'),
    secondFactor: secondFactors.find((each) => each === factor) ?? policy.secondFactor,
    notify: fields.get('notify') !== 'links',
    shared: readSharedLinkValues(fields),
    phones: new Map(
      [...fields].flatMap(([name, value]) =>
        name.startsWith(phonePrefix) && value.trim() !== ''
          ? [[name.slice(phonePrefix.length), value.slice(0, shortLength)]]
          : [],
      ),
    ),
  };
  return {
    policy,
    values,
    uploads: [...readUploadIds(fields.getAll('upload')), ...files.map(({ id }) => id)],
    requestId: readRequestId(visit, fields),
    sharedLink: readSharedLink(fields),
    understood: await readReceivers(engines, actor, receivers),
  };
}

/** Makes the drop, once for each request id. Returns the path of its page. */
async function send(visit: AppContext & Member, form: FormWithFiles, composed: Composed): Promise<string> {
  const { engines, actor, base } = visit;
  const once = { requestId: composed.requestId, digest: digestForm(form, composed) };
  const { path, isRepeated } = await doOnce(visit, once, async () => {
    const make = await prepareDrop(engines, actor, toInput(visit, form, composed));
    // The links are shown by an action of its own, which is recorded.
    return async (within) => `${base}sent/${(await make(within)).id}?sent=1`;
  });
  if (isRepeated)
    for (const { id } of form.files) await removeUpload(engines, uploadOwner(actor, id), id).catch(() => undefined);
  return path;
}

/** Files that come with the form have other ids each time. */
function digestForm({ files }: FormWithFiles, { values, uploads, sharedLink }: Composed): Buffer {
  const received = new Set(files.map(({ id }) => id));
  const content = [
    { ...values, phones: [...values.phones], sharedLink },
    uploads.filter((id) => !received.has(id)),
    files.map(({ name, sha256 }) => [name, sha256]),
  ];
  return createHash('sha256').update(JSON.stringify(content)).digest();
}

function toInput(visit: SignedIn, { refused }: FormWithFiles, composed: Composed): DropInput {
  const { values, understood, policy, uploads } = composed;
  if (refused) throw new FormProblem(toFileProblem(refused.error.code), toFileDetails(refused.name, refused.error));
  const { sharedLink } = composed;
  const receivers = sharedLink?.kind === 'anybody' ? [] : requireReceivers(understood);
  requireShortMessage(values.message);
  if (uploads.length === 0 && values.message.trim() === '') throw new FormProblem('nothing');
  const lifetime = readLifetime(values, policy.lifetime, new Date(), visit.person.timeZone || undefined);
  if (!lifetime) throw new FormProblem('until');
  return {
    ...lifetime,
    uploads,
    message: values.message,
    secondFactor: values.secondFactor,
    notify: values.notify && !sharedLink,
    sharedLink,
    externalId: null,
    metadata: null,
    receivers: receivers.map(({ email, name }) => {
      const phone = values.phones.get(email);
      return {
        email,
        ...(name === '' ? {} : { name }),
        ...(phone === undefined || values.secondFactor !== 'sms' ? {} : { phone: readPhone(phone) }),
      };
    }),
  };
}

/** As people write it: `+46 70-123 45 67`, or with 00. */
function readPhone(text: string): string {
  const digits = text.replaceAll(/[\s()./-]/g, '').replace(/^(?:\+|00)/, '');
  try {
    return phoneNumber(digits);
  } catch {
    throw new FormProblem('phone');
  }
}

/** Says why a file from the Share menu did not arrive. */
function describeSharedFile({ engines, translator }: Visit, policy: Policy, code: unknown) {
  if (typeof code !== 'string' || !isFileProblem(code)) return undefined;
  const { bytes: maxFileBytes } = findFileSizeLimit({ ...engines, policy });
  return describeProblem(translator, toFileProblem(code), { count: limits.filesPerUpload, maxFileBytes });
}

function toFileDetails(name: string, { maxBytes }: ExchangeError): ProblemDetails {
  return { name, count: limits.filesPerUpload, maxFileBytes: maxBytes };
}

function wantsJson({ request }: AppRequest): boolean {
  return (request.headers.accept ?? '').includes('application/json');
}

function respondWithLocation(visit: AppRequest, location: string): FastifyReply {
  return wantsJson(visit) ? visit.reply.send({ location }) : visit.reply.redirect(location, 303);
}

async function replyWithRefusal(visit: MemberVisit, composed: Composed, problem: Problem): Promise<FastifyReply> {
  const { reply, translator, request, engines } = visit;
  const shown = describeProblem(translator, problem.problem, problem);
  request.refusal = problem.problem === 'repeated' ? 'idempotency_key_reused' : 'invalid_input';
  reply.code(problem.status);
  // Pressing Send again is meant then.
  const requestId = problem.problem === 'repeated' ? engines.random.uuid() : composed.requestId;
  if (wantsJson(visit)) {
    return reply.send({
      code: request.refusal,
      message: shown.text,
      field: shown.field ?? null,
      request_id: requestId,
    });
  }
  return replyWithComposer(visit, { ...composed, requestId }, shown);
}

async function replyWithComposer(
  visit: MemberVisit,
  composed: Omit<Composed, 'understood'> & { readonly understood?: UnderstoodReceivers },
  problem?: ReturnType<typeof describeProblem>,
): Promise<FastifyReply> {
  const { engines, actor, membership, person, translator, base, csrf, canChange } = visit;
  const { policy, values, understood } = composed;
  const now = new Date();
  const lifetimes = listLifetimes(policy.lifetime, now, translator, person.timeZone || undefined);
  const found = composed.uploads.length === 0 ? [] : await findUploads(engines, actor, composed.uploads);
  const { bytes: maxFileBytes, reason: sizeReason } = await findFileSizeLeft({ ...engines, policy }, actor.accountId);
  const page = (
    <SendPage
      base={base}
      csrf={csrf}
      now={now}
      canChange={canChange}
      sender={{ name: membership.accountName || membership.account, address: membership.account }}
      action={`${base}send`}
      requestId={composed.requestId}
      draftKey={toDraftKey(visit)}
      uploadsHref={`${base}uploads`}
      receiversHref={`${base}receivers`}
      uploads={found.filter(({ state }) => state === 'ready')}
      maxFiles={limits.filesPerDraft}
      maxFileBytes={maxFileBytes}
      sizeReason={sizeReason}
      maxMessageLength={limits.messageLength}
      lifetimes={lifetimes}
      secondFactors={listSecondFactors(engines, policy)}
      canCopyLinks={!policy.receiverDomains}
      sharedLinks={policy.receiverDomains || policy.secondFactor !== 'off' ? 'named' : policy.sharedLinks}
      values={values}
      withoutPhone={
        problem?.field === 'phone'
          ? (understood?.receivers.filter(({ hasPhone }) => !hasPhone) ?? []).slice(0, 100)
          : []
      }
      problem={problem}
      textsJson={composerTexts(translator)}
    />
  );
  return replyWithScreen(visit, { screen: 'send', title: sendTitle(translator), page, script: 'send' });
}

function emptyValues(
  { translator, person }: AppRequest & SignedIn,
  policy: Policy,
  chosenDays: number | null,
): ComposerValues {
  const { defaultDays, presets } = listLifetimes(policy.lifetime, new Date(), translator, person.timeZone || undefined);
  return {
    receivers: '',
    message: '',
    // A choice that the account is no longer allowed is none.
    days: presets.some(({ days }) => days === chosenDays) ? String(chosenDays) : defaultDays,
    until: '',
    secondFactor: policy.secondFactor,
    notify: true,
    shared: { who: 'people', maxDownloads: '' },
    phones: new Map(),
  };
}
