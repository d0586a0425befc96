import { randomBytes } from 'node:crypto'
import type { RelaySettings } from '../../settings/relaysettings.ts'
import { makeCredentials, type RelayCredentials } from './credentials.ts'
import type { LocalRelay } from './localRelay.ts'

export interface RelayServer extends Partial<RelayCredentials> {
  urls: string[]
}

/** The relay of calls: the operator's, or, for browsers of this machine, one that the server brings. */
export interface Relay {
  /** False where there is none, or where the server's own has not started. */
  isThere(): boolean
  /** False of the one that the server brings. */
  isOperators: boolean
  /** The operator's servers of STUN and the relay, with new credentials. */
  servers(expiresAt: Date): RelayServer[]
  /** Starts the server's own, if the settings want it. Rejects if it cannot listen. */
  start(): Promise<void>
  stop(): Promise<void>
}

export function openRelay({ stunUrls, turnUrls, secret, isLocal }: RelaySettings, clock: () => Date): Relay {
  const key = secret ?? randomBytes(32).toString('hex')
  let starting: Promise<LocalRelay> | undefined
  let port: number | undefined
  const urls = () => (port === undefined ? turnUrls : [`turn:127.0.0.1:${port}?transport=udp`])
  return {
    isThere: () => urls().length > 0,
    isOperators: turnUrls.length > 0,
    servers: (expiresAt) => [
      ...(stunUrls.length > 0 ? [{ urls: stunUrls }] : []),
      ...(urls().length > 0 ? [{ urls: urls(), ...makeCredentials(key, expiresAt) }] : []),
    ],
    async start() {
      if (!isLocal) return
      starting ??= import('./localRelay.ts').then(({ startLocalRelay }) => startLocalRelay({ secret: key, clock }))
      port = (await starting).port
    },
    async stop() {
      const started = await starting?.catch(() => undefined)
      ;[starting, port] = [undefined, undefined]
      await started?.stop()
    },
  }
}
