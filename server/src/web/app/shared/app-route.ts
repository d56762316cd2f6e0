import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../../../domain/actor.ts';
import { personAuthor } from '../../../domain/audit/author.ts';
import { isStorable } from '../../../domain/contacts/contact-from-input.ts';
import type { Engines } from '../../../domain/engines.ts';
import type { EventWatch } from '../../../domain/events/event-watch.ts';
import { readLastPosition } from '../../../domain/events/read-events.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { type Browser, toBrowser } from '../../../domain/people/browser.ts';
import { findMembership } from '../../../domain/people/find-person.ts';
import { type MemberRole, type Membership, memberRoles } from '../../../domain/people/person-store.ts';
import type { Session, SessionStage } from '../../../domain/people/session-store.ts';
import { findSession, type SignedIn } from '../../../domain/people/sessions.ts';
import type { IdentityProviders } from '../../../domain/ports/identity-provider.ts';
import { deviceCookieSeconds, newDeviceCookie, readDeviceCookie } from '../../../domain/sign-in/known-device.ts';
import type { App } from '../../../http/shared/app.ts';
import { eventCursors } from '../../../http/shared/reply-with-event-stream.ts';
import { type Part, parts } from '../../../http/transfer/multipart.ts';
import type { UploadNeeds } from '../../../http/transfer/receive-files.ts';
import type { InboxReplyNeeds } from '../../../http/transfer/reply-with-inbox.ts';
import type { Transfers } from '../../../http/transfer/transfers.ts';
import type { Translator } from '../../../present/texts/translator.ts';
import { chooseTranslator, type PageOptions } from '../../shared/page.ts';
import { wantsPage } from '../../shared/problem-page.tsx';
import { deleteCookie, readCookie, writeCookie } from './cookies.ts';
import { makeFormToken, readTokenPart, requireFormToken, requireNoOtherSite, requireOwnOrigin } from './form-token.ts';
import { readNextPath, withNext } from './next-path.ts';

export type AppEngines = Pick<
  Engines,
  | 'store'
  | 'random'
  | 'policy'
  | 'failureLimit'
  | 'attemptLimit'
  | 'personLinks'
  | 'passwords'
  | 'passphrases'
  | 'passkeys'
  | 'dayKeys'
  | 'messageLimit'
  | 'sms'
  | 'checkpoint'
  | 'webhookSender'
  | 'webhookSecrets'
  | 'logObjects'
  | 'witnesses'
  | 'receiptPrinter'
> &
  UploadNeeds &
  InboxReplyNeeds & { readonly pepper: Buffer; readonly identityProviders: IdentityProviders };

/** Engines and options that all routes share. */
export interface AppContext {
  readonly engines: AppEngines;
  readonly options: PageOptions;
  /** Runs requests that may take long. */
  readonly transfers: Transfers;
  /** Reports new events to requests that wait for them. */
  readonly eventWatch: EventWatch;
}

/** A request of a browser, and its response. */
export interface AppRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly translator: Translator;
  readonly browser: Browser;
  /** The session of the browser, however far it has come. */
  readonly signedIn: SignedIn | undefined;
  /** The scheme, name and port under which the browser reached this server. */
  readonly origin: string;
  /** The name and port. */
  readonly host: string;
  /** For the forms of the page that is sent. */
  readonly csrf: string;
  /** The fields of a form, or those of a JSON object that are texts. */
  readonly form: URLSearchParams;
  /** The parts of a form with files, after its token; none if the form came without. They fail when the signal is aborted. */
  readonly readParts: (ended: AbortSignal) => AsyncIterable<Part>;
  /** Gives the browser a session, or another one; once a person has signed in, the browser is one of theirs. */
  setSession(secret: string, personId?: string): void;
  endSession(): void;
}

/** A person who has signed in, as a member of the account in the path. */
export interface Member extends SignedIn {
  readonly membership: Membership;
  /** The person, as the domain knows those who act for the account. */
  readonly actor: Actor;
  /** The path of the account, such as `/orders@example.org/`. */
  readonly base: string;
  /** Whether the person may change something; a reader may not. */
  readonly canChange: boolean;
  /** The cursor of the events before the request: a page that shows them follows those after it. */
  readonly eventsRead: string | undefined;
  /** Aborted when the session or the membership ends: work that takes long then rejects with its reason. */
  readonly ended: AbortSignal;
}

