/** A person with a newly started browser of their own. Everything works with the page's scripts on and off. */
export interface Visitor extends AsyncDisposable {
  open(url: string): Promise<void>;
  /** Presses the button, or follows the link, with exactly this text. */
  press(text: string): Promise<void>;
  /** Types into the page's only text field. */
  type(text: string): Promise<void>;
  /** Chooses files in the page's first field for files. */
  choose(paths: readonly string[]): Promise<void>;
  /** The size of what is in view. */
  resize(width: number, height: number): Promise<void>;
  /** The value of an expression in the page. */
  evaluate<T>(expression: string): Promise<T>;
  /** A picture of what is in view, as PNG. */
  screenshot(): Promise<Uint8Array>;
}

export interface VisitorOptions {
  readonly scripts: boolean;
  /** Where the browser puts what it downloads. */
  readonly downloads: string;
}

export type StartVisitor = (options: VisitorOptions) => Promise<Visitor>;

export const textField = 'input[type=text]';
export const fileField = 'input[type=file]';

/** In XPath, which all browsers know; the text has no quotation mark in it. */
export function pressable(text: string): string {
  return `//*[self::a or self::button][normalize-space()="${text}"]`;
}
