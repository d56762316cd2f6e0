import type { Remembered } from './send-intent.ts';

export interface IntentMemory {
  read(): Remembered | undefined;
  write(remembered: Remembered | undefined): void;
}

/** Stores the intent in this browser, by link. If a browser stores nothing, each visit starts from the beginning. */
export function intentMemory(storage: () => Storage, draftKey: string): IntentMemory {
  const key = `waybill:send:${draftKey}`;
  return {
    read() {
      try {
        return (JSON.parse(storage().getItem(key) ?? 'null') as Remembered | null) ?? undefined;
      } catch {
        return undefined;
      }
    },
    write(remembered) {
      try {
        if (remembered) storage().setItem(key, JSON.stringify(remembered));
        else storage().removeItem(key);
      } catch {
        // Storage may be forbidden or full; everything else works without it.
      }
    },
  };
}
