import type { JSX } from 'preact';
import type { Member, MemberRole } from '../../../domain/people/person-store.ts';
import type { SecondFactor } from '../../../domain/policy.ts';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from '../../shared/components/button.tsx';
import { Field, Select } from '../../shared/components/field.tsx';
import { fillText } from '../../shared/components/fill-text.ts';
import { Switch } from '../components/check.tsx';
import { Pager, type Pages } from '../components/pager.tsx';
import { Ago } from './ago.tsx';
import { SaveBar } from './save-bar.tsx';
import { Setting } from './setting.tsx';
import { SettingItem, SettingItems } from './setting-item.tsx';
import { SettingsFrame, type SettingsFrameProps } from './settings-frame.tsx';
import { describeNotice, type SettingsNotice } from './settings-notice.ts';
import { AddForm, Removal, SettingForm } from './settings-parts.tsx';
import { SettingsPublicPage, type SettingsPublicPageProps } from './settings-public-page.tsx';

const roles: readonly MemberRole[] = ['owner', 'member', 'reader'];

const factors = ['', 'off', 'mail', 'sms'] as const;
/** Empty: that of the server. */
export type SettingsFactor = SecondFactor | '';

export interface SettingsMember extends Pick<Member, 'name' | 'email' | 'role' | 'since'> {
  readonly id: string;
  readonly isYou: boolean;
}

export interface SettingsAccountPageProps extends Pick<SettingsPublicPageProps, 'publicPage'> {
  readonly frame: SettingsFrameProps;
  readonly now: Date;
  /** Whether the person is an owner; otherwise the page only shows. */
  readonly canManage: boolean;
  readonly choices: {
    readonly displayName: string;
    /** Empty: that of the server. */
    readonly secondFactor: SettingsFactor;
    readonly receipts: boolean;
    readonly attachReceipts: boolean;
    readonly reminders: boolean;
    /** Whether members may see the links of receivers. */
    readonly showLinks: boolean;
    /** Null: that of the server. */
    readonly defaultDays: number | null;
  };
  /** For how many days files can be made available, and for how many they are if the account has no choice of its own. */
  readonly days: { readonly offered: readonly number[]; readonly usual: number };
  /** The codes that an owner may choose among. */
  readonly factors: readonly SettingsFactor[];
  /** Whether the choices were not accepted, which is because of the name. */
  readonly isRefused?: boolean | undefined;
  readonly members: readonly SettingsMember[];
  /** How many owners the account has, on every page of members. */
  readonly ownerCount: number;
  readonly pages: Pages;
  /** Invitations to this account that nobody has accepted yet. */
  readonly invitations: readonly {
    readonly id: string;
    readonly email: string;
    readonly role: MemberRole;
    readonly expiresAt: Date;
  }[];
  readonly notice?: SettingsNotice | undefined;
  /** The address of an invitation that was not accepted. */
  readonly refusedInvitation?: { readonly email: string; readonly memberHref?: string } | undefined;
}

const roleTexts: Record<MemberRole, { name: string; about: string }> = {
  owner: { name: 'settings.role.owner', about: 'settings.role.ownerAbout' },
  member: { name: 'settings.role.member', about: 'settings.role.memberAbout' },
  reader: { name: 'settings.role.reader', about: 'settings.role.readerAbout' },
};
const factorTexts: Record<SettingsFactor, string> = {
  '': 'settings.factor.server',
  off: 'settings.factor.off',
  mail: 'settings.factor.mail',
  sms: 'settings.factor.sms',
};

