import type { ConcurrencyLimiter } from '../flow/concurrency-limiter.ts';

/** The content of a receipt's pages, in the words of one language, as data: where it stands on them is the printer's business. */
export interface ReceiptPages {
  /** A BCP 47 tag. */
  readonly language: string;
  readonly title: string;
  readonly reference: string;
  readonly operator: PrintedOperator;
  readonly issuedAt: Date;
  /** An event in one sentence, and its support in another. */
  readonly result: { readonly tone: Tone; readonly text: string; readonly detail: string };
  readonly facts: readonly PrintedFact[];
  readonly files?: PrintedFiles | undefined;
  readonly story: {
    readonly heading: string;
    readonly steps: readonly PrintedStep[];
    readonly note?: string | undefined;
  };
  readonly lists: readonly { readonly heading: string; readonly items: readonly string[] }[];
  readonly verification: {
    readonly heading: string;
    readonly steps: readonly string[];
    readonly facts: readonly PrintedFact[];
    /** A QR code: the side of its view box, and one SVG path of all dark squares. */
    readonly code: { readonly size: number; readonly path: string };
  };
  /** Shown if the fonts lack a character, whose place is then marked. */
  readonly missingCharacters: string;
  /** With `{page}` and `{pages}` for the numbers. */
  readonly pageNumber: string;
}

export type Tone = 'good' | 'warn' | 'bad' | 'calm';

export interface PrintedOperator {
  readonly name: string;
  /** As #rrggbb: for text and lines, and for a surface behind text. */
  readonly accent: string;
  readonly tint: string;
  /** A PNG, and the size at which it is shown. */
  readonly logo?: { readonly content: Uint8Array; readonly width: number; readonly height: number } | undefined;
}

export interface PrintedFact {
  readonly label: string;
  readonly value: string;
  /** A second line, less prominent. */
  readonly detail?: string | undefined;
}

export interface PrintedFiles {
  readonly heading: string;
  readonly columns: readonly [name: string, size: string, time: string];
  readonly rows: readonly {
    readonly name: string;
    readonly digest: string;
    readonly size: string;
    readonly time: string;
    readonly isHandedOver: boolean;
  }[];
  /** Says how many files are only in the attachment. */
  readonly note?: string | undefined;
}

export interface PrintedStep {
  readonly time: string;
  readonly text: string;
  readonly tone: Tone;
}

export interface ReceiptAttachment {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly content: Uint8Array;
}

/** The part of a receipt that its pages show. */
export interface PrintableReceipt {
  readonly events: readonly { readonly at: string; readonly kind: string; readonly data: object }[];
  readonly issuedAt: Date;
  /** The newest checkpoint. */
  readonly log: {
    readonly origin: string;
    readonly size: number;
    /** The witnesses of this server that have cosigned it, and when; undefined if the server has none. */
    readonly witnesses?: readonly { readonly name: string; readonly at: Date }[] | undefined;
    /** The last time stamp of the log, and the time of the last event that it covers; undefined if there is none. */
    readonly stamp?: { readonly at: Date; readonly until: string } | undefined;
  };
}

/** Prints receipts in the best available language for their readers, with the operator's name and colours. */
export interface ReceiptPrinter {
  print(
    languages: readonly string[],
    receipt: PrintableReceipt,
    attachments: readonly ReceiptAttachment[],
  ): Promise<Buffer>;
  /** Limits how many receipts are made at once. */
  readonly limiter: ConcurrencyLimiter;
}