/** The inputs of handlers. A function that a handler calls declares the parts of them that it needs. */
export type Visit = AppContext & AppRequest;
export type SignedInVisit = Visit & SignedIn;
export type MemberVisit = Visit & Member;

interface Described {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly path: string;
  /**
   * A body that is not a small form: `multipart` for a form that may have files, whose first part is its token, and
   * `stream` for bytes that the handler reads itself, with the token in a header.
   */
  readonly body?: 'multipart' | 'stream';
  /** Whether it transfers files. */
  readonly transfer?: true;
  /**
   * Whether the device makes the request for its owner, as its Share menu does. It has no token, so it may do no more than
   * keep what it brings, for the person to decide.
   */
  readonly by?: 'device';
  /**
   * For a change that outlives the session and gives somebody access, or a secret to see: a person who has not signed in
   * lately does so first, and then returns to this page of the account, where the form is as they have sent it.
   */
  readonly recent?: string | ((form: URLSearchParams) => string);
}

/** A page that anyone may visit. */
interface OpenRoute extends Described {
  readonly access: 'anyone';
  readonly handle: (visit: Visit) => Promise<FastifyReply>;
}

/** A request of an identity provider itself, which proves by a signature that it made it. */
interface ProviderRoute extends Described {
  readonly access: 'provider';
  readonly handle: (visit: Visit) => Promise<FastifyReply>;
}

/** A page for a browser whose session has come this far. */
interface SessionRoute extends Described {
  readonly access: SessionStage;
  readonly handle: (visit: SignedInVisit) => Promise<FastifyReply>;
}

/** A page of an account, for members with at least this role. */
interface MemberRoute extends Described {
  readonly access: MemberRole;
  readonly handle: (visit: MemberVisit) => Promise<FastifyReply>;
}

/**
 * One route of the app. Who may call it, and that a change was requested by a page of ours, is checked here and nowhere
 * else: a handler that runs may do its work.
 */
export type AppRoute = OpenRoute | ProviderRoute | SessionRoute | MemberRoute;

const isOpenRoute = (route: AppRoute): route is OpenRoute | ProviderRoute =>
  route.access === 'anyone' || route.access === 'provider';
const isMemberRoute = (route: AppRoute): route is MemberRoute =>
  (memberRoles as readonly string[]).includes(route.access);

/** Bytes of a form or a JSON object: more than any of ours needs, a passkey's response included. */
const bodyBytes = 64 * 1024;
const formSecretBytes = 32;
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** The index page of the machine API, and for a browser the first screen of the account. */
const accountPath = '/:user/';
const noParts: AsyncIterable<Part> = (async function* () {})();

export function registerAppRoute(app: App, shared: AppContext, route: AppRoute): void {
  const authentication = isOpenRoute(route) ? 'nobody' : isMemberRoute(route) ? 'member' : 'session';
  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: bodyBytes,
    ...(route.path === accountPath ? { constraints: { caller: 'browser' } } : {}),
    config: { authentication, transfer: route.transfer ?? false },
    handler: (request, reply) => handle(shared, route, request, reply),
  });
}

async function handle(
  { engines, transfers, eventWatch, options }: AppContext,
  route: AppRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  requireStorableParams(request);
  request.query = takeFirst(request.query);
  const secure = options.secureCookies;
  const secret = readCookie(request, 'session', secure);
  const deviceCookie = readCookie(request, 'device', secure);
  const signedIn =
    secret === undefined ? undefined : await findSession(engines, secret, { isPerson: !isOfScript(request) });
  const formSecret = signedIn && secret !== undefined ? secret : getFormSecret(engines, request, reply, secure);
  const origin = findOrigin(engines, request);
  const form = readForm(request);
  const formEnded = new AbortController();
  const formParts = openParts(route, request, formEnded.signal);
  const visit: Visit = {
    engines,
    transfers,
    eventWatch,
    options,
    request,
    reply,
    translator: chooseTranslator(options, request, signedIn?.person.language, signedIn?.person.timeZone),
    signedIn,
    browser: toBrowser(request.peer, request.headers['user-agent'], deviceCookie),
    origin,
    host: new URL(origin).host,
    csrf: makeFormToken(formSecret),
    form,
    readParts: (ended) => {
      ended.addEventListener('abort', () => formEnded.abort(ended.reason), { once: true });
      return formParts ?? noParts;
    },
    setSession: (next, personId) => {
      writeCookie(reply, 'session', next, { secure });
      if (personId === undefined) return;
      const isOthers = deviceCookie !== undefined && !readDeviceCookie(deviceCookie, personId, engines.pepper);
      if (isOthers) clearStorage(reply);
      const device = newDeviceCookie(personId, engines.pepper, engines.random);
      writeCookie(reply, 'device', device, { secure, seconds: deviceCookieSeconds });
    },
    endSession: () => {
      deleteCookie(reply, 'session', secure);
      deleteCookie(reply, 'account', secure);
      clearStorage(reply);
    },
  };
  const isChange = !safeMethods.has(route.method) && route.access !== 'provider';
  if (isChange && route.by === 'device') requireNoOtherSite(request);
  else if (isChange) requireOwnOrigin(request, origin);
  const step = wantsDocument(request) ? findOtherStep(route, visit) : undefined;
  if (step !== undefined) return reply.redirect(step, 303);
  const call = await authorize(route, visit);
  if (isChange && route.by !== 'device') {
    const token = formParts ? await readTokenPart(formParts) : (request.headers['csrf-token'] ?? form.get('csrftoken'));
    requireFormToken(formSecret, token);
  }
  return await call();
}

