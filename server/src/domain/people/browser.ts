/** The browser that a request came from, as far as it tells. */
export interface Browser {
  readonly address: string;
  readonly userAgent: string;
}

/** Enough to recognise a browser by, and no more than a row should hold. */
const userAgentLength = 400;

export function toBrowser(address: string, userAgent: string | undefined): Browser {
  return { address, userAgent: (userAgent ?? '').slice(0, userAgentLength) };
}
