import {
  EnterCodeInput,
  EnterPassphraseInput,
  LinkCode as LinkCodeSchema,
  LinkReceiverInput,
  LinkSession as LinkSessionSchema,
  OpenedLink,
  OpenLinkInput,
} from '@waybill/protocol/v1';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { readCodeState } from '../../../domain/links/code-state.ts';
import { findLink, findProgramSession, findSessionAgain } from '../../../domain/links/find-link.ts';
import { issueCode } from '../../../domain/links/issue-code.ts';
import type { Link, LinkSession } from '../../../domain/links/link-store.ts';
import { closeFoundSession, openLinkForProgram, passCode } from '../../../domain/links/open-link.ts';
import { findPendingStep } from '../../../domain/links/second-factor.ts';
import { sendCodeTo } from '../../../domain/links/which-receiver.ts';
import { enterPassphrase } from '../../../domain/passphrases/passphrase.ts';
import { toReference } from '../../../domain/reference.ts';
import { limitGuesses } from '../../../http/shared/limit-guesses.ts';
import { type CallEngines, type LinkRoute, linkRoute } from '../route.ts';
import { linkDownloadRoutes } from './download.ts';
import { explainEnding } from './explain-ending.ts';
import { endings } from './link-shapes.ts';
import { linkReceiptRoutes } from './receipts.ts';
import { linkUploadRoutes } from './upload.ts';

const linkTypes = { download: 'downloadfiles', upload: 'uploadfiles' } as const;

const openLink = linkRoute({
  method: 'POST',
  path: '/link/open',
  id: 'openLink',
  summary: 'Open a link, as its receiver does with a click. If a code is required, it is sent now',
  access: 'link',
  body: OpenLinkInput,
  response: { status: 201, description: 'The session of the program with this link.', schema: LinkSessionSchema },
  errors: ['not_found', ...endings],
  async handle({ engines, body: { secret, kind }, request }) {
    const type = kind && linkTypes[kind];
    const link = await limitGuesses(
      engines,
      request,
      (found) => explainEnding(request, async () => await findOpenedLink(engines, found, type)),
      secret,
    );
    request.dropId = link.dropId;
    const { credential, expiresAt } = await openLinkForProgram(engines, link, request.peer);
    const session = await findProgramSession(engines, credential);
    return {
      body: {
        session: credential,
        session_expires_at: expiresAt,
        ...(await toOpenedLink(engines, session)),
      },
    };
  },
});

/** Finds the link. The holder of a link has no path, id or key to check, so the error names the link instead. */
async function findOpenedLink(...[engines, secret, type]: Parameters<typeof findLink>): Promise<Link> {
  try {
    return await findLink(engines, secret, type);
  } catch (cause) {
    if (!(cause instanceof ExchangeError && cause.code === 'not_found')) throw cause;
    throw new ExchangeError('not_found', unknownLink, { cause });
  }
}

const unknownLink =
  'There is no such link of this kind. Send it whole: the secret is its last part, and the kind is download for /d/ and upload for /u/. Or ask its sender for a new one.';

const getLink = linkRoute({
  method: 'GET',
  path: '/link',
  id: 'getLink',
  summary: 'Get the kind of the link, and what has to be entered first',
  access: 'link-program-pending',
  response: { status: 200, description: 'The link.', schema: OpenedLink },
  errors: endings,
  handle: async ({ engines, session }) => ({ body: await toOpenedLink(engines, session) }),
});

const closeLink = linkRoute({
  method: 'POST',
  path: '/link/close',
  id: 'closeLink',
  summary: 'End the session',
  access: 'link-program-pending',
  response: { status: 204, description: 'The session has ended. The link can be opened again.' },
  errors: endings,
  async handle({ engines, session }) {
    await closeFoundSession(engines, session);
    return {};
  },
});

const nameReceiver = linkRoute({
  method: 'POST',
  path: '/link/receiver',
  id: 'nameLinkReceiver',
  summary: 'Say which of the receivers of a link for all of them you are, and have a code sent',
  access: 'link-program-pending',
  body: LinkReceiverInput,
  response: { status: 204, description: 'If the address is that of a receiver, a code is on its way to it.' },
  errors: ['passphrase_required', 'not_found', ...endings],
  async handle({ engines, session, body }) {
    requirePassphrase(session);
    await sendCodeTo(engines, session, body.email);
    return {};
  },
});

