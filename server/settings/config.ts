import type { Socket } from 'node:net'
import path from 'node:path'
import type { Terms } from '../../contract/money/terms.ts'
import { policyFor } from '../../contract/site/policy.ts'
import { type CardSettings, type FrameSettings, readCard, readFrame } from './cardsettings.ts'
import { type CoinSettings, readCoins } from './coinsettings.ts'
import { type MailSettings, readMail } from './mailsettings.ts'
import { type MasterPrice, readMasterPrice } from './mastersettings.ts'
import { type RelaySettings, readRelay } from './relaysettings.ts'
import { readS3, type S3Settings } from './s3settings.ts'
import { readSeller, type SellerSettings } from './sellersettings.ts'
import { readTerms } from './termssettings.ts'
import { isHidden as isHiddenBy, isServed, readTor, type TorSettings } from './torsettings.ts'
import { ConfigError, read, readChoice, readUrl, type Variables } from './variables.ts'

export { ConfigError }

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const NODE_ENVS = ['development', 'production', 'test'] as const

/** Never depends on headers. */
export interface Listener {
  ingress: 'direct' | 'onion'
  /** Browsers connect by https. */
  isSecure: boolean
  /** True follows TRUST_PROXY. */
  hasProxy: boolean
  /** Replaces the address in rate limits (`callerKey`). */
  callerOf?: (connection: Socket) => string | undefined
  /** `port` is undefined for a Unix socket. */
  origins(port: number | undefined): string[]
}

export interface Config {
  /** 0 means any free port. */
  port: number
  host: string
  metricsPort: number | undefined
  metricsHost: string
  /** undefined for npm's PostgreSQL. */
  databaseUrl: string | undefined
  owner: Owner | undefined
  dataFolder: string | undefined
  /** undefined for `release/`. */
  releaseFolder: string | undefined
  /** undefined for `dataFolder`. */
  s3: S3Settings | undefined
  /** undefined on this machine alone. */
  publicUrl: URL | undefined
  policy: string
  onionPolicy: string
  /** Somebody else publishes it. */
  onionUrl: URL | undefined
  tor: TorSettings
  logLevel: (typeof LOG_LEVELS)[number]
  nodeEnv: (typeof NODE_ENVS)[number]
  /** A number of hops, or addresses. */
  trustProxy: false | number | string[]
  /** False only for measurements on this machine. */
  hasRateLimits: boolean
  hasPush: boolean
  /** False only for tests: users' addresses then reach inner networks. */
  isOutboundGuarded: boolean
  mail: MailSettings | undefined
  coins: CoinSettings
  card: CardSettings
  frame: FrameSettings | undefined
  hasCardTax: boolean
  /** Thirty days in which a card payment is paid back. */
  hasGuarantee: boolean
  selling: SellerSettings
  masterPrice: MasterPrice
  terms: Terms | undefined
  relay: RelaySettings
  direct: Listener
}

/** Throws ConfigError. */
export function readConfig(variables: Variables): Config {
  const publicUrl = readUrl(variables, 'PUBLIC_URL', ['http:', 'https:'], 'an address such as https://chat.example.org')
  const onionUrl = readOnionUrl(variables)
  const isHidden = isHiddenBy(variables)
  const trustProxy = readTrustProxy(variables)
  const port = readPort(variables, 'PORT') ?? 3000
  const s3 = readS3(variables)
  const frame = readFrame(variables)
  return {
    port,
    host: addressOf(read(variables, 'HOST')),
    metricsPort: readPort(variables, 'METRICS_PORT'),
    metricsHost: read(variables, 'METRICS_HOST') ?? '127.0.0.1',
    databaseUrl: readDatabase(variables, 'DATABASE_URL')?.href,
    owner: readOwner(variables),
    dataFolder: readFolder(variables, 'CONCLAVE_DATA'),
    releaseFolder: readFolder(variables, 'RELEASE_FOLDER'),
    s3,
    publicUrl,
    policy: policyFor(s3?.publicUrl, frame?.origin),
    onionPolicy: policyFor(),
    onionUrl,
    tor: readTor(variables),
    logLevel: readChoice(variables, 'LOG_LEVEL', LOG_LEVELS, 'info'),
    nodeEnv: readChoice(variables, 'NODE_ENV', NODE_ENVS, 'development'),
    trustProxy,
    hasRateLimits: isOn(variables, 'RATE_LIMITS'),
    // A request to a push service would show where a hidden server stands.
    hasPush: readChoice(variables, 'PUSH', ['on', 'off'], isHidden ? 'off' : 'on') === 'on',
    isOutboundGuarded: isOn(variables, 'OUTBOUND_GUARD'),
    mail: readMail(variables),
    coins: readCoins(variables, isHidden),
    card: readCard(variables),
    frame,
    hasCardTax: readChoice(variables, 'CARD_TAX', ['on', 'off'], 'off') === 'on',
    hasGuarantee: readChoice(variables, 'CARD_GUARANTEE', ['on', 'off'], 'on') === 'on',
    selling: readSeller(variables),
    masterPrice: readMasterPrice(variables),
    terms: readTerms(variables),
    relay: readRelay(variables),
    direct: {
      ingress: 'direct',
      isSecure: publicUrl?.protocol === 'https:',
      hasProxy: trustProxy !== false,
      origins: (bound = port) => [
        ...(publicUrl ? [publicUrl.origin] : originsOfThisMachine(bound)),
        ...(onionUrl ? [onionUrl.origin] : []),
      ],
    },
  }
}

/** Owns the tables, where the server's own role does not. */
export interface Owner {
  url: string
  serverRole: string
}

const readDatabase = (variables: Variables, name: string): URL | undefined =>
  readUrl(variables, name, ['postgres:', 'postgresql:'], 'an address such as postgres://user:password@host/name', false)

function readOwner(variables: Variables): Owner | undefined {
  const [owner, own] = [readDatabase(variables, 'DATABASE_OWNER_URL'), readDatabase(variables, 'DATABASE_URL')]
  if (!owner) return undefined
  if (!own) throw new ConfigError('DATABASE_URL', 'set together with DATABASE_OWNER_URL', '')
  if (own.username === '')
    throw new ConfigError('DATABASE_URL', 'an address that names its role, beside DATABASE_OWNER_URL', 'none')
  // The host of one may be a pooler.
  if (owner.pathname !== own.pathname) throw new ConfigError('DATABASE_OWNER_URL', 'of the database of DATABASE_URL', 'another')
  return { url: owner.href, serverRole: decodeURIComponent(own.username) }
}

// Fastify opens a second server, without limits, for a name with two addresses.
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

// `off` is refused if others reach the server: an account could fill the disk, and anybody ask the inner network.
function isOn(variables: Variables, name: 'RATE_LIMITS' | 'OUTBOUND_GUARD'): boolean {
  const choice = readChoice(variables, name, ['on', 'off'], 'on')
  if (choice === 'off' && isServed(variables))
    throw new ConfigError(name, 'on, or absent, in production and with PUBLIC_URL, ONION_URL or TOR', choice)
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
