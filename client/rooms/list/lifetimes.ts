type Heard = (chatRoomId: string, nextEndMs: number) => void

const ends = new Map<string, number>()
let heard: Heard | undefined

/** Notes when the next message of a chat ends, as a page of the vault says. */
export function noteEnds(chatRoomId: string, nextEndMs: number | undefined): void {
  if (nextEndMs === undefined) return
  ends.set(chatRoomId, nextEndMs)
  heard?.(chatRoomId, nextEndMs)
}

/** Tells what is noted, and what comes. Returns how to stop. */
export function onEnds(listener: Heard): () => void {
  heard = listener
  for (const [chatRoomId, nextEndMs] of ends) listener(chatRoomId, nextEndMs)
  return () => {
    heard = undefined
    ends.clear()
  }
}
