import { createHash } from 'node:crypto'
import fastifyCookie from '@fastify/cookie'
import type { FastifyReply } from 'fastify'
import type { Listener } from '../config.ts'

// `__Host-` binds the cookie to this host and to https; a browser drops it on plain HTTP.
const nameOf = ({ isSecure }: Listener): string => (isSecure ? '__Host-conclave_session' : 'conclave_session')

// Strict, not Lax: pages carry nothing personal, and the calls that need the cookie come from our own page, so a link
// from elsewhere still opens signed in, while no request that another site makes carries the session.
const optionsOf = ({ isSecure }: Listener) => ({ path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure }) as const

/** Names a session wherever its token must not be: SHA-256 of the token, hex. */
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** The hash of the session's token in a Cookie header. */
export function readSessionHash(listener: Listener, header: string | undefined): string | undefined {
  if (!header) return undefined
  const token = fastifyCookie.parse(header)[nameOf(listener)]
  return token === undefined ? undefined : hashOfToken(token)
}

export function writeToken(listener: Listener, reply: FastifyReply, token: string, expiresAt: Date): void {
  reply.setCookie(nameOf(listener), token, { ...optionsOf(listener), expires: expiresAt })
}

export function clearToken(listener: Listener, reply: FastifyReply): void {
  reply.clearCookie(nameOf(listener), optionsOf(listener))
}