/** Settings of the account, for everybody who works in it. */
export function SettingsAccountPage(props: SettingsAccountPageProps): JSX.Element {
  const translator = useTranslator();
  const { frame, choices, canManage, notice } = props;
  return (
    <SettingsFrame frame={frame} tab="account" canManage={canManage}>
      {!canManage && <p class="quiet">{translator.t('settings.ownersOnly')}</p>}
      <Setting
        id="choices"
        title={translator.t('settings.choices')}
        about={translator.t('settings.choicesAbout')}
        notice={describeNotice(translator, notice, 'choices')}
      >
        <SettingForm frame={frame} path="account/choices">
          <fieldset disabled={!canManage} class="stack-s">
            <legend class="unseen">{translator.t('settings.choices')}</legend>
            <div class="form-grid">
              <Field
                id="display-name"
                name="display_name"
                label={translator.t('settings.displayName')}
                hint={translator.t('mail.drop.subject', {
                  sender: isolate(choices.displayName || frame.account.email),
                  count: 2,
                })}
                value={choices.displayName}
                problem={props.isRefused && translator.t('settings.displayNameProblem')}
                maxLength={100}
              />
              <Select
                id="second-factor"
                name="second_factor"
                label={translator.t('settings.factor')}
                hint={translator.t('settings.factorHint')}
              >
                {factors
                  .filter((factor) => props.factors.includes(factor))
                  .map((factor) => (
                    <option key={factor} value={factor} selected={factor === choices.secondFactor}>
                      {translator.t(factorTexts[factor])}
                    </option>
                  ))}
              </Select>
              <Select
                id="default-days"
                name="default_days"
                label={translator.t('settings.defaultDays')}
                hint={translator.t('settings.defaultDaysHint')}
              >
                <option value="" selected={choices.defaultDays === null}>
                  {translator.t('common.labelled', {
                    label: translator.t('settings.factor.server'),
                    value: translator.t('composer.days', { count: props.days.usual }),
                  })}
                </option>
                {props.days.offered.map((count) => (
                  <option key={count} value={count} selected={count === choices.defaultDays}>
                    {translator.t('composer.days', { count })}
                  </option>
                ))}
              </Select>
            </div>
            <Switch
              id="receipts"
              name="receipts"
              value="on"
              defaultChecked={choices.receipts}
              label={translator.t('settings.receipts')}
              note={translator.t('settings.receiptsNote')}
            />
            <Switch
              id="attach-receipts"
              name="attach_receipts"
              value="on"
              defaultChecked={choices.attachReceipts}
              label={translator.t('settings.attachReceipts')}
              note={translator.t('settings.attachReceiptsNote')}
            />
            <Switch
              id="reminders"
              name="reminders"
              value="on"
              defaultChecked={choices.reminders}
              label={translator.t('settings.reminders')}
              note={translator.t('settings.remindersNote')}
            />
            <Switch
              id="show-links"
              name="show_links"
              value="on"
              defaultChecked={choices.showLinks}
              label={translator.t('settings.showLinks')}
              note={translator.t('settings.showLinksNote')}
            />
            {canManage && <SaveBar />}
          </fieldset>
        </SettingForm>
      </Setting>
      <Setting
        id="members"
        title={translator.t('settings.members')}
        about={translator.t('settings.membersAbout')}
        notice={describeNotice(translator, notice, 'members')}
      >
        <Members {...props} />
        <Pager pages={props.pages} order="name" />
        {canManage && <InvitationForm {...props} />}
      </Setting>
      <SettingsPublicPage {...props} />
    </SettingsFrame>
  );
}

