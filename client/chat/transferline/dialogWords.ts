import { bytesWords } from '../../ui/bytes.ts'

export const LIMIT = 'Up to 100 MB, sealed from browser to browser. No server stores it: both browsers must be open.'
export const addressWords = (name: string): string =>
  `${name}’s browser may see your network address unless “Hide my address” is on.`
export const ENDS_WITH_TAB = 'This browser keeps nothing, as in a private window: what you offer ends with this tab.'

export const CHOOSE = 'Choose files, or drop them here'
export const DROP = 'Drop them here'
export const GOES_ON = 'They go once accepted, and go on after a break'

/** `freeBytes`: undefined if the browser does not say. */
export interface RoomLeft {
  freeBytes: number | undefined
  /** False: all is in memory. */
  isOnDisk: boolean
}

export const roomWords = ({ freeBytes, isOnDisk }: RoomLeft): string =>
  !isOnDisk
    ? 'This browser keeps nothing, as in a private window: it is in memory until this tab is closed.'
    : freeBytes === undefined
      ? ''
      : `You have ${bytesWords(freeBytes)} free in this browser.`
