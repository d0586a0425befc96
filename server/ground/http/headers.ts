import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import type { Config, Listener } from '../../settings/config.ts'
import { listenerOf } from './listener.ts'

const ALLOWED_HERE = ['camera', 'display-capture', 'microphone']
const SWITCHED_OFF = [
  'accelerometer',
  'browsing-topics',
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

// Headers depend on the listener alone.
const known = new WeakMap<Listener, Record<string, string>>()

export const policyOf = ({ policy, onionPolicy }: Config, { ingress }: Listener): string =>
  ingress === 'onion' ? onionPolicy : policy

export const fewestHeaders = (config: Config, listener: Listener): Record<string, string> => ({
  'content-security-policy': policyOf(config, listener),
  'cache-control': 'no-store',
  'origin-agent-cluster': '?1',
  'x-content-type-options': 'nosniff',
})

/** undefined before the first answer. */
export const headersOf = (listener: Listener): Readonly<Record<string, string>> | undefined => known.get(listener)

/** Routes that browsers may cache override cache-control. */
export async function setHeaders(app: FastifyInstance, config: Config): Promise<void> {
  await app.register(helmet, {
    global: false,
    contentSecurityPolicy: false,
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  })
  app.addHook('onRequest', async (request, reply) => {
    const listener = listenerOf(config, request.raw.socket)
    const before = known.get(listener)
    if (before) {
      reply.headers(before)
      return
    }
    await reply.helmet({
      strictTransportSecurity: listener.isSecure ? { maxAge: 365 * 24 * 60 * 60, includeSubDomains: false } : false,
    })
    reply.headers({
      'content-security-policy': policyOf(config, listener),
      'permissions-policy': PERMISSIONS,
      // Answers hold names and envelopes.
      'cache-control': 'no-store',
    })
    known.set(listener, Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)])))
  })
}
