import type { ViewTranslator } from '../components/translator-context.ts';

/** The files of the composer, and how far they have come. */
export interface FilesState {
  readonly files: readonly {
    readonly name: string;
    readonly path: string | undefined;
    readonly sizeBytes: number;
    readonly isStopped: boolean;
  }[];
  readonly totalBytes: number;
  readonly sentBytes: number;
  readonly secondsLeft: number | undefined;
  /** Whether nothing is on its way. */
  readonly isReady: boolean;
  /** Whether Send was pressed. */
  readonly intent: 'none' | 'waiting' | 'sending';
}

export interface ComposerFiles {
  readonly state: FilesState;
  /** Takes Send back. */
  cancel(): void;
}

interface Options {
  readonly form: HTMLFormElement;
  readonly translator: ViewTranslator;
  readonly onChange: (state: FilesState) => void;
  readonly onRefused: (problem: { readonly message: string; readonly field: string | undefined }) => void;
  readonly say: (text: string) => void;
  /** Reads and restores what the person wrote. */
  readonly fields: { read(): string; restore(kept: string): void };
}

/** Reports the files that were chosen; they are sent with the form. */
export function mountFiles(root: HTMLElement, { onChange }: Options): ComposerFiles {
  const read = (): FilesState => {
    const chosen = Array.from(root.querySelector<HTMLInputElement>('input[type=file]')?.files ?? [], (file) => ({
      name: file.name,
      path: undefined,
      sizeBytes: file.size,
      isStopped: false,
    }));
    const kept = Array.from(root.querySelectorAll<HTMLInputElement>('input[name=upload]:checked'), ({ dataset }) => ({
      name: dataset['path'] ?? '',
      path: undefined,
      sizeBytes: Number(dataset['size']),
      isStopped: false,
    }));
    const files = [...kept, ...chosen];
    const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return { files, totalBytes, sentBytes: totalBytes, secondsLeft: undefined, isReady: true, intent: 'none' };
  };
  root.addEventListener('change', () => onChange(read()));
  return {
    get state() {
      return read();
    },
    cancel() {},
  };
}
