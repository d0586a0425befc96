import type { MessagePage } from '../../worker/crypto.ts'

/** `unbegun`: the first seq whose lifetime begins once it is read. */
export type Ends = Pick<MessagePage, 'nextEndMs' | 'unbegun'>

type Heard = (chatRoomId: string, ends: Ends) => void

const known = new Map<string, Ends>()
let heard: Heard | undefined

/** Notes what a page of the vault says of its chat. */
export function noteEnds(chatRoomId: string, ends: Ends): void {
  if (ends.nextEndMs === undefined) return
  known.set(chatRoomId, ends)
  heard?.(chatRoomId, ends)
}

/** Something there may have to go. */
export const lookSoon = (chatRoomId: string): void => noteEnds(chatRoomId, { ...known.get(chatRoomId), nextEndMs: 0 })

/** Replaces an earlier listener. */
export function onEnds(listener: Heard): void {
  heard = listener
  known.forEach((ends, chatRoomId) => {
    listener(chatRoomId, ends)
  })
}

export function forgetEnds(): void {
  heard = undefined
  known.clear()
}
