import type { Env } from '../../env.ts'
import { inTurn } from '../../net/inTurn.ts'
import { unfinishedAlbums } from './albums.ts'
import { tellTabs, type Upload, uploadsIn } from './uploadsState.ts'
import { find, inRows, remove } from './waitingFile.ts'

export interface Follower {
  show(chatRoomId: string): Promise<void>
  /**
   * The files' messages are in the outbox now, perhaps by another tab. `names`: all files that this tab sent, once none of the
   * chat is under way; before that, none.
   */
  stored(chatRoomId: string, names: string[]): Promise<void>
  /** Another tab held up what is stored here, and does not any more. */
  goOn(): Promise<void>
  /** The plan allows no files. */
  refused(): void
}

let chats: Follower | undefined

export function follow(next: Follower): void {
  chats = next
}

export function follower(): Follower {
  if (!chats) throw new Error('Nobody follows the files')
  return chats
}

export const isActive = ({ isPaused, failure }: Pick<Upload, 'isPaused' | 'failure'>): boolean => !isPaused && failure === null

/** Sent names by chat, until all its files are sent. */
const sent = new Map<string, string[]>()

export const forgetSent = (): void => sent.clear()

/** Hands stored files to the outbox in the chosen order. `isFreed`: what was written behind one of them need not wait any more. */
export const settle = (env: Env, chatRoomId: string, isFreed = false): Promise<void> =>
  inTurn(env, `uploads ${chatRoomId}`, async () => {
    const names: string[] = []
    const active = uploadsIn(chatRoomId).filter(isActive)
    const unfinished = await unfinishedAlbums(active, () => void follower().goOn())
    for (const { id, object, content } of active) {
      // The pictures of an album arrive together.
      if (object === null || (content.album && unfinished.has(content.album.id))) break
      await inRows(env, async () => {
        const now = find(id)
        if (!now || !isActive(now)) return
        await env.crypto.uploadDone({ chatRoomId, id, object })
        remove(id)
        names.push(content.voice ? 'Voice message' : content.name)
      })
    }
    if (names.length > 0) tellTabs()
    const isLast = !uploadsIn(chatRoomId).some(isActive)
    const all = [...(sent.get(chatRoomId) ?? []), ...names]
    if (isLast) sent.delete(chatRoomId)
    else sent.set(chatRoomId, all)
    if (isFreed || isLast || names.length > 0) await follower().stored(chatRoomId, isLast ? all : [])
  })
