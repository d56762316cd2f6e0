/** The headers of every response, successful or not (docs/api.md#headers-of-every-response), and a few of our own. */
export const securityHeaders = {
  'cache-control': 'no-cache, no-store, must-revalidate',
  expires: '0',
  pragma: 'no-cache',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  'x-frame-options': 'SAMEORIGIN',
  'x-content-type-options': 'nosniff',
  // The filter that this header controls had security holes, so the only useful value left is 0.
  'x-xss-protection': '0',
  'referrer-policy': 'no-referrer',
} as const;
