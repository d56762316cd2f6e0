/** The browser that a request came from, as far as it tells. */
export interface Browser {
  readonly address: string;
  readonly userAgent: string;
  /** The cookie that a person got when they signed in here before, if any. */
  readonly deviceCookie?: string | undefined;
}

/** Enough to recognise a browser by, and no more than a row should hold. */
const userAgentLength = 400;

export function toBrowser(address: string, userAgent: string | undefined, deviceCookie?: string): Browser {
  return { address, userAgent: (userAgent ?? '').slice(0, userAgentLength), deviceCookie };
}
