/** The pictures in docs/images that `npm run pictures` draws, each with the subject that a document shows with it. */
export const drawnPictures = {
  'branding.png': 'a landing page and a mail, without and with an operator’s name, colour and logo',
  'code-phone-dark.png': 'the page that asks for a code',
  'contact-phone-light.png': 'the contact’s page with chosen files, on a phone',
  'contact.png': 'the contact’s page with chosen files, on a desktop',
  'delivery.png': 'a whole delivery, on a demo',
  'design-choices.png': 'boxes, switches, segments, a secret and the bar of unsaved settings',
  'design-composer.png': 'the parts of the composer in their states',
  'design-frame.png': 'the frame of the app, with the head of a screen, tabs, initials and tags',
  'design-lists.png': 'the components of lists, on a desktop',
  'design-phone-dark.png': 'a list with selected rows, on a phone',
  'design-setting.png': 'parts of the settings, with fields and items',
  'design-tokens.png': 'colours, type and distances',
  'hero.png': 'the app on a desktop, and the receiver’s page on a phone',
  'mail.png': 'the mail that a receiver gets',
  'people-contacts.png': 'the contacts of an account',
  'people-delivery.png': 'the page of a delivery in the app',
  'people-enrolment.png': 'the page on which a person chooses how to sign in',
  'people-inbox.png': 'the inbox of an account',
  'people-members.png': 'the members of a shared account',
  'people-public.png': 'the public page of an account',
  'people-request.png': 'the page of a request in the app',
  'people-send.png': 'the page for sending in the app',
  'people-settings.png': 'the settings of a person',
  'receipt.png': 'the first page of a receipt',
  'receiver.png': 'the receiver’s page, on a desktop',
  'reference.png': 'an operation in the reference of the API',
};

export type DrawnPicture = keyof typeof drawnPictures;

/** The other pictures in docs/images: diagrams written by hand, and charts with the tools that draw them. */
export const otherPictures: Readonly<Record<string, 'by hand' | `tools/${string}`>> = {
  'delivery.svg': 'by hand',
  'deployment.svg': 'by hand',
  'keys.svg': 'by hand',
  'old-records.svg': 'tools/lab/grow/simulate-year.ts',
  'overview.svg': 'by hand',
  'performance.svg': 'tools/lab/benchmark/report.ts',
};
