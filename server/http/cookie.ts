import { createHash } from 'node:crypto'
import fastifyCookie from '@fastify/cookie'
import type { FastifyReply } from 'fastify'
import type { Config } from '../config.ts'

// `__Host-` binds the cookie to this host and to https; a browser drops it on plain HTTP.
const nameOf = (config: Config): string => (config.isHttps ? '__Host-conclave_session' : 'conclave_session')

// Strict, not Lax: pages carry nothing personal, and the calls that need the cookie come from our own page, so a link
// from elsewhere still opens signed in, while no request that another site makes carries the session.
const optionsOf = (config: Config) => ({ path: '/', httpOnly: true, sameSite: 'strict', secure: config.isHttps }) as const

/** Names a session wherever its token must not be: SHA-256 of the token, hex. */
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** The hash of the session's token in a Cookie header. */
export function readSessionHash(config: Config, header: string | undefined): string | undefined {
  if (!header) return undefined
  const token = fastifyCookie.parse(header)[nameOf(config)]
  return token === undefined ? undefined : hashOfToken(token)
}

export function writeToken(config: Config, reply: FastifyReply, token: string, expiresAt: Date): void {
  reply.setCookie(nameOf(config), token, { ...optionsOf(config), expires: expiresAt })
}

export function clearToken(config: Config, reply: FastifyReply): void {
  reply.clearCookie(nameOf(config), optionsOf(config))
}
