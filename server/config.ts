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
  /** The public address is https: secure cookies and HSTS. */
  isHttps: boolean
}

type Variables = Record<string, string | undefined>

/** Reads the settings. Throws ConfigError. */
export function readConfig(variables: Variables): Config {
  const publicUrl = readUrl(variables, 'PUBLIC_URL', ['http:', 'https:'], 'an address such as https://chat.example.org')
  return {
    port: readPort(variables, 'PORT') ?? 3000,
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
    onionUrl: readOnionUrl(variables),
    logLevel: readChoice(variables, 'LOG_LEVEL', LOG_LEVELS, 'info'),
    nodeEnv: readChoice(variables, 'NODE_ENV', NODE_ENVS, 'development'),
    trustProxy: readTrustProxy(variables),
    hasRateLimits: readRateLimits(variables),
    isHttps: publicUrl?.protocol === 'https:',
  }
}

/** The origins that may write. Without PUBLIC_URL those of this machine, on the port that is actually bound. */
export function allowedOrigins(config: Config, boundPort: number): string[] {
  const local = ['localhost', '127.0.0.1', '[::1]'].map((host) => new URL(`http://${host}:${boundPort}`).origin)
  const direct = config.publicUrl ? [config.publicUrl.origin] : local
  return config.onionUrl ? [...direct, config.onionUrl.origin] : direct
}

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
