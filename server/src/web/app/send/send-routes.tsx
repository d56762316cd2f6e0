import { createHash } from 'node:crypto';
import { limits } from '@waybill/protocol';
import type { FastifyReply } from 'fastify';
import { readPolicy } from '../../../domain/accounts/read-policy.ts';
import { readReceivers, type UnderstoodReceivers } from '../../../domain/contacts/read-receivers.ts';
import { findSentDrop, listFollowedFiles } from '../../../domain/drops/find-sent-drops.ts';
import { findFilesToSendAgain } from '../../../domain/drops/send-again.ts';
import { type DropInput, prepareDrop } from '../../../domain/drops/send-drop.ts';
import type { ExchangeError } from '../../../domain/exchange-error.ts';
import { isUuid } from '../../../domain/is-uuid.ts';
import type { Policy } from '../../../domain/policy.ts';
import { toReference } from '../../../domain/reference.ts';
import { findUploads, removeUpload, uploadOwner } from '../../../domain/uploads/account-upload.ts';
import { findFileSizeLeft, findFileSizeLimit } from '../../../domain/uploads/find-file-size-limit.ts';
import type { AppRequest, AppRoute, MemberVisit, Visit } from '../shared/app-route.ts';
import { describeProblem, type ProblemDetails } from '../shared/composer-problem.ts';
import { doOnce, readRequestId } from '../shared/do-once.ts';
import { FormProblem, isFileProblem, type Problem, toFileProblem, toProblem } from '../shared/form-problem.ts';
import { replyWithScreen } from '../shared/reply-with-screen.tsx';
import { type FormWithFiles, readFormWithFiles, readUploadIds } from './composer-form.ts';
import { readChoices, toComposerProps, toDispatchInput, toProblemJson } from './composer-input.ts';
import {
  type ComposerChoices,
  type ComposerValues,
  describeValues,
  emptyValues,
  readComposerValues,
} from './composer-values.ts';
import { toDraftKey } from './draft-key.ts';
import { receiverRoutes } from './receivers.ts';
import { SendPage, sendTexts, sendTitle } from './send-page.tsx';
import type { AgainProps } from './sent-again.tsx';
import { shareRoutes } from './share.ts';

/** The first screen of an account: the composer. */
export const sendRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path: '/:user/',
    access: 'reader',
    async handle(visit) {
      const { to, upload, refused, again } = visit.request.query as Readonly<
        Partial<Record<'to' | 'upload' | 'refused' | 'again', unknown>>
      >;
      const { engines, actor } = visit;
      const policy = await readPolicy(engines, actor.accountId);
      const choices = await readChoices(visit, policy);
      const uploads = readUploadIds([upload].flat().filter((id) => typeof id === 'string'));
      const source = typeof again === 'string' ? await findAgain(visit, again) : undefined;
      const values = {
        ...emptyValues(policy.secondFactor, choices, typeof to === 'string' ? to : ''),
        ...source?.values,
      };
      return replyWithComposer(
        visit,
        { policy, choices, values, uploads, again: source?.again, requestId: engines.random.uuid() },
        source?.hasEnded ? describeProblem(visit.translator, 'againEnded') : describeSharedFile(visit, policy, refused),
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
  readonly choices: ComposerChoices;
  readonly values: ComposerValues;
  readonly uploads: readonly string[];
  readonly again: AgainProps | undefined;
  readonly requestId: string;
  readonly understood: UnderstoodReceivers;
}

async function readComposer(visit: MemberVisit, { fields, files }: FormWithFiles): Promise<Composed> {
  const { engines, actor } = visit;
  const policy = await readPolicy(engines, actor.accountId);
  const choices = await readChoices(visit, policy);
  const values = readComposerValues(fields, policy.secondFactor);
  return {
    policy,
    choices,
    values,
    again: await readAgain(visit, fields),
    uploads: [...readUploadIds(fields.getAll('upload')), ...files.map(({ id }) => id)],
    requestId: readRequestId(visit, fields),
    understood: await readReceivers(engines, actor, values.receivers),
  };
}

/** Makes the drop, once for each request id. Returns the path of its page. */
async function send(visit: MemberVisit, form: FormWithFiles, composed: Composed): Promise<string> {
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
function digestForm({ files }: FormWithFiles, { values, uploads, again }: Composed): Buffer {
  const received = new Set(files.map(({ id }) => id));
  const content = [
    describeValues(values),
    again?.files.map(({ id }) => id),
    uploads.filter((id) => !received.has(id)),
    files.map(({ name, sha256 }) => [name, sha256]),
  ];
  return createHash('sha256').update(JSON.stringify(content)).digest();
}

function toInput(visit: MemberVisit, { refused }: FormWithFiles, composed: Composed): DropInput {
  const { values, understood, policy, choices, uploads } = composed;
  const sentFiles = composed.again?.files.map(({ id }) => id) ?? [];
  if (refused) throw new FormProblem(toFileProblem(refused.error.code), toFileDetails(refused.name, refused.error));
  const input = toDispatchInput(visit, policy, choices, values, understood);
  if (uploads.length + sentFiles.length === 0 && values.message.trim() === '') throw new FormProblem('nothing');
  return { ...input, uploads, sentFiles };
}

/** Reads a delivery that is sent again: its files if it is live, its title and its message. */
async function findAgain({ engines, actor }: MemberVisit, dropId: string) {
  const drop = await findSentDrop(engines, actor, { type: 'downloadfiles', dropId });
  const files = drop.state === 'live' ? await listFollowedFiles(engines, actor.accountId, drop.id) : [];
  return {
    values: { title: drop.title ?? '', message: drop.message },
    again: { reference: toReference(drop.id), files },
    hasEnded: drop.state !== 'live',
  };
}

const maxReferenceLength = 20;

/** Reads which files of another delivery are to be sent again. One that is gone stays, so that it is refused. */
async function readAgain({ engines, actor }: MemberVisit, fields: URLSearchParams): Promise<AgainProps | undefined> {
  const ids = [...new Set(fields.getAll('sent_file').filter(isUuid))].slice(0, limits.filesPerDraft);
  if (ids.length === 0) return undefined;
  const found = await findFilesToSendAgain(engines, actor.accountId, ids, { lock: false });
  const byId = new Map(found.map((file) => [file.id, file]));
  const files = ids.map((id) => byId.get(id) ?? { id, path: id, sizeBytes: 0 });
  return { reference: (fields.get('again') ?? '').slice(0, maxReferenceLength), files };
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
      ...toProblemJson(shown),
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
  const { engines, actor, translator, base, canChange } = visit;
  const { policy, choices, values } = composed;
  const found = composed.uploads.length === 0 ? [] : await findUploads(engines, actor, composed.uploads);
  const { bytes: maxFileBytes, reason: sizeReason } = await findFileSizeLeft({ ...engines, policy }, actor.accountId);
  const page = (
    <SendPage
      {...toComposerProps(visit, choices, values, composed.understood)}
      base={base}
      now={new Date()}
      canChange={canChange}
      action={`${base}send`}
      requestId={composed.requestId}
      draftKey={toDraftKey(visit)}
      uploadsHref={`${base}uploads`}
      uploads={found.filter(({ state }) => state === 'ready')}
      again={composed.again}
      maxFiles={limits.filesPerDraft}
      maxFileBytes={maxFileBytes}
      sizeReason={sizeReason}
      values={values}
      problem={problem}
      textsJson={sendTexts(translator)}
    />
  );
  return replyWithScreen(visit, {
    screen: 'send',
    title: sendTitle(translator),
    page,
    script: 'send',
    partStylesheet: 'composer',
  });
}
