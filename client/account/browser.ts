import type { DeviceName } from '../crypto/crypto.ts'

const BROWSERS: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** Maximum length in characters that fits the sealed name into its size limit in any script. */
export const NAME_CHARS = 40

/**
 * Returns the name of this browser in the account's device list: what the person typed, or a default such as "Firefox on
 * Windows".
 */
export function thisBrowser(name = '', agent: string = navigator.userAgent): DeviceName {
  const find = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(agent))?.[1] ?? ''
  const browser = find(BROWSERS)
  const system = find(SYSTEMS)
  const given = name.replace(/\p{C}/gu, '').trim().slice(0, NAME_CHARS)
  return { name: given || `${browser || 'Browser'} on ${system || 'an unknown system'}`, browser, system }
}
