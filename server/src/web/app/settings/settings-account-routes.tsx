import type { FastifyReply } from 'fastify';
import { findAccountById } from '../../../domain/accounts/read-accounts.ts';
import { readPolicy } from '../../../domain/accounts/read-policy.ts';
import { listOwnFactors, setOwnChoices } from '../../../domain/accounts/set-account-choices.ts';
import { emailAddress } from '../../../domain/contacts/email-address.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { changeRole, removeMember, revokeInvitation } from '../../../domain/people/change-members.ts';
import { countMembers, findPerson, listMembers } from '../../../domain/people/find-person.ts';
import { invitePerson, limitInvitations } from '../../../domain/people/invite-person.ts';
import { type MemberRole, memberRoles } from '../../../domain/people/person-store.ts';
import type { SecondFactor } from '../../../domain/policy.ts';
import { listBlockedSenders, unblockSender } from '../../../domain/public-page/block-sender.ts';
import type { PublicPage } from '../../../domain/public-page/public-page-store.ts';
import { findPublicPage, type PublicPageFault, setPublicPage } from '../../../domain/public-page/set-public-page.ts';
import { listLifetimes } from '../send/lifetime-choices.ts';
import type { AppContext, AppRequest, AppRoute, Member, MemberVisit } from '../shared/app-route.ts';
import { readFrame } from '../shared/frame.ts';
import { replyWithAppPage } from '../shared/reply-with-app-page.ts';
import { requireUuid } from '../shared/require-uuid.ts';
import { SettingsAccountPage, type SettingsAccountPageProps } from './settings-account-page.tsx';
import { settingsTitle } from './settings-frame.tsx';
import { findSettingsPart, isSettingsNotice, type SettingsNotice } from './settings-notice.ts';

const path = '/:user/settings';
const membersPerPage = 50;
/** More are removed from the list after others. */
const maxBlocked = 100;