const requestCode = linkRoute({
  method: 'POST',
  path: '/link/code/send',
  id: 'sendLinkCode',
  summary: 'Have another code sent',
  access: 'link-program-pending',
  response: {
    status: 200,
    description: 'Where it was sent. The codes before it no longer count.',
    schema: LinkCodeSchema,
  },
  errors: ['passphrase_required', 'too_many_codes', ...endings],
  async handle({ engines, session }) {
    requirePassphrase(session);
    const result = await issueCode(engines, session.link, session.digest);
    if (result === 'too_many_codes') throw new ExchangeError('too_many_codes');
    return { body: await toCode(engines, await findSessionAgain(engines, session)) };
  },
});

const enterCode = linkRoute({
  method: 'POST',
  path: '/link/code',
  id: 'enterLinkCode',
  summary: 'Enter the code that was sent to the receiver',
  access: 'link-program-pending',
  body: EnterCodeInput,
  response: { status: 204, description: 'It is the right one, or none is required.' },
  errors: ['passphrase_required', 'wrong_code', 'code_expired', 'too_many_codes', ...endings],
  async handle({ engines, session, body, request }) {
    requirePassphrase(session);
    if (!findPendingStep(engines, session) || (await passCode(engines, session, body.code, request.peer))) return {};
    const tried = await findSessionAgain(engines, session);
    // The same request may have been sent twice at once, and the other one may have passed.
    if (!findPendingStep(engines, tried)) return {};
    const { problem, triesLeft } = await readCodeState(engines, tried);
    if (problem === 'too_many_codes') throw new ExchangeError('too_many_codes');
    if (problem) throw new ExchangeError('code_expired');
    throw new ExchangeError(
      'wrong_code',
      `This is not the code. Read it in the newest message, and try again: ${triesLeft} tries are left.`,
    );
  },
});

/** The passphrase comes before the code. */
function requirePassphrase({ link, hasEnteredPassphrase }: LinkSession): void {
  if (link.hasPassphrase && !hasEnteredPassphrase) throw new ExchangeError('passphrase_required');
}

const enterPassphraseOfLink = linkRoute({
  method: 'POST',
  path: '/link/passphrase',
  id: 'enterLinkPassphrase',
  summary: 'Enter the passphrase that the sender told. If a code is required too, it is sent now',
  access: 'link-program-pending',
  body: EnterPassphraseInput,
  response: { status: 200, description: 'It is the right one, or none is required.', schema: OpenedLink },
  errors: ['wrong_passphrase', 'too_many_requests', ...endings],
  async handle({ engines, session, body, request }) {
    if (findPendingStep(engines, session) === 'passphrase') {
      const isRight = await enterPassphrase(engines, session, body.passphrase, request.peer);
      if (!isRight) throw new ExchangeError('wrong_passphrase');
    }
    return { body: await toOpenedLink(engines, await findSessionAgain(engines, session)) };
  },
});

export const linkRoutes: readonly LinkRoute[] = [
  openLink,
  getLink,
  nameReceiver,
  requestCode,
  enterCode,
  enterPassphraseOfLink,
  closeLink,
  ...linkDownloadRoutes,
  ...linkUploadRoutes,
  ...linkReceiptRoutes,
];

async function toOpenedLink(engines: CallEngines, session: LinkSession) {
  const { type, dropId, expiresAt, kind, maxDownloads } = session.link;
  const step = findPendingStep(engines, session);
  return {
    kind: type === 'downloadfiles' ? 'download' : 'upload',
    reference: toReference(dropId),
    expires_at: expiresAt,
    passphrase_required: step === 'passphrase',
    shared: kind === 'receiver' ? null : kind,
    max_downloads: maxDownloads,
    code: step === 'code' ? await toCode(engines, session) : null,
  };
}

async function toCode(engines: CallEngines, session: LinkSession) {
  const { channel, target, problem, validUntil, triesLeft } = await readCodeState(engines, session);
  return { channel, to: target, state: problem ?? 'sent', expires_at: validUntil ?? null, tries_left: triesLeft };
}
