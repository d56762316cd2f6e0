import type { JSX, RefObject } from 'preact';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/overlay.tsx';
import { useTranslator } from '../components/translator-context.ts';

const id = 'send-without';

/** Asks before files that cannot be sent are left out for good. */
export function SendWithout(props: {
  dialog: RefObject<HTMLDialogElement | null>;
  /** How many are left out. */
  count: number;
  onSend: () => void;
}): JSX.Element {
  const translator = useTranslator();
  const { dialog, count } = props;
  const send = () => {
    dialog.current?.close();
    props.onSend();
  };
  return (
    <Dialog
      id={id}
      dialog={dialog}
      title={translator.t('island.sendWithout.title', { count })}
      actions={
        <>
          <Button form={`${id}-close`}>{translator.t('island.sendWithout.no')}</Button>
          <Button look="main" type="button" onClick={send}>
            {translator.t('island.sendWithout.yes', { count })}
          </Button>
        </>
      }
    >
      {translator.t('island.once')}
    </Dialog>
  );
}
