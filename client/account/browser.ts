import { browserOf } from '../../contract/browser.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { DeviceName } from '../crypto/crypto.ts'

/**
 * Returns the name of this browser in the account's device list: what the person typed, or a default such as "Firefox on
 * Windows".
 */
export function thisBrowser(name = '', agent: string = navigator.userAgent): DeviceName {
  const { browser, system } = browserOf(agent)
  const given = cleanName(name)
  return { name: given || `${browser || 'Browser'} on ${system || 'an unknown system'}`, browser, system }
}

/** A typed name as it is kept: without invisible characters, and cut. */
export const cleanName = (typed: string, max: number = LIMITS.deviceNameMax): string =>
  typed.replace(/\p{C}/gu, '').trim().slice(0, max)
