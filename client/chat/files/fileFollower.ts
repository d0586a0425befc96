import type { Env } from '../../env.ts'
import { inTurn } from '../../net/inTurn.ts'
import { tellTabs, type Upload, uploadsIn } from './uploadsState.ts'
import { inRows, remove } from './waitingFile.ts'

/** What the chats do when files of theirs go on. */
export interface Follower {
  /** Shows the chat's files that wait again. */
  show(chatRoomId: string): Promise<void>
  /**
   * Messages of files are in the outbox now, maybe by another tab. Once nothing of the chat goes on, `names` has all that this tab sent
   * since it began; before that it is empty.
   */
  stored(chatRoomId: string, names: string[]): Promise<void>
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

/** True if a file goes on by itself. */
export const isActive = ({ isPaused, failure }: Upload): boolean => !isPaused && failure === null

/** Names of the files of each chat that went out while others of it were still on their way. */
const sent = new Map<string, string[]>()

export const forgetSent = (): void => sent.clear()

/** Hands files that the server has to the outbox, in the order in which they were chosen. */
export const settle = (env: Env, chatRoomId: string): Promise<void> =>
  inTurn(env, `uploads ${chatRoomId}`, async () => {
    const names: string[] = []
    for (const { id, object, content } of uploadsIn(chatRoomId).filter(isActive)) {
      if (object === null) break
      await inRows(env, async () => {
        await env.crypto.uploadDone({ chatRoomId, id, object })
        remove(id)
      })
      names.push(content.voice ? 'Voice message' : content.name)
    }
    if (names.length > 0) tellTabs()
    const isLast = !uploadsIn(chatRoomId).some(isActive)
    const all = [...(sent.get(chatRoomId) ?? []), ...names]
    if (isLast) sent.delete(chatRoomId)
    else sent.set(chatRoomId, all)
    if (names.length > 0 || (isLast && all.length > 0)) await follower().stored(chatRoomId, isLast ? all : [])
  })
