import type { PostOptions } from '../call-options.ts';
import { WaybillError } from '../errors.ts';
import type { NewDrop, NewReceiver, NewSharedLink } from '../generated/wire.ts';

/** The receivers, and for how long they can use their links. */
export interface DeliveryOptions extends PostOptions {
  /**
   * The receivers, who need not be contacts. Details that are not given are taken from the contact with the address. A drop
   * with a link for anybody may have none.
   */
  to: readonly (string | NewReceiver)[];
  /** One line by which you and the receivers know it: the subject of the mails, and in lists. */
  title?: string | undefined;
  /** A message, shown in the mail and on the page of each receiver. */
  message?: string | undefined;
  /** For how many days the links can be used. Defaults to the server's setting. */
  days?: number | undefined;
  /** `false`: receivers get no mails. The response contains their links, for you to send. */
  notify?: boolean | undefined;
  /** How receivers get a code besides their link. Defaults to the account's rule, and cannot be weaker. */
  secondFactor?: NewDrop['second_factor'] | undefined;
  /**
   * Receivers have to enter it, in addition to a code if one is required. Tell it in another way than the link; nobody can
   * read it again. At least 12 characters.
   */
  passphrase?: string | undefined;
  /** Your own identifier. */
  externalId?: string | undefined;
}

/** A link to share, which is in the response as `shared_link.link`. */
export interface SharedLinkOptions {
  /** `named`: for all receivers, who each enter a code; `anybody`: for whoever has it. */
  kind: NewSharedLink['kind'];
  /** After how many downloads a link for anybody ends. Defaults to any number. */
  maxDownloads?: number | undefined;
  /** For how many days it can be used. Defaults to the end of the drop. */
  days?: number | undefined;
}

type DeliveryFields = Pick<
  NewDrop,
  'receivers' | 'title' | 'message' | 'expires_in' | 'second_factor' | 'passphrase' | 'notify' | 'external_id'
>;

const secondsPerDay = 86_400;

/** Converts the options to fields of the API. */
export function toDeliveryFields(options: DeliveryOptions, mayBeNobody = false): DeliveryFields {
  const { to, title, message, days, secondFactor, passphrase, notify, externalId } = options;
  if (to.length === 0 && !mayBeNobody) throw new WaybillError('no_receivers', 'Name at least one receiver.');
  return {
    receivers: to.map((receiver) => (typeof receiver === 'string' ? { email: receiver } : receiver)),
    ...(title === undefined ? {} : { title }),
    ...(message === undefined ? {} : { message }),
    ...(days === undefined ? {} : { expires_in: days * secondsPerDay }),
    ...(secondFactor === undefined ? {} : { second_factor: secondFactor }),
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(notify === undefined ? {} : { notify }),
    ...(externalId === undefined ? {} : { external_id: externalId }),
  };
}

/** Converts the options to fields of the API. */
export function toSharedLinkFields({ kind, maxDownloads, days }: SharedLinkOptions): NewSharedLink {
  return {
    kind,
    ...(maxDownloads === undefined ? {} : { max_downloads: maxDownloads }),
    ...(days === undefined ? {} : { expires_in: days * secondsPerDay }),
  };
}
