import fastifyCookie from '@fastify/cookie'
import type { FastifyReply } from 'fastify'
import type { Config } from '../config.ts'

// `__Host-` binds the cookie to this host and to https; a browser drops it on plain HTTP.
const nameOf = (config: Config): string => (config.isHttps ? '__Host-conclave_session' : 'conclave_session')

// Strict, not Lax: pages carry nothing personal, and the calls that need the cookie come from our own page, so a link
// from elsewhere still opens signed in, while no request that another site makes carries the session.
const optionsOf = (config: Config) => ({ path: '/', httpOnly: true, sameSite: 'strict', secure: config.isHttps }) as const

/** The session's token in a Cookie header. */
export function readToken(config: Config, header: string | undefined): string | undefined {
  if (!header) return undefined
  return fastifyCookie.parse(header)[nameOf(config)]
}

export function writeToken(config: Config, reply: FastifyReply, token: string, expiresAt: Date): void {
  reply.setCookie(nameOf(config), token, { ...optionsOf(config), expires: expiresAt })
}

export function clearToken(config: Config, reply: FastifyReply): void {
  reply.clearCookie(nameOf(config), optionsOf(config))
}
