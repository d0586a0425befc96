import type { MessagePage } from '../../worker/crypto.ts'

/** `unbegun`: the first seq whose lifetime begins once it is read. */
export type Ends = Pick<MessagePage, 'nextEndMs' | 'unbegun'>

type Heard = (chatRoomId: string, ends: Ends) => void

const known = new Map<string, Ends>()
let heard: Heard | undefined

/** Notes what a page of the vault says of its chat. */
export function noteEnds(chatRoomId: string, { nextEndMs, unbegun }: Ends): void {
  if (nextEndMs === undefined) return
  const ends = { nextEndMs, ...(unbegun !== undefined && { unbegun }) }
  known.set(chatRoomId, ends)
  heard?.(chatRoomId, ends)
}

/** Returns how to stop. */
export function onEnds(listener: Heard): () => void {
  heard = listener
  for (const [chatRoomId, ends] of known) listener(chatRoomId, ends)
  return () => {
    heard = undefined
    known.clear()
  }
}
