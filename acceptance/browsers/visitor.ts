/** A person with a newly started browser of their own. Everything works with the page's scripts on and off. */
export interface Visitor extends AsyncDisposable {
  open(url: string): Promise<void>;
  /** Presses the button, or follows the link, with exactly this text. */
  press(text: string): Promise<void>;
  /** Types into the page's only text field. */
  type(text: string): Promise<void>;
  /** Types into the field with this selector, after what is in it. */
  fill(selector: string, text: string): Promise<void>;
  /** Chooses files in the page's first field for files. */
  choose(paths: readonly string[]): Promise<void>;
  /** Sets the size of the visible part. */
  resize(width: number, height: number): Promise<void>;
  /** Returns the value of an expression in the page. */
  evaluate<T>(expression: string): Promise<T>;
  /** Takes a picture of the visible part, as PNG. */
  screenshot(): Promise<Uint8Array>;
}

export interface VisitorOptions {
  readonly scripts: boolean;
  /** The folder in which the browser stores downloads. */
  readonly downloads: string;
}

export type StartVisitor = (options: VisitorOptions) => Promise<Visitor>;

export const textField = 'input[type=text]';
export const fileField = 'input[type=file]';

/** Writes the selector as XPath, which all browsers support; the text must have no quotation marks. */
export function pressable(text: string): string {
  return `//*[self::a or self::button][normalize-space()="${text}"]`;
}
