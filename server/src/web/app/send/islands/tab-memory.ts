/** Remembers which draft this tab has, until the tab is closed. */
export interface TabMemory {
  read(): string | undefined;
  write(id: string | undefined): void;
}

export function tabMemory(draftKey: string): TabMemory {
  const key = `waybill draft ${draftKey}`;
  return {
    read() {
      try {
        return sessionStorage.getItem(key) ?? undefined;
      } catch {
        return undefined;
      }
    },
    write(id) {
      try {
        if (id === undefined) sessionStorage.removeItem(key);
        else sessionStorage.setItem(key, id);
      } catch {
        // Storage may be forbidden; the draft that was changed last is taken then.
      }
    },
  };
}
