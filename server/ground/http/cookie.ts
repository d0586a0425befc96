import { createHash, randomBytes } from 'node:crypto'
import fastifyCookie from '@fastify/cookie'
import type { FastifyReply } from 'fastify'
import type { Listener } from '../../settings/config.ts'

// Browsers bind `__Host-` to host and https.
const named = (name: string, { isSecure, ingress }: Listener): string =>
  `${isSecure ? '__Host-' : ''}conclave_${ingress === 'onion' ? 'onion_' : ''}${name}`

const nameOf = (listener: Listener): string => named('session', listener)

// Known browsers have own limits at sign-in [Note: D4].
const browserNameOf = (listener: Listener): string => named('browser', listener)
const BROWSER_DAYS = 400

// Strict keeps the session from requests of other sites. Links still open the app signed in.
const optionsOf = ({ isSecure }: Listener) => ({ path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure }) as const

// No UTF-8 has this byte.
const ONION = Buffer.of(0xff)

/** Returns hex. A token of one listener is none at the other, also where somebody copies it. */
export const hashOfToken = (token: string, ingress: Listener['ingress'] = 'direct'): string =>
  createHash('sha256')
    .update(ingress === 'onion' ? ONION : '')
    .update(token)
    .digest('hex')

/** undefined without a token. */
export function readSessionHash(listener: Listener, header: string | undefined): string | undefined {
  if (!header) return undefined
  const token = fastifyCookie.parse(header)[nameOf(listener)]
  return token === undefined ? undefined : hashOfToken(token, listener.ingress)
}

/** Returns the SHA-256, hex. */
export function readBrowserHash(listener: Listener, header: string | undefined): string | undefined {
  const value = header && fastifyCookie.parse(header)[browserNameOf(listener)]
  return value ? hashOfToken(value, listener.ingress) : undefined
}

/** Returns the SHA-256, hex. */
export function writeBrowser(listener: Listener, reply: FastifyReply): string {
  const value = randomBytes(32).toString('base64url')
  reply.setCookie(browserNameOf(listener), value, { ...optionsOf(listener), maxAge: BROWSER_DAYS * 24 * 60 * 60 })
  return hashOfToken(value, listener.ingress)
}

export function writeToken(listener: Listener, reply: FastifyReply, token: string, expiresAt: Date): void {
  reply.setCookie(nameOf(listener), token, { ...optionsOf(listener), expires: expiresAt })
}

export function clearToken(listener: Listener, reply: FastifyReply): void {
  reply.clearCookie(nameOf(listener), optionsOf(listener))
}
