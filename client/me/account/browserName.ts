import { browserOf } from '../../../contract/ground/browser.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { DeviceName } from '../../worker/crypto.ts'

/** Defaults to such as "Firefox on Windows". */
export function thisBrowser(name = '', agent: string = navigator.userAgent): DeviceName {
  const { browser, system } = browserOf(agent)
  const given = cleanName(name)
  return { name: given || `${browser || 'Browser'} on ${system || 'an unknown system'}`, browser, system }
}

/** Returns such as "Firefox on Windows 2". */
export function unusedName(name: string, taken: readonly string[]): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name} ${number}`
    if (!taken.includes(candidate)) return candidate
  }
}

export const cleanName = (typed: string, max: number = LIMITS.deviceNameMax): string =>
  typed.replace(/\p{C}/gu, '').trim().slice(0, max)
