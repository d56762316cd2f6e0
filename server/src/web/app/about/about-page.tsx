import type { ComponentChildren, JSX } from 'preact';
import type { Usage } from '../../../domain/accounts/quota-store.ts';
import type { SentDrop } from '../../../domain/drops/sent-drop-store.ts';
import type { LifetimeRule, Policy } from '../../../domain/policy.ts';
import type { Operator } from '../../../present/operator.ts';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Breakable } from '../../shared/components/breakable.tsx';
import { fillText } from '../../shared/components/fill-text.ts';
import { Moment } from '../../shared/components/moment.tsx';
import { genuinePath } from '../../shared/components/page-foot.tsx';
import { KeyValues } from '../components/key-values.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Panel } from '../components/panel.tsx';
import { namePerson, type Person } from '../components/person.tsx';
import { toHref } from '../shared/list-props.ts';

export interface AboutPageProps {
  readonly base: string;
  readonly operator: Operator;
  /** The account in view, as people know it. */
  readonly account: string;
  /** The limits of this account, and the periods of the server. */
  readonly policy: Pick<
    Policy,
    'maxStoredBytes' | 'dropsPerDay' | 'mailsPerDay' | 'lifetime' | 'receiverDomains' | 'scan' | 'keepSeconds'
  >;
  readonly maxFileBytes: number;
  readonly usage: Usage;
  /** The first few deliveries to end. */
  readonly next: readonly EndingDrop[];
}

export interface EndingDrop extends Pick<SentDrop, 'id' | 'title' | 'expiresAt' | 'fileCount'> {
  readonly firstReceiver: Person;
  readonly totalBytes: number;
}

const scanTexts = {
  required: 'about.scan.required',
  'best-effort': 'about.scan.best_effort',
  off: 'about.scan.off',
} as const;

export function aboutTitle(translator: ViewTranslator): string {
  return translator.t('home.link');
}

/** Says what the account in view may do, what the server keeps and for how long, and whom to ask. */
export function AboutPage(props: AboutPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <>
      <PageHead title={aboutTitle(translator)} about={oneLine(props.operator.name)} />
      <div class="about">
        <Limits {...props} />
        <Next {...props} />
        <Kept {...props} />
        <Help {...props} />
      </div>
    </>
  );
}

function Limits({ account, policy, maxFileBytes, usage }: AboutPageProps): JSX.Element {
  const translator = useTranslator();
  const { t, formatNumber, formatSize } = translator;
  const toUse = (used: string, max: string | undefined) =>
    max === undefined ? t('about.noLimit', { used }) : t('about.used', { used, max });
  const count = (used: number, max: number | null) =>
    toUse(formatNumber(used), max === null ? undefined : formatNumber(max));
  const { maxStoredBytes, dropsPerDay, mailsPerDay, receiverDomains } = policy;
  return (
    <Panel title={t('about.limits', { account: isolate(account) })}>
      <KeyValues
        values={[
          [t('about.file'), t('about.upTo', { size: formatSize(maxFileBytes) })],
          [
            t('about.storage'),
            toUse(formatSize(usage.storedBytes), maxStoredBytes === null ? undefined : formatSize(maxStoredBytes)),
          ],
          [t('about.drops'), count(usage.dropsToday, dropsPerDay)],
          [t('about.mails'), count(usage.mailsToday, mailsPerDay)],
          [t('about.lifetime'), describeLifetime(translator, policy.lifetime)],
          [t('about.receivers'), receiverDomains ? <bdi>{receiverDomains.join(', ')}</bdi> : t('about.anyone')],
          [t('about.scan'), t(scanTexts[policy.scan])],
        ]}
      />
      <p class="quiet small">
        {t('about.day')} {t('about.again')}
      </p>
    </Panel>
  );
}

/** The deliveries whose files are deleted next, and how much each takes. */
function Next({ base, next }: AboutPageProps): JSX.Element {
  const { t, formatSize } = useTranslator();
  return (
    <Panel title={t('about.next')}>
      {next.length === 0 ? (
        <p class="quiet">{t('about.nothingNext')}</p>
      ) : (
        <>
          <div class="log">
            {next.map(({ id, title, expiresAt, fileCount, firstReceiver, totalBytes }) => (
              <div key={id}>
                <p>
                  <a href={`${base}sent/${id}`} dir="auto">
                    <Breakable>{title === null ? t('sent.count', { count: fileCount }) : oneLine(title)}</Breakable>
                  </a>
                  {` · ${formatSize(totalBytes)}`}
                </p>
                <p class="quiet small">
                  <bdi>
                    <Breakable>{namePerson(firstReceiver)}</Breakable>
                  </bdi>
                </p>
                <p class="small">
                  <Moment at={expiresAt} show="deadline" />
                </p>
              </div>
            ))}
          </div>
          <p class="about-links">
            <a href={toHref(`${base}sent`, { part: 'underway', sort: 'until' })}>{t('about.byEnd')}</a>
          </p>
        </>
      )}
    </Panel>
  );
}

function describeLifetime(
  { t, formatDuration }: ViewTranslator,
  { unitSeconds, min, max, only }: LifetimeRule,
): string {
  const say = (lifetime: number) => formatDuration(lifetime * unitSeconds);
  if (only)
    return only
      .toSorted((one, other) => one - other)
      .map(say)
      .join(', ');
  return min === max ? say(min) : t('about.between', { min: say(min), max: say(max) });
}

function Kept({ policy: { keepSeconds: keep } }: AboutPageProps): JSX.Element {
  const { t, formatDuration } = useTranslator();
  const after = (seconds: number | undefined, otherwise: string) =>
    seconds === undefined ? t(otherwise) : t('about.after', { time: formatDuration(seconds) });
  const whole = (seconds: number | undefined) => (seconds === undefined ? t('about.forever') : formatDuration(seconds));
  return (
    <Panel title={t('about.kept')}>
      <KeyValues
        values={[
          [t('about.files'), t('about.filesKept')],
          [t('about.history'), after(keep.history, 'about.forever')],
          [t('about.activity'), after(keep.activity, 'about.asLong')],
          [t('about.messages'), keep.messages === undefined ? t('about.asLong') : formatDuration(keep.messages)],
          [t('about.evidence'), whole(keep.evidence)],
          [t('about.audit'), whole(keep.audit)],
        ]}
      />
    </Panel>
  );
}

function Help({ base, operator }: AboutPageProps): JSX.Element {
  const translator = useTranslator();
  const { t } = translator;
  const { name, supportAddress, imprintUrl, privacyUrl } = operator;
  const links: readonly (readonly [href: string | undefined, label: ComponentChildren])[] = [
    [`${base}welcome`, t('about.welcome')],
    [genuinePath, t('about.genuine')],
    ['/verify', t('about.verify')],
    ['/docs', t('about.docs')],
    [imprintUrl, t('common.imprint')],
    [privacyUrl, t('common.privacy')],
  ];
  return (
    <Panel title={t('about.help')}>
      <p>
        {supportAddress === undefined
          ? t('about.noSupport', { operator: isolate(name) })
          : fillText(translator, 'about.support', {
              address: <a href={`mailto:${supportAddress}`}>{supportAddress}</a>,
            })}
      </p>
      <ul class="about-links">
        {links.map(
          ([href, label]) =>
            href !== undefined && (
              <li key={href}>
                <a href={href}>{label}</a>
              </li>
            ),
        )}
      </ul>
    </Panel>
  );
}