/** Settings of the account: everybody in it sees them, and its owners change them. */
export const settingsAccountRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path: `${path}/account`,
    access: 'reader',
    async handle(visit) {
      const { notice } = visit.request.query as { notice?: unknown };
      return replyWithAccount(visit, isSettingsNotice(notice) ? { notice } : {});
    },
  },
  {
    method: 'POST',
    path: `${path}/account/choices`,
    access: 'owner',
    recent: 'settings/account',
    async handle(visit) {
      const { engines, form, actor } = visit;
      const account = await readAccount(visit);
      const displayName = (form.get('display_name') ?? '').trim();
      const choices = {
        displayName,
        secondFactor: readFactor(form.get('second_factor')),
        receipts: form.has('receipts'),
        attachReceipts: form.has('attach_receipts'),
        reminders: form.has('reminders'),
        showLinks: form.has('show_links'),
        defaultDays: await readDefaultDays(visit),
      };
      try {
        await setOwnChoices(engines, actor.author, account, choices);
      } catch (error) {
        if (!isInvalid(error)) throw error;
        return replyWithAccount(visit, {
          choices: { ...choices, secondFactor: choices.secondFactor ?? '' },
          isRefused: true,
        });
      }
      return returnTo(visit, 'choices_saved');
    },
  },
  {
    method: 'POST',
    path: `${path}/account/public-page`,
    access: 'owner',
    recent: 'settings/account',
    async handle(visit) {
      const { engines, form, actor } = visit;
      const page = {
        name: (form.get('name') ?? '').trim().toLowerCase(),
        message: (form.get('message') ?? '').trim().replaceAll('\r\n', '\n'),
        isOpen: form.has('open'),
      };
      const problem = await setPublicPage(engines, actor, page);
      if (problem) return replyWithAccount(visit, { publicPage: { ...page, problem } });
      return returnTo(visit, 'public_page_saved');
    },
  },
  {
    method: 'POST',
    path: `${path}/account/public-page/unblock`,
    access: 'owner',
    async handle(visit) {
      await unblockSender(visit.engines, visit.actor, visit.form.get('email') ?? '');
      return returnTo(visit, 'sender_unblocked');
    },
  },
  {
    method: 'POST',
    path: `${path}/members/role`,
    access: 'owner',
    recent: 'settings/account',
    handle: (visit) =>
      changeMember(visit, 'role_saved', (member) =>
        changeRole(visit.engines, visit.actor.author, { ...member, role: readRole(visit.form) }),
      ),
  },
  {
    method: 'POST',
    path: `${path}/members/remove`,
    access: 'owner',
    handle: (visit) =>
      changeMember(visit, 'member_removed', (member) => removeMember(visit.engines, visit.actor.author, member)),
  },
  {
    method: 'POST',
    path: `${path}/members/invitation/revoke`,
    access: 'owner',
    handle: (visit) =>
      changeMember(visit, 'invitation_revoked', (member) =>
        revokeInvitation(visit.engines, visit.actor.author, member),
      ),
  },
  {
    method: 'POST',
    path: `${path}/members/invitation`,
    access: 'owner',
    recent: 'settings/account',
    async handle(visit) {
      const { engines, form, actor, translator } = visit;
      const email = (form.get('email') ?? '').trim();
      const membership = { accountId: actor.accountId, role: readRole(form) };
      await limitInvitations(engines, actor.accountId);
      try {
        // Everybody who is invited can send files: who comes from outside is the administrator's decision.
        const domain = actor.email.slice(actor.email.lastIndexOf('@') + 1);
        const invitation = { email, membership, domain, language: translator.language, mail: true };
        const { link, isPending } = await invitePerson(engines, actor.author, invitation);
        if (link !== undefined) return returnTo(visit, 'invitation_sent');
        return returnTo(visit, isPending ? 'invitation_open' : 'member_added');
      } catch (error) {
        if (!isInvalid(error)) throw error;
        const isMember = (error as ExchangeError).faults[0]?.field === 'role';
        return replyWithAccount(visit, {
          refusedInvitation: { email, ...(isMember && { memberHref: await findMemberHref(visit, email) }) },
        });
      }
    },
  },
];

/** Changes a member by the id in the form; the last owner stays. */
async function changeMember(
  visit: AppRequest & Member,
  notice: SettingsNotice,
  change: (member: { accountId: string; personId: string }) => Promise<void>,
): Promise<FastifyReply> {
  const { actor, form, person, reply } = visit;
  const personId = requireUuid(form.get('id'));
  try {
    await change({ accountId: actor.accountId, personId });
  } catch (error) {
    if (!isInvalid(error)) throw error;
    return returnTo(visit, 'last_owner');
  }
  // Those who removed themselves have no page here any more.
  if (personId === person.id && notice === 'member_removed') return reply.redirect('/home', 303);
  return returnTo(visit, notice);
}

/** The page of the list on which a member is. */
async function findMemberHref({ engines, base }: AppContext & Member, typed: string): Promise<string> {
  const { id, email } = await findPerson(engines, emailAddress(typed));
  return `${base}settings/account?after=${encodeURIComponent(email.slice(0, -1))}#member-${id}`;
}

function isInvalid(error: unknown): boolean {
  return error instanceof ExchangeError && error.code === 'invalid_input';
}

/** The numbers of days that the composer offers, and which of them it suggests by itself. */
async function listDays({ engines, actor, translator, person }: MemberVisit) {
  const { lifetime } = await readPolicy(engines, actor.accountId);
  const { presets, defaultDays } = listLifetimes(lifetime, new Date(), translator, person.timeZone || undefined);
  return { offered: presets.map(({ days }) => days), usual: Number(defaultDays) };
}

async function readDefaultDays(visit: MemberVisit): Promise<number | null> {
  const text = visit.form.get('default_days') ?? '';
  if (text === '') return null;
  const { offered } = await listDays(visit);
  const days = offered.find((each) => String(each) === text);
  if (days === undefined) throw new ExchangeError('invalid_input');
  return days;
}

