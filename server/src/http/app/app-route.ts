import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Engines } from '../../domain/engines.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { type Browser, toBrowser } from '../../domain/people/browser.ts';
import { type MemberRole, type Membership, memberRoles } from '../../domain/people/person-store.ts';
import type { SessionStage } from '../../domain/people/session-store.ts';
import { findSession, type SignedIn } from '../../domain/people/sessions.ts';
import type { IdentityProviders } from '../../domain/ports/identity-provider.ts';
import { deviceCookieSeconds, newDeviceCookie } from '../../domain/sign-in/known-device.ts';
import type { Translator } from '../../views/translator.ts';
import type { App } from '../app.ts';
import { chooseTranslator, type PageOptions } from '../shared/page/page.ts';
import { deleteCookie, readCookie, writeCookie } from './cookies.ts';
import { makeFormToken, requireOwnRequest } from './form-token.ts';

export type AppEngines = Pick<
  Engines,
  'store' | 'random' | 'policy' | 'failureLimit' | 'attemptLimit' | 'personLinks' | 'passwords' | 'passkeys'
> & { readonly pepper: Buffer; readonly identityProviders: IdentityProviders };

/** The input of every handler. */
export interface Visit {
  readonly engines: AppEngines;
  readonly options: PageOptions;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly translator: Translator;
  readonly browser: Browser;
  /** The session of the browser, however far it has come. */
  readonly signedIn: SignedIn | undefined;
  /** The scheme, name and port under which the browser reached this server. */
  readonly origin: string;
  /** For the forms of the page that is sent. */
  readonly csrf: string;
  /** The fields of a form, or those of a JSON object that are texts. */
  readonly form: URLSearchParams;
  /** Shows in which browser a person has signed in before. */
  readonly deviceCookie: string | undefined;
  /** Gives the browser a session, or another one; once a person has signed in, the browser is one of theirs. */
  setSession(secret: string, personId?: string): void;
  endSession(): void;
}

export type SignedInVisit = Visit & SignedIn;
export type MemberVisit = SignedInVisit & { readonly membership: Membership };

interface Described {
  readonly method: 'GET' | 'POST';
  readonly path: string;
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

export function registerAppRoute(app: App, engines: AppEngines, options: PageOptions, route: AppRoute): void {
  const authentication = isOpenRoute(route) ? 'nobody' : isMemberRoute(route) ? 'member' : 'session';
  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: bodyBytes,
    config: { authentication },
    handler: (request, reply) => handle(engines, options, route, request, reply),
  });
}

async function handle(
  engines: AppEngines,
  options: PageOptions,
  route: AppRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const secure = options.secureCookies;
  const secret = readCookie(request, 'session', secure);
  const signedIn = secret === undefined ? undefined : await findSession(engines, secret);
  const formSecret = signedIn && secret !== undefined ? secret : getFormSecret(engines, request, reply, secure);
  const origin = findOrigin(engines, request);
  const form = readForm(request);
  if (route.method === 'POST' && route.access !== 'provider') {
    requireOwnRequest(request, origin, formSecret, request.headers['csrf-token'] ?? form.get('csrftoken'));
  }
  const visit: Visit = {
    engines,
    options,
    request,
    reply,
    translator: chooseTranslator(options, request, signedIn?.person.language),
    signedIn,
    browser: toBrowser(request.ip, request.headers['user-agent']),
    origin,
    csrf: makeFormToken(formSecret),
    form,
    setSession: (next, personId) => {
      writeCookie(reply, 'session', next, { secure });
      if (personId === undefined) return;
      const device = newDeviceCookie(personId, engines.pepper, engines.random);
      writeCookie(reply, 'device', device, { secure, seconds: deviceCookieSeconds });
    },
    deviceCookie: readCookie(request, 'device', secure),
    endSession: () => deleteCookie(reply, 'session', secure),
  };
  if (isOpenRoute(route)) return await route.handle(visit);
  if (isMemberRoute(route)) {
    const found = requireStage(signedIn, 'complete');
    const { user } = request.params as { user: string };
    const membership = await engines.store.people.membership(found.person.id, user);
    // The same response whether or not the account exists.
    if (!membership) throw new ExchangeError('not_found');
    if (memberRoles.indexOf(membership.role) < memberRoles.indexOf(route.access)) {
      throw new ExchangeError('role_missing');
    }
    return await route.handle({ ...visit, ...found, membership });
  }
  return await route.handle({ ...visit, ...requireStage(signedIn, route.access) });
}

function requireStage(signedIn: SignedIn | undefined, stage: SessionStage): SignedIn {
  if (signedIn?.session.stage !== stage) throw new ExchangeError('sign_in_required');
  return signedIn;
}

/** The secret that binds the forms of a browser in which nobody has signed in. */
function getFormSecret(engines: AppEngines, request: FastifyRequest, reply: FastifyReply, secure: boolean): string {
  const known = readCookie(request, 'form', secure);
  if (known !== undefined && /^[\w-]{43}$/.test(known)) return known;
  const secret = engines.random.bytes(formSecretBytes).toString('base64url');
  writeCookie(reply, 'form', secret, { secure });
  return secret;
}

/** The guard has made sure that the host is one of ours. */
function findOrigin({ policy }: Pick<Engines, 'policy'>, request: FastifyRequest): string {
  const { origin, host } = new URL(policy.publicUrl);
  return request.host === host ? origin : `${request.protocol}://${request.host}`;
}

function readForm({ body }: FastifyRequest): URLSearchParams {
  if (body instanceof URLSearchParams) return body;
  const form = new URLSearchParams();
  if (typeof body === 'object' && body !== null) {
    for (const [name, value] of Object.entries(body)) if (typeof value === 'string') form.set(name, value);
  }
  return form;
}
