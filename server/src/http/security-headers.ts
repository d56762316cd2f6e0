/** The headers of every answer, successful or not (spec 4, "Common response headers"), and a few of our own. */
export const securityHeaders = {
  'cache-control': 'no-cache, no-store, must-revalidate',
  expires: '0',
  pragma: 'no-cache',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  'x-frame-options': 'SAMEORIGIN',
  'x-content-type-options': 'nosniff',
  // The filter this header controls had holes of its own; 0 is what it is still good for.
  'x-xss-protection': '0',
  'referrer-policy': 'no-referrer',
} as const;
