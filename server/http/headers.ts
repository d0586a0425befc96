import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import helmet from '@fastify/helmet'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Config } from '../config.ts'

const nonces = new WeakMap<ServerResponse, string>()

/** The nonce that this response's policy names; styles that carry it are ours. */
export function nonceOf(response: ServerResponse): string {
  const nonce = nonces.get(response) ?? randomBytes(16).toString('base64')
  nonces.set(response, nonce)
  return nonce
}

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

/** The headers of every answer. Nothing runs that we did not ship, and nothing is loaded from elsewhere. */
export async function setHeaders(app: FastifyInstance, config: Config): Promise<void> {
  await app.register(helmet, {
    global: false,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", "'wasm-unsafe-eval'"],
        workerSrc: ["'self'"],
        styleSrc: ["'self'", (_request, response) => `'nonce-${nonceOf(response)}'`],
        imgSrc: ["'self'", 'blob:', 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        objectSrc: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: ['conclave'],
        // On plain HTTP it would send the browser to an https that is not there.
        upgradeInsecureRequests: config.isHttps ? [] : null,
      },
    },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: config.isHttps ? { maxAge: 365 * 24 * 60 * 60, includeSubDomains: false } : false,
    xFrameOptions: { action: 'deny' },
  })
  // Only a page has styles that carry a nonce. What the API answers has the same headers each time: they are made once.
  let ofAnswers: ReturnType<FastifyReply['getHeaders']> | undefined
  app.addHook('onRequest', async (request, reply) => {
    const isAnswer = request.url.startsWith('/api/')
    if (isAnswer && ofAnswers) {
      reply.headers(ofAnswers)
      return
    }
    await reply.helmet()
    reply.header('permissions-policy', PERMISSIONS)
    if (!isAnswer) return
    // Answers hold names and envelopes: no browser or proxy keeps them.
    reply.header('cache-control', 'no-store')
    ofAnswers = { ...reply.getHeaders() }
  })
}