function Members({ frame, members, invitations, ownerCount, canManage, now }: SettingsAccountPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <SettingItems label={translator.t('settings.members')}>
      {members.map((member) => {
        const isLastOwner = member.role === 'owner' && ownerCount === 1;
        return (
          <SettingItem
            key={member.id}
            id={`member-${member.id}`}
            avatar={member.name || member.email}
            title={
              <>
                <bdi>{oneLine(member.name || member.email)}</bdi>{' '}
                <span class={`tag tone-${member.role === 'owner' ? 'calm' : 'quiet'}`}>
                  {translator.t(roleTexts[member.role].name)}
                </span>{' '}
                {member.isYou && <span class="tag tone-quiet">{translator.t('settings.member.you')}</span>}
              </>
            }
            about={
              <>
                <bdi>{oneLine(member.email)}</bdi>
                {' · '}
                {fillText(translator, 'settings.member.since', { when: <Ago at={member.since} now={now} /> })}
              </>
            }
            more={
              canManage
                ? {
                    label: translator.t('settings.change'),
                    name: member.name || member.email,
                    children: isLastOwner ? (
                      <p class="quiet">{translator.t('settings.member.lastOwner')}</p>
                    ) : (
                      <>
                        <SettingForm frame={frame} path="members/role" class="line-form">
                          <input type="hidden" name="id" value={member.id} />
                          <RoleSelect id={`role-${member.id}`} role={member.role} />
                          <Button>{translator.t('settings.save')}</Button>
                        </SettingForm>
                        <Removal
                          frame={frame}
                          path="members/remove"
                          id={member.id}
                          text={translator.t('settings.member.remove', {
                            person: isolate(member.name || member.email),
                          })}
                        />
                      </>
                    ),
                  }
                : undefined
            }
          />
        );
      })}
      {invitations.map((invitation) => (
        <SettingItem
          key={invitation.id}
          id={`member-${invitation.id}`}
          icon="mail"
          title={
            <>
              <bdi>{oneLine(invitation.email)}</bdi>{' '}
              <span class="tag tone-warn">{translator.t('settings.invitation.open')}</span>
            </>
          }
          about={
            <>
              {translator.t(roleTexts[invitation.role].name)}
              {' · '}
              {fillText(
                translator,
                invitation.expiresAt > now ? 'settings.invitation.expires' : 'settings.invitation.expired',
                { when: <Ago at={invitation.expiresAt} now={now} /> },
              )}
            </>
          }
          actions={
            canManage && (
              <>
                <SettingForm frame={frame} path="members/invitation">
                  <input type="hidden" name="email" value={invitation.email} />
                  <input type="hidden" name="role" value={invitation.role} />
                  <Button look="plain">
                    {translator.t('settings.invitation.renew')}
                    <span class="unseen"> {oneLine(invitation.email)}</span>
                  </Button>
                </SettingForm>
                <SettingForm frame={frame} path="members/invitation/revoke">
                  <input type="hidden" name="id" value={invitation.id} />
                  <Button look="plain">
                    {translator.t('settings.invitation.revoke')}
                    <span class="unseen"> {oneLine(invitation.email)}</span>
                  </Button>
                </SettingForm>
              </>
            )
          }
        />
      ))}
    </SettingItems>
  );
}

function InvitationForm({ frame, refusedInvitation }: SettingsAccountPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <AddForm
      frame={frame}
      path="members/invitation"
      class="form-grid"
      label={translator.t('settings.invitation.add')}
      isOpen={refusedInvitation !== undefined}
    >
      <Field
        id="invitation-email"
        name="email"
        type="email"
        label={translator.t('signIn.email')}
        problem={
          refusedInvitation &&
          (refusedInvitation.memberHref === undefined
            ? translator.t('settings.invitation.refused')
            : fillText(translator, 'settings.invitation.member', {
                list: <a href={refusedInvitation.memberHref}>{translator.t('settings.invitation.memberLink')}</a>,
              }))
        }
        value={refusedInvitation?.email}
        autocomplete="off"
        dir="ltr"
        required
      />
      <RoleSelect id="invitation-role" role="member" />
      <div class="form-end">
        <Button>{translator.t('settings.invitation.send')}</Button>
      </div>
    </AddForm>
  );
}

function RoleSelect({ id, role }: { id: string; role: MemberRole }): JSX.Element {
  const translator = useTranslator();
  return (
    <Select id={id} name="role" label={translator.t('settings.role')}>
      {roles.map((each) => (
        <option key={each} value={each} selected={each === role}>
          {describeRole(translator, each)}
        </option>
      ))}
    </Select>
  );
}

function describeRole(translator: ViewTranslator, role: MemberRole): string {
  const { name, about } = roleTexts[role];
  return translator.t('common.labelled', { label: translator.t(name), value: translator.t(about) });
}
