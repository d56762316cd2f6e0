import type { ComponentChildren, JSX } from 'preact';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Button, ButtonLink } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { fillText } from '../../shared/components/fill-text.ts';
import { Icon } from '../../shared/components/icon.tsx';
import { BriefMoment } from '../../shared/components/moment.tsx';
import { PageHead } from '../components/page-head.tsx';

export interface WelcomePageProps {
  readonly base: string;
  readonly csrf: string;
  readonly now: Date;
  readonly person: { readonly name: string; readonly email: string };
  /** How the person can sign in. */
  readonly methods: readonly { readonly kind: 'passkey' | 'password' | 'provider'; readonly name: string }[];
  /** A delivery to the person's own address, if there is one. */
  readonly sample?: { readonly href: string; readonly sentAt: Date } | undefined;
  /** How long the sample is available. */
  readonly sampleSeconds: number;
  readonly requestId: string;
  /** Why the sample was not sent. */
  readonly problem?: string | undefined;
}

const methodTexts = { passkey: 'welcome.passkey', password: 'welcome.password' } as const;

export function welcomeTitle(translator: ViewTranslator, { person }: Pick<WelcomePageProps, 'person'>): string {
  return translator.t('welcome.title', { name: isolate(person.name || person.email) });
}

/** Three steps of a first visit. Only what the server knows is marked as done. */
export function WelcomePage(props: WelcomePageProps): JSX.Element {
  const translator = useTranslator();
  const { base, person, sample, problem } = props;
  const isNamed = person.name !== '';
  return (
    <div class="welcome">
      <PageHead
        title={welcomeTitle(translator, props)}
        about={translator.t(sample && isNamed ? 'welcome.done' : isNamed ? 'welcome.left' : 'welcome.leftMore')}
        actions={
          !sample && (
            <ButtonLink look="plain" href={base}>
              {translator.t('welcome.skip')}
            </ButtonLink>
          )
        }
      />
      {problem !== undefined && <Banner tone="bad">{problem}</Banner>}
      <section class="panel" aria-label={translator.t('welcome.steps')}>
        <ol class="first-steps">
          <SignInStep {...props} />
          <Step
            number={2}
            isDone={isNamed}
            title={translator.t(isNamed ? 'welcome.name' : 'welcome.nameMissing')}
            action={
              <ButtonLink look="plain" href={`${base}settings#profile`}>
                {translator.t('welcome.change')}
              </ButtonLink>
            }
          >
            <p class="quiet">
              {isNamed && (
                <>
                  <strong>
                    <bdi>{oneLine(person.name)}</bdi>
                  </strong>{' '}
                </>
              )}
              <bdi class="whole">{oneLine(person.email)}</bdi>
            </p>
          </Step>
          <SampleStep {...props} />
        </ol>
      </section>
      <p>
        <ButtonLink icon="plus" href={base}>
          {translator.t('welcome.own')}
        </ButtonLink>
      </p>
    </div>
  );
}

function SignInStep({ base, methods }: WelcomePageProps): JSX.Element {
  const translator = useTranslator();
  const kinds = new Map(
    methods.map(({ kind, name }) => {
      const said = kind === 'provider' ? isolate(oneLine(name)) : translator.t(methodTexts[kind]);
      return [said, kind];
    }),
  );
  const list = new Intl.ListFormat(translator.locale, { type: 'conjunction' }).format([...kinds.keys()]);
  return (
    <Step
      number={1}
      isDone={methods.length > 0}
      title={translator.t('welcome.signIn')}
      action={
        <ButtonLink look="plain" href={`${base}settings#sign-in`}>
          {translator.t('welcome.addMethod')}
        </ButtonLink>
      }
    >
      <p class="quiet">
        {translator.t(methods.length > 1 ? 'welcome.signInSafe' : 'welcome.signInText', { methods: list })}
      </p>
    </Step>
  );
}

function SampleStep(props: WelcomePageProps): JSX.Element {
  const translator = useTranslator();
  const { base, csrf, now, person, sample, sampleSeconds, requestId } = props;
  if (sample) {
    return (
      <Step
        number={3}
        isDone
        title={translator.t('welcome.sample')}
        action={
          <ButtonLink look="plain" href={sample.href}>
            {translator.t('welcome.follow')}
          </ButtonLink>
        }
      >
        <p class="quiet">
          {fillText(translator, 'welcome.sampleSent', {
            when: <BriefMoment at={sample.sentAt} now={now} show="day-time" />,
          })}
        </p>
      </Step>
    );
  }
  return (
    <Step number={3} title={translator.t('welcome.sample')}>
      <p class="quiet">
        {fillText(translator, 'welcome.sampleText', {
          address: <bdi class="whole">{oneLine(person.email)}</bdi>,
          time: translator.formatDuration(sampleSeconds),
        })}
      </p>
      <form method="post" action={`${base}welcome/sample`} class="first-action">
        <CsrfField csrf={csrf} />
        <input type="hidden" name="request_id" value={requestId} />
        <Button look="main" icon="send">
          {translator.t('welcome.sample')}
        </Button>
        <p class="quiet small">{translator.t('welcome.sampleNote')}</p>
      </form>
    </Step>
  );
}

function Step(props: {
  number: number;
  isDone?: boolean;
  title: string;
  action?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  const translator = useTranslator();
  const { number, isDone } = props;
  return (
    <li class={`first-step ${isDone ? 'is-done' : 'is-now'}`}>
      <span class="step-dot" aria-hidden="true">
        {isDone ? <Icon name="check" small /> : translator.formatNumber(number)}
      </span>
      <div>
        <h2>
          {isDone && <span class="unseen">{translator.t('welcome.stepDone')} </span>}
          {props.title}
        </h2>
        {props.children}
      </div>
      {props.action}
    </li>
  );
}