/** A text that cannot be stored names nothing. */
function requireStorableParams({ params }: FastifyRequest): void {
  if (!Object.values(params as Record<string, string>).every(isStorable)) throw new ExchangeError('not_found');
}

/** The parameters of a query that may be repeated. */
const lists: ReadonlySet<string> = new Set(['upload', 'file']);

/** Returns one value for each parameter, the first, without texts that cannot be stored: nobody can have meant them. */
function takeFirst(query: unknown): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(query as Record<string, string | string[]>).flatMap(([name, value]) => {
      const values = [value].flat().filter(isStorable);
      const [first] = values;
      if (first === undefined) return [];
      return [[name, lists.has(name) && values.length > 1 ? values : first]];
    }),
  );
}

/** Has the browser delete what pages stored in it, such as drafts of the composer: the next person must not read them. */
function clearStorage(reply: FastifyReply): void {
  reply.header('clear-site-data', '"storage"');
}

/** Returns the call of the handler, if the session and the person's role allow it. */
async function authorize(route: AppRoute, visit: Visit): Promise<() => Promise<FastifyReply>> {
  if (isOpenRoute(route)) return () => route.handle(visit);
  if (!isMemberRoute(route)) {
    const found = requireStage(visit.signedIn, route.access);
    return () => route.handle({ ...visit, ...found });
  }
  const { engines, request } = visit;
  const found = requireStage(visit.signedIn, 'complete');
  const { user } = request.params as { user: string };
  const [membership, eventsRead] = await Promise.all([
    findMembership(engines, found.person.id, user),
    wantsPage(request) ? readLastPosition(engines) : undefined,
  ]);
  // The same response whether or not the account exists.
  if (!membership) throw new ExchangeError('not_found');
  if (!hasRole(membership, route.access)) throw new ExchangeError('role_missing');
  request.member = { sessionId: found.session.id, accountId: membership.accountId, role: route.access };
  const { accountId, account: email } = membership;
  if (route.recent !== undefined && !isRecent(found.session)) {
    const { recent } = route;
    const page = `${toAccountPath(email)}${typeof recent === 'string' ? recent : recent(visit.form)}`;
    return () => askToSignInAgain(visit, safeMethods.has(route.method) ? page : `${page}?again`);
  }
  rememberAccount(visit, email);
  const member = {
    ...visit,
    ...found,
    membership,
    actor: { accountId, email, author: personAuthor(found.person, visit.browser.address) },
    base: toAccountPath(email),
    canChange: hasRole(membership, 'member'),
    eventsRead: eventsRead && eventCursors(engines.pepper, accountId).seal(eventsRead),
  };
  return () => visit.transfers.runSupervised(visit.reply, (ended) => route.handle({ ...member, ended }));
}

/** Remembers the account whose pages a person visits, which the start page leads to the next time. */
function rememberAccount({ options, request, reply }: Visit, account: string): void {
  const secure = options.secureCookies;
  const value = encodeURIComponent(account);
  if (wantsPage(request) && readCookie(request, 'account', secure) !== value) {
    writeCookie(reply, 'account', value, { secure, seconds: deviceCookieSeconds });
  }
}

