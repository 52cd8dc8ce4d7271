/** Headers on every answer. Pages for people have a `Content-Security-Policy` of their own. */
export function securityHeaders(baseUrl: string): [name: string, value: string][] {
  return [
    ['X-Content-Type-Options', 'nosniff'],
    ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
    ['Referrer-Policy', 'no-referrer'],
    ['Cache-Control', 'no-store'],
    ...(baseUrl.startsWith('https://')
      ? [['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'] as [string, string]]
      : []),
  ];
}
