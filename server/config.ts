import path from 'node:path'

/** A setting that cannot be used. The message names the variable and what is expected. */
export class ConfigError extends Error {
  constructor(variable: string, expected: string, found: string) {
    super(`${variable} must be ${expected}, but it is "${found}"`)
    this.name = 'ConfigError'
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const NODE_ENVS = ['development', 'production', 'test'] as const

/** A way in. What it says holds for every connection that its server accepts, whatever the headers of a request claim. */
export interface Listener {
  /** What `hello` tells the page. */
  ingress: 'direct' | 'onion'
  /** Browsers come by https: the cookie is bound to it, and they are told to stay. */
  isSecure: boolean
  /** X-Forwarded-For counts as TRUST_PROXY says; elsewhere it counts for nothing. */
  hasProxy: boolean
  /** The origins whose pages may write and open sockets; `port` took the connection, undefined for a Unix socket. */
  origins(port: number | undefined): string[]
}

export interface Config {
  /** 0: any free port. */
  port: number
  host: string
  /** Where /metrics is served; undefined: nowhere. */
  metricsPort: number | undefined
  metricsHost: string
  /** undefined: the PostgreSQL that npm brings, with its data in `dataFolder`. */
  databaseUrl: string | undefined
  /** undefined: the default place, which depends on the account that runs the server. */
  dataFolder: string | undefined
  /** The address in the browser; undefined: this machine only. */
  publicUrl: URL | undefined
  onionUrl: URL | undefined
  logLevel: (typeof LOG_LEVELS)[number]
  nodeEnv: (typeof NODE_ENVS)[number]
  /** Whose X-Forwarded-For is believed: nobody's, that of so many hops, or that of the listed addresses. */
  trustProxy: false | number | string[]
  /** false: nobody is told to wait. For measurements on this machine alone. */
  hasRateLimits: boolean
  /** The listener that PORT opens. */
  direct: Listener
}

type Variables = Record<string, string | undefined>

/** Reads the settings. Throws ConfigError. */
export function readConfig(variables: Variables): Config {
  const publicUrl = readUrl(variables, 'PUBLIC_URL', ['http:', 'https:'], 'an address such as https://chat.example.org')
  const onionUrl = readOnionUrl(variables)
  const trustProxy = readTrustProxy(variables)
  const port = readPort(variables, 'PORT') ?? 3000
  return {
    port,
    host: read(variables, 'HOST') ?? '127.0.0.1',
    metricsPort: readPort(variables, 'METRICS_PORT'),
    metricsHost: read(variables, 'METRICS_HOST') ?? '127.0.0.1',
    databaseUrl: readUrl(
      variables,
      'DATABASE_URL',
      ['postgres:', 'postgresql:'],
      'an address such as postgres://user:password@host/name',
      false,
    )?.href,
    dataFolder: readFolder(variables),
    publicUrl,
    onionUrl,
    logLevel: readChoice(variables, 'LOG_LEVEL', LOG_LEVELS, 'info'),
    nodeEnv: readChoice(variables, 'NODE_ENV', NODE_ENVS, 'development'),
    trustProxy,
    hasRateLimits: readRateLimits(variables),
    direct: {
      ingress: 'direct',
      isSecure: publicUrl?.protocol === 'https:',
      hasProxy: trustProxy !== false,
      origins: (bound = port) => [
        ...(publicUrl ? [publicUrl.origin] : originsOfThisMachine(bound)),
        // An onion service that somebody else runs leads to this listener too.
        ...(onionUrl ? [onionUrl.origin] : []),
      ],
    },
  }
}

const originsOfThisMachine = (port: number): string[] =>
  ['localhost', '127.0.0.1', '[::1]'].map((host) => new URL(`http://${host}:${port}`).origin)

// An empty variable counts as absent: compose files pass unset ones on like this.
function read(variables: Variables, name: string): string | undefined {
  return variables[name]?.trim() || undefined
}

function readPort(variables: Variables, name: string): number | undefined {
  const text = read(variables, name)
  if (text === undefined) return undefined
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new ConfigError(name, 'a number from 0 to 65535', text)
  return Number(text)
}

function readChoice<T extends string>(variables: Variables, name: string, choices: readonly T[], fallback: T): T {
  const text = read(variables, name)
  if (text === undefined) return fallback
  const choice = choices.find((each) => each === text)
  if (choice === undefined) throw new ConfigError(name, `one of ${choices.join(', ')}`, text)
  return choice
}

function readUrl(variables: Variables, name: string, protocols: string[], expected: string, isShown = true): URL | undefined {
  const text = read(variables, name)
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  // A database address holds a password: it is not repeated.
  if (!url || !protocols.includes(url.protocol)) throw new ConfigError(name, expected, isShown ? text : 'something else')
  return url
}

function readOnionUrl(variables: Variables): URL | undefined {
  const url = readUrl(variables, 'ONION_URL', ['http:', 'https:'], 'an address such as http://<56 characters>.onion')
  if (url && !/^[a-z2-7]{56}\.onion$/.test(url.hostname)) {
    throw new ConfigError('ONION_URL', 'an address such as http://<56 characters>.onion', url.href)
  }
  return url
}

function readFolder(variables: Variables): string | undefined {
  const text = read(variables, 'CONCLAVE_DATA')
  return text === undefined ? undefined : path.resolve(text)
}

// Without rates one account can fill the disk, so the setting is refused wherever others can reach the server.
function readRateLimits(variables: Variables): boolean {
  const choice = readChoice(variables, 'RATE_LIMITS', ['on', 'off'], 'on')
  const isServed = read(variables, 'NODE_ENV') === 'production' || read(variables, 'PUBLIC_URL') || read(variables, 'ONION_URL')
  if (choice === 'off' && isServed)
    throw new ConfigError('RATE_LIMITS', 'on, or absent, in production and with PUBLIC_URL or ONION_URL', choice)
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