/** Reads the account in which the person worked last. The caller finds out whether it is still theirs. */
export function readLastAccount({ options, request }: Pick<Visit, 'options' | 'request'>): string | undefined {
  const value = readCookie(request, 'account', options.secureCookies);
  if (value === undefined || !/^[\w.%!~*'()-]{1,1000}$/.test(value)) return undefined;
  try {
    const account = decodeURIComponent(value);
    return isStorable(account) ? account : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the browser shows the response: a navigation accepts HTML, a request of a script JSON or anything. */
export function wantsDocument({ headers }: FastifyRequest): boolean {
  const { accept = '' } = headers;
  return accept === '' || accept.includes('text/html');
}

/**
 * Where a session belongs that has come less far than the page needs, or further: the browser went back, or repeats a form.
 * Undefined if the page is for this session, or there is none.
 */
function findOtherStep(route: AppRoute, { signedIn, request, form }: AppRequest): string | undefined {
  if (isOpenRoute(route)) return undefined;
  const needed = isMemberRoute(route) ? 'complete' : route.access;
  const stage = signedIn?.session.stage;
  if (stage === needed) return undefined;
  const { next } = request.query as { next?: unknown };
  const asked = readNextPath(typeof next === 'string' ? next : form.get('next'));
  if (stage === undefined) return needed === 'complete' ? undefined : withNext('/sign-in', asked);
  if (stage === 'complete') return asked ?? '/home';
  if (stage === 'enrolment') return '/sign-in/enrolment';
  return withNext('/sign-in/code', request.method === 'GET' ? readNextPath(request.url) : asked);
}

/** How long after a sign-in a person may change how they sign in, and make keys and owners. */
const recentMs = 10 * 60_000;

export function isRecent({ authenticatedAt }: Session): boolean {
  return Date.now() - authenticatedAt.getTime() < recentMs;
}

/** Asks for any of the person's sign-in methods, and then leads back. */
export async function askToSignInAgain({ request, reply }: AppRequest, next: string): Promise<FastifyReply> {
  const location = `/sign-in?confirm&next=${encodeURIComponent(next)}`;
  if (request.headers.accept === 'application/json') return reply.code(401).send({ location });
  return reply.redirect(location, 303);
}

function hasRole({ role }: Membership, needed: MemberRole): boolean {
  return memberRoles.indexOf(role) >= memberRoles.indexOf(needed);
}

/** The path of an account in the app. */
export function toAccountPath(account: string): string {
  return `/${encodeURIComponent(account)}/`;
}

function requireStage(signedIn: SignedIn | undefined, stage: SessionStage): SignedIn {
  if (signedIn?.session.stage !== stage) throw new ExchangeError('sign_in_required');
  return signedIn;
}

/** Whether a page asks by itself, as for live updates: a session does not last longer because a page was left open. */
function isOfScript({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers['sec-fetch-dest'] === 'empty';
}

/** The secret that binds the forms of a browser in which nobody has signed in. */
function getFormSecret(engines: AppEngines, request: FastifyRequest, reply: FastifyReply, secure: boolean): string {
  const known = readCookie(request, 'form', secure);
  if (known !== undefined && /^[\w-]{43}$/.test(known)) return known;
  const secret = engines.random.bytes(formSecretBytes).toString('base64url');
  writeCookie(reply, 'form', secret, { secure });
  return secret;
}

/** From `Host`, of which the guard has made sure that it is one of ours: it has not seen `X-Forwarded-Host`. */
function findOrigin({ policy }: Pick<Engines, 'policy'>, { headers, protocol }: FastifyRequest): string {
  const { origin, host } = new URL(policy.publicUrl);
  const asked = headers.host?.toLowerCase() ?? host;
  // A proxy says which of the two it was; its text is not used, because it may be the client's.
  return asked === host ? origin : `${protocol === 'https' ? 'https' : 'http'}://${asked}`;
}

function readForm({ body }: FastifyRequest): URLSearchParams {
  if (body instanceof URLSearchParams) return body;
  // Not one after the other: each would be compared with all before it. The items of a list have no names.
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const fields = isObject ? Object.entries(body).filter(([, value]) => typeof value === 'string') : [];
  return new URLSearchParams(fields as [string, string][]);
}

function openParts(
  route: AppRoute,
  { headers, body }: FastifyRequest,
  ended: AbortSignal,
): AsyncGenerator<Part, void, void> | undefined {
  if (route.body !== 'multipart' || !(body instanceof Readable)) return undefined;
  return parts(headers['content-type'] ?? '', body, ended);
}
