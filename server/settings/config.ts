import type { Socket } from 'node:net'
import path from 'node:path'
import { policyFor } from '../../contract/site/policy.ts'
import { type CardSettings, type FrameSettings, readCard, readFrame } from './cardsettings.ts'
import { type CoinSettings, readCoins } from './coinsettings.ts'
import { type MailSettings, readMail } from './mailsettings.ts'
import { type MasterPrice, readMasterPrice } from './mastersettings.ts'
import { readS3, type S3Settings } from './s3settings.ts'
import { ConfigError, read, readChoice, readUrl, type Variables } from './variables.ts'

export { ConfigError }

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const NODE_ENVS = ['development', 'production', 'test'] as const

/** Properties of all connections that one server accepts. They never depend on a request's headers. */
export interface Listener {
  /** The ingress that the `hello` frame names. */
  ingress: 'direct' | 'onion'
  /** True if browsers connect by https: the cookie is bound to it, and strict transport is sent. */
  isSecure: boolean
  /** True if X-Forwarded-For is trusted as TRUST_PROXY says; false if it is ignored. */
  hasProxy: boolean
  /**
   * Returns who has opened the connection, as the rate limits count it in place of an address; undefined if this connection says
   * nothing. Absent if no connection does (`callerKey`).
   */
  callerOf?: (connection: Socket) => string | undefined
  /** The origins whose pages may write and open sockets. `port` accepted the connection; undefined for a Unix socket. */
  origins(port: number | undefined): string[]
}

export interface Config {
  /** 0 means any free port. */
  port: number
  host: string
  /** The port of /metrics; undefined if it is off. */
  metricsPort: number | undefined
  metricsHost: string
  /** undefined for the PostgreSQL that npm brings, with its data in `dataFolder`. */
  databaseUrl: string | undefined
  /** undefined for the default folder, which depends on the account that runs the server. */
  dataFolder: string | undefined
  /** undefined for `release/` in the project. */
  releaseFolder: string | undefined
  /** The bucket that stores files; undefined for a folder in `dataFolder`. */
  s3: S3Settings | undefined
  /** The address in the browser; undefined if only this machine can connect. */
  publicUrl: URL | undefined
  /** The Content-Security-Policy of every answer. */
  policy: string
  onionUrl: URL | undefined
  logLevel: (typeof LOG_LEVELS)[number]
  nodeEnv: (typeof NODE_ENVS)[number]
  /** Trusted senders of X-Forwarded-For: none, a number of hops, or a list of addresses. */
  trustProxy: false | number | string[]
  /** false switches off rate limits, for measurements on this machine alone. */
  hasRateLimits: boolean
  /** True if closed browsers are told of news by their push services. */
  hasPush: boolean
  /** false lets requests to addresses that users choose reach this machine and inner networks, for tests alone. */
  isOutboundGuarded: boolean
  /** undefined if the server sends no mail. */
  mail: MailSettings | undefined
  coins: CoinSettings
  card: CardSettings
  /** Where cards are paid in a frame; undefined if nowhere. */
  frame: FrameSettings | undefined
  /** True if the provider computes and adds taxes. */
  hasCardTax: boolean
  masterPrice: MasterPrice
  /** The listener that PORT opens. */
  direct: Listener
}

