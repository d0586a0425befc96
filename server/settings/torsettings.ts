import path from 'node:path'
import { ConfigError, read, readChoice, type Variables } from './variables.ts'

export interface TorSettings {
  /** `auto`: used where it is there. `required`: nobody comes otherwise. */
  mode: 'off' | 'auto' | 'required'
  /** undefined for a tor of the server's own. */
  control: TorControl | undefined
  configFile: string | undefined
  /** An operator's tor of another account reaches the server here. */
  socketPath: string | undefined
}

export interface TorControl {
  address: { path: string } | { host: string; port: number }
  password: string | undefined
}

const MODES = ['off', 'auto', 'required'] as const
const SOCKET_BYTES = 107
const HERE = ['127.0.0.1', 'localhost', '::1']

/** True where others than this machine reach the server. */
export const isServed = (variables: Variables): boolean =>
  read(variables, 'NODE_ENV') === 'production' ||
  ['PUBLIC_URL', 'ONION_URL', 'TOR_CONTROL'].some((name) => read(variables, name) !== undefined) ||
  ['auto', 'required'].includes(read(variables, 'TOR') ?? '')

/** True where other machines can connect. */
export const isReached = (variables: Variables): boolean =>
  isServed(variables) || !HERE.includes(read(variables, 'HOST') ?? '127.0.0.1')

/** True for an onion service alone: a request to others would show where it stands. */
export const isHidden = (variables: Variables): boolean =>
  read(variables, 'PUBLIC_URL') === undefined && (read(variables, 'ONION_URL') !== undefined || readMode(variables) !== 'off')

/** Throws ConfigError. */
export function readTor(variables: Variables): TorSettings {
  const mode = readMode(variables)
  const control = readControl(variables)
  const [configFile, socketPath] = [readFile(variables, 'TOR_CONFIG'), readFile(variables, 'TOR_SOCKET')]
  if (mode !== 'off' && read(variables, 'ONION_URL') !== undefined)
    throw new ConfigError(
      'ONION_URL',
      'absent where TOR publishes an onion service of this server',
      read(variables, 'ONION_URL') ?? '',
    )
  if (mode === 'off' && control) throw new ConfigError('TOR_CONTROL', 'absent with TOR=off', 'set')
  if (control && configFile !== undefined)
    throw new ConfigError('TOR_CONFIG', 'absent with TOR_CONTROL, whose tor has a configuration of its own', configFile)
  if (!control && socketPath !== undefined) throw new ConfigError('TOR_SOCKET', 'set together with TOR_CONTROL', socketPath)
  if (socketPath !== undefined && Buffer.byteLength(socketPath) > SOCKET_BYTES)
    throw new ConfigError('TOR_SOCKET', `a path of at most ${SOCKET_BYTES} bytes`, socketPath)
  return { mode, control, configFile, socketPath }
}

// A test joins no network unasked.
function readMode(variables: Variables): TorSettings['mode'] {
  const isOffered = isServed(variables) && read(variables, 'NODE_ENV') !== 'test' && read(variables, 'ONION_URL') === undefined
  const hasControl = read(variables, 'TOR_CONTROL') !== undefined
  return readChoice(variables, 'TOR', MODES, isOffered || hasControl ? 'auto' : 'off')
}

function readControl(variables: Variables): TorControl | undefined {
  const [text, password] = [read(variables, 'TOR_CONTROL'), read(variables, 'TOR_CONTROL_PASSWORD')]
  if (text === undefined) {
    if (password !== undefined) throw new ConfigError('TOR_CONTROL', 'set together with TOR_CONTROL_PASSWORD', '')
    return undefined
  }
  // A line of the control protocol ends there.
  if (password !== undefined && /\p{Cc}/u.test(password))
    throw new ConfigError('TOR_CONTROL_PASSWORD', 'a text without control characters', 'something else')
  const address = addressOf(text)
  if (!address) throw new ConfigError('TOR_CONTROL', 'unix:/a/path, or an address and port such as 127.0.0.1:9051', text)
  return { address, password }
}

function addressOf(text: string): TorControl['address'] | undefined {
  if (text.startsWith('unix:/')) return { path: text.slice('unix:'.length) }
  const [, inBrackets, bare, digits] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+)):(\d{1,5})$/i.exec(text) ?? []
  const [host, port] = [inBrackets ?? bare, Number(digits)]
  return host !== undefined && port > 0 && port <= 65_535 ? { host, port } : undefined
}

function readFile(variables: Variables, name: string): string | undefined {
  const text = read(variables, name)
  return text === undefined ? undefined : path.resolve(text)
}
