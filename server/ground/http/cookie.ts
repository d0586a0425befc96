import { createHash, randomBytes } from 'node:crypto'
import fastifyCookie from '@fastify/cookie'
import type { FastifyReply } from 'fastify'
import type { Listener } from '../../settings/config.ts'

// `__Host-` binds the cookie to this host and to https. A browser rejects such a cookie on plain HTTP.
const nameOf = ({ isSecure }: Listener): string => (isSecure ? '__Host-conclave_session' : 'conclave_session')

// A random value that identifies the browser at sign-in, where each known browser has its own rate limit [Note: D4].
const browserNameOf = ({ isSecure }: Listener): string => (isSecure ? '__Host-conclave_browser' : 'conclave_browser')
const BROWSER_DAYS = 400

// With Strict no request from another site carries the session. A link on another site still opens the app signed in: loading the
// page needs no cookie, and the calls come from the page's own script.
const optionsOf = ({ isSecure }: Listener) => ({ path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure }) as const

/** Returns the SHA-256 of a session's token, hex. It identifies the session where the token must not be stored. */
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Reads the session's token in a Cookie header and returns its hash; undefined if there is none. */
export function readSessionHash(listener: Listener, header: string | undefined): string | undefined {
  if (!header) return undefined
  const token = fastifyCookie.parse(header)[nameOf(listener)]
  return token === undefined ? undefined : hashOfToken(token)
}

/** Reads the browser's random value in a Cookie header and returns its SHA-256, hex; undefined if there is none. */
export function readBrowserHash(listener: Listener, header: string | undefined): string | undefined {
  const value = header && fastifyCookie.parse(header)[browserNameOf(listener)]
  return value ? hashOfToken(value) : undefined
}

/** Sets a random value as the browser's cookie and returns its SHA-256, hex. */
export function writeBrowser(listener: Listener, reply: FastifyReply): string {
  const value = randomBytes(32).toString('base64url')
  reply.setCookie(browserNameOf(listener), value, { ...optionsOf(listener), maxAge: BROWSER_DAYS * 24 * 60 * 60 })
  return hashOfToken(value)
}

export function writeToken(listener: Listener, reply: FastifyReply, token: string, expiresAt: Date): void {
  reply.setCookie(nameOf(listener), token, { ...optionsOf(listener), expires: expiresAt })
}

export function clearToken(listener: Listener, reply: FastifyReply): void {
  reply.clearCookie(nameOf(listener), optionsOf(listener))
}
