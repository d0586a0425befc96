import { isReached } from './torsettings.ts'
import { ConfigError, read, type Variables } from './variables.ts'

export interface RelaySettings {
  stunUrls: string[]
  turnUrls: string[]
  secret: string | undefined
  /** True where the server brings a relay of its own, for browsers of this machine. */
  isLocal: boolean
}

const EXPECTED =
  'addresses of relays separated by commas, such as turn:relay.example.org:3478?transport=udp,turns:relay.example.org:443?transport=tcp'
/** RFC 7064 and 7065. A wrong one breaks every connection of a browser. */
const HOST = '(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\\[[0-9a-f:.]+\\])(?::\\d{1,5})?'
const STUN = new RegExp(`^stuns?:${HOST}$`, 'i')
const TURN = new RegExp(`^turns?:${HOST}(?:\\?transport=(?:udp|tcp))?$`, 'i')
const URLS_MAX = 10
const SECRET_CHARS = 16

/** Throws ConfigError. */
export function readRelay(variables: Variables): RelaySettings {
  const text = read(variables, 'TURN_URLS')
  const urls = text?.split(',').map((each) => each.trim()) ?? []
  const secret = read(variables, 'TURN_SECRET')
  const wrong = urls.find((each) => !STUN.test(each) && !TURN.test(each)) ?? (urls.length > URLS_MAX ? text : undefined)
  if (wrong !== undefined) throw new ConfigError('TURN_URLS', EXPECTED, wrong)
  const turnUrls = urls.filter((each) => TURN.test(each))
  if (turnUrls.length > 0 && secret === undefined)
    throw new ConfigError('TURN_SECRET', 'set together with TURN_URLS: the static-auth-secret of the relay', '')
  if (turnUrls.length === 0 && secret !== undefined)
    throw new ConfigError('TURN_URLS', 'set together with TURN_SECRET: at least one address of turn: or turns:', text ?? '')
  if (secret !== undefined && secret.length < SECRET_CHARS)
    throw new ConfigError('TURN_SECRET', `a random text of ${SECRET_CHARS} characters or more`, 'shorter')
  return {
    stunUrls: urls.filter((each) => STUN.test(each)),
    turnUrls,
    secret,
    isLocal: urls.length === 0 && !isReached(variables),
  }
}
