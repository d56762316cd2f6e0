import type { JSX } from 'preact';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Button, ButtonLink } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { Crumbs } from '../components/crumbs.tsx';
import { PageHead } from '../components/page-head.tsx';
import type { ListProps } from '../shared/list-props.ts';
import { ContactFields, type ContactFieldsProps } from './contact-fields.tsx';

export type NewContactPageProps = ListProps & Omit<ContactFieldsProps, 'contact' | 'legend'>;

export function newContactTitle(translator: ViewTranslator): string {
  return translator.t('contacts.new');
}

export function NewContactPage(props: NewContactPageProps): JSX.Element {
  const translator = useTranslator();
  const path = `${props.base}contacts`;
  const title = newContactTitle(translator);
  return (
    <>
      <PageHead
        trail={
          <Crumbs label={translator.t('frame.contacts')} href={path}>
            {title}
          </Crumbs>
        }
        title={title}
      />
      <form class="panel contact-form" method="post" action={path}>
        <div class="panel-body">
          <CsrfField csrf={props.csrf} />
          <ContactFields {...props} legend={title} />
          <div class="actions">
            <Button class="button-tint" icon="check">
              {translator.t('contacts.save')}
            </Button>
            <ButtonLink look="plain" href={path}>
              {translator.t('list.cancel')}
            </ButtonLink>
          </div>
        </div>
      </form>
    </>
  );
}
