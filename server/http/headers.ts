import helmet from '@fastify/helmet'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Config, Listener } from '../config.ts'
import { listenerOf } from './listener.ts'

const ALLOWED_HERE = ['camera', 'microphone']
const SWITCHED_OFF = [
  'accelerometer',
  'browsing-topics',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'midi',
  'payment',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
const PERMISSIONS = [...ALLOWED_HERE.map((name) => `${name}=(self)`), ...SWITCHED_OFF.map((name) => `${name}=()`)].join(', ')

/** What a page may run and load: nothing that we did not ship, and nothing from elsewhere. Styles that carry the nonce are ours. */
export function policyOf({ isSecure }: Listener, nonce?: string): string {
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    `style-src 'self'${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
    "img-src 'self' blob: data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types conclave',
    // On plain HTTP it would send the browser to an https that is not there.
    ...(isSecure ? ['upgrade-insecure-requests'] : []),
  ].join(';')
}

/** The headers of every answer; a page adds its nonce, and what browsers may keep says so itself. */
export async function setHeaders(app: FastifyInstance, config: Config): Promise<void> {
  await app.register(helmet, {
    global: false,
    contentSecurityPolicy: false,
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  })
  // They are the same for all who came in by one listener: they are made once.
  const known = new WeakMap<Listener, ReturnType<FastifyReply['getHeaders']>>()
  app.addHook('onRequest', async (request, reply) => {
    const listener = listenerOf(config, request.raw)
    const before = known.get(listener)
    if (before) {
      reply.headers(before)
      return
    }
    await reply.helmet({
      strictTransportSecurity: listener.isSecure ? { maxAge: 365 * 24 * 60 * 60, includeSubDomains: false } : false,
    })
    reply.headers({
      'content-security-policy': policyOf(listener),
      'permissions-policy': PERMISSIONS,
      // Answers hold names and envelopes: no browser or proxy keeps them.
      'cache-control': 'no-store',
    })
    known.set(listener, { ...reply.getHeaders() })
  })
}