function readRole(form: URLSearchParams): MemberRole {
  const role = memberRoles.find((each) => each === form.get('role'));
  if (!role) throw new ExchangeError('invalid_input');
  return role;
}

function readFactor(text: string | null): SecondFactor | null {
  if (text === null || text === '') return null;
  if (text !== 'off' && text !== 'mail' && text !== 'sms') throw new ExchangeError('invalid_input');
  return text;
}

async function readAccount({ engines, actor }: AppContext & Member) {
  const account = await findAccountById(engines, actor.accountId);
  if (!account) throw new ExchangeError('not_found');
  return account;
}

async function returnTo({ base, reply }: AppRequest & Member, notice: SettingsNotice): Promise<FastifyReply> {
  return reply.redirect(`${base}settings/account?notice=${notice}#${findSettingsPart(notice)}`, 303);
}

async function replyWithAccount(
  visit: MemberVisit,
  {
    publicPage,
    ...shown
  }: Partial<Pick<SettingsAccountPageProps, 'notice' | 'choices' | 'isRefused' | 'refusedInvitation'>> & {
    readonly publicPage?: PublicPage & { readonly problem: PublicPageFault };
  },
): Promise<FastifyReply> {
  const { engines, actor, base, membership, person, reply, request, translator } = visit;
  if (shown.isRefused || shown.refusedInvitation !== undefined || publicPage) reply.code(400);
  const after = readAfter(request.query);
  const [storedPage, blocked] = await Promise.all([
    findPublicPage(engines, actor.accountId),
    listBlockedSenders(engines, actor.accountId, maxBlocked),
  ]);
  const [frame, account, page, { owners }] = await Promise.all([
    readFrame(visit),
    readAccount(visit),
    listMembers(engines, actor.accountId, after, membersPerPage + 1),
    countMembers(engines, actor.accountId),
  ]);
  const members = page.slice(0, membersPerPage);
  const [factors, days] = await Promise.all([listOwnFactors(engines, account), listDays(visit)]);
  const isOffered = (factor: SecondFactor | null) => factor !== 'sms' || engines.sms || account.secondFactor === 'sms';
  const next = page.length > members.length ? members.at(-1)?.email : undefined;
  const href = `${base}settings/account`;
  const view = (
    <SettingsAccountPage
      frame={frame}
      now={new Date()}
      canManage={membership.role === 'owner'}
      choices={{
        displayName: account.displayName,
        secondFactor: account.secondFactor ?? '',
        receipts: account.receipts,
        attachReceipts: account.attachReceipts,
        reminders: account.reminders,
        showLinks: account.showLinks,
        defaultDays: account.defaultDays,
      }}
      days={days}
      factors={factors.filter(isOffered).map((factor) => factor ?? '')}
      members={members
        .filter(({ invited }) => invited === undefined)
        .map(({ personId, ...member }) => ({ id: personId, ...member, isYou: personId === person.id }))}
      invitations={members.flatMap(({ personId, email, role, invited }) =>
        invited ? [{ id: personId, email, role, expiresAt: invited.expiresAt }] : [],
      )}
      ownerCount={owners}
      publicPage={{
        ...(publicPage ?? storedPage ?? { isOpen: false, name: '', message: '' }),
        url: `${engines.policy.publicUrl}/to/`,
        isAllowed: engines.policy.publicPage.isAllowed,
        blocked,
      }}
      pages={{
        newerHref: after === '' ? undefined : `${href}#members`,
        olderHref: next === undefined ? undefined : `${href}?after=${encodeURIComponent(next)}#members`,
      }}
      {...shown}
    />
  );
  return replyWithAppPage(visit, {
    title: settingsTitle(translator),
    page: view,
    layout: 'app',
    script: 'settings',
  });
}

/** The address after which a page of members begins. */
function readAfter(query: unknown): string {
  const { after } = query as { after?: unknown };
  return typeof after === 'string' && after.length <= 320 ? after : '';
}
