/**
 * Returns the Content-Security-Policy of every answer, whatever its address, its status or the listener: a page runs and loads only files of
 * this server, and has no inline script or style. It is one text without a nonce, because WEBCAT compares it character by character
 * with the one in a signed manifest (https://docs.webcat.tech). It has no `upgrade-insecure-requests`: every source is this very
 * origin, and an onion service has no https to be upgraded to. `bucketUrl` is where browsers reach the bucket of sealed files, without
 * a slash at its end; undefined if all bytes go through the server. `frameOrigin` is the other origin whose one page may be shown in a frame,
 * where cards are paid; undefined if no page shows any.
 */
export const policyFor = (bucketUrl?: string, frameOrigin?: string): string =>
  [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "font-src 'self'",
    // Videos and voice messages are opened by the page, and played from its memory.
    'media-src blob:',
    `connect-src 'self'${bucketUrl === undefined ? '' : ` ${bucketUrl}/`}`,
    ...(frameOrigin === undefined ? [] : [`frame-src ${frameOrigin}`]),
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types conclave',
  ].join(';')