/** Reads the settings. Throws ConfigError. */
export function readConfig(variables: Variables): Config {
  const publicUrl = readUrl(variables, 'PUBLIC_URL', ['http:', 'https:'], 'an address such as https://chat.example.org')
  const onionUrl = readOnionUrl(variables)
  /** Reached by its onion service alone. */
  const isHidden = onionUrl !== undefined && !publicUrl
  const trustProxy = readTrustProxy(variables)
  const port = readPort(variables, 'PORT') ?? 3000
  const s3 = readS3(variables)
  const frame = readFrame(variables)
  return {
    port,
    host: addressOf(read(variables, 'HOST')),
    metricsPort: readPort(variables, 'METRICS_PORT'),
    metricsHost: read(variables, 'METRICS_HOST') ?? '127.0.0.1',
    databaseUrl: readUrl(
      variables,
      'DATABASE_URL',
      ['postgres:', 'postgresql:'],
      'an address such as postgres://user:password@host/name',
      false,
    )?.href,
    dataFolder: readFolder(variables, 'CONCLAVE_DATA'),
    releaseFolder: readFolder(variables, 'RELEASE_FOLDER'),
    s3,
    publicUrl,
    policy: policyFor(s3?.publicUrl, frame?.origin),
    onionUrl,
    logLevel: readChoice(variables, 'LOG_LEVEL', LOG_LEVELS, 'info'),
    nodeEnv: readChoice(variables, 'NODE_ENV', NODE_ENVS, 'development'),
    trustProxy,
    hasRateLimits: isOn(variables, 'RATE_LIMITS'),
    // The request to a push service would show where a server stands that is reached by its onion service alone.
    hasPush: readChoice(variables, 'PUSH', ['on', 'off'], isHidden ? 'off' : 'on') === 'on',
    isOutboundGuarded: isOn(variables, 'OUTBOUND_GUARD'),
    mail: readMail(variables),
    coins: readCoins(variables, isHidden),
    card: readCard(variables),
    frame,
    hasCardTax: readChoice(variables, 'CARD_TAX', ['on', 'off'], 'off') === 'on',
    masterPrice: readMasterPrice(variables),
    direct: {
      ingress: 'direct',
      isSecure: publicUrl?.protocol === 'https:',
      hasProxy: trustProxy !== false,
      origins: (bound = port) => [
        ...(publicUrl ? [publicUrl.origin] : originsOfThisMachine(bound)),
        // An onion service that is set up outside Conclave leads to this listener too.
        ...(onionUrl ? [onionUrl.origin] : []),
      ],
    },
  }
}

// As a name it would be two addresses: Fastify opens a second server, which has neither sockets nor the limits of this one.
const addressOf = (host = '127.0.0.1'): string => (host === 'localhost' ? '127.0.0.1' : host)

const originsOfThisMachine = (port: number): string[] =>
  ['localhost', '127.0.0.1', '[::1]'].map((host) => new URL(`http://${host}:${port}`).origin)

function readPort(variables: Variables, name: string): number | undefined {
  const text = read(variables, name)
  if (text === undefined) return undefined
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new ConfigError(name, 'a number from 0 to 65535', text)
  return Number(text)
}

function readOnionUrl(variables: Variables): URL | undefined {
  const url = readUrl(variables, 'ONION_URL', ['http:', 'https:'], 'an address such as http://<56 characters>.onion')
  if (url && !/^[a-z2-7]{56}\.onion$/.test(url.hostname)) {
    throw new ConfigError('ONION_URL', 'an address such as http://<56 characters>.onion', url.href)
  }
  return url
}

function readFolder(variables: Variables, name: string): string | undefined {
  const text = read(variables, name)
  return text === undefined ? undefined : path.resolve(text)
}

// Without rate limits one account can fill the disk, and without the guard anybody asks the inner network: wherever others can reach
// the server, `off` is refused.
function isOn(variables: Variables, name: 'RATE_LIMITS' | 'OUTBOUND_GUARD'): boolean {
  const choice = readChoice(variables, name, ['on', 'off'], 'on')
  const isServed = read(variables, 'NODE_ENV') === 'production' || read(variables, 'PUBLIC_URL') || read(variables, 'ONION_URL')
  if (choice === 'off' && isServed)
    throw new ConfigError(name, 'on, or absent, in production and with PUBLIC_URL or ONION_URL', choice)
  return choice === 'on'
}

function readTrustProxy(variables: Variables): Config['trustProxy'] {
  const text = read(variables, 'TRUST_PROXY')
  if (text === undefined || text === 'off') return false
  if (/^[1-9]$/.test(text)) return Number(text)
  const addresses = text.split(',').map((each) => each.trim())
  if (addresses.every((each) => /^[0-9a-f.:]+(\/\d{1,3})?$/i.test(each) && /[.:]/.test(each))) return addresses
  throw new ConfigError('TRUST_PROXY', 'off, the number of proxies (1 to 9), or their addresses separated by commas', text)
}
