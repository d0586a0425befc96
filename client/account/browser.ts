import { browserOf } from '../../contract/browser.ts'
import type { DeviceName } from '../crypto/crypto.ts'

/** Maximum length in characters that fits the sealed name into its size limit in any script. */
export const NAME_CHARS = 40

/**
 * Returns the name of this browser in the account's device list: what the person typed, or a default such as "Firefox on
 * Windows".
 */
export function thisBrowser(name = '', agent: string = navigator.userAgent): DeviceName {
  const { browser, system } = browserOf(agent)
  const given = name.replace(/\p{C}/gu, '').trim().slice(0, NAME_CHARS)
  return { name: given || `${browser || 'Browser'} on ${system || 'an unknown system'}`, browser, system }
}
