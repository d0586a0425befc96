import { fromBase64 } from '../ground/bytes.ts'

/** Returns the first four bytes of a browser's key for people to compare, as "7f2c 90ab". Takes base64. */
export const keyStart = (leafKey: string): string =>
  [...fromBase64(leafKey).subarray(0, 4)]
    .map((byte, at) => `${at === 2 ? ' ' : ''}${byte.toString(16).padStart(2, '0')}`)
    .join('')
