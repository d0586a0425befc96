import type { Env } from '../../env.ts'
import { beginAlbum, endAlbum, inAlbums } from './albums.ts'
import { type Follower, settle } from './fileFollower.ts'
import { type Options, sendFile } from './sendFile.ts'

/** Sends several files in one act: the caption goes with the first, and pictures go as albums. */
export async function sendFiles(env: Env, chats: Follower, chatRoomId: string, files: File[], options: Options): Promise<void> {
  const { isSmaller, isOnce } = options
  const parts = inAlbums(files, isOnce)
  const albumOf = (at: number) => parts[at]?.album?.id
  const begun = new Set(parts.flatMap(({ album }) => album?.id ?? []))
  await Promise.all([...begun].map(beginAlbum))
  // Until a picture is kept, only this page has it: none waits for what was posted before.
  const settling: Promise<void>[] = []
  const end = (id: string) => {
    begun.delete(id)
    endAlbum(id)
    const settled = settle(env, chatRoomId)
    settled.catch(() => undefined)
    settling.push(settled)
  }
  try {
    for (const [at, { file, album }] of parts.entries()) {
      const said = at === 0 ? options : { caption: '', isSmaller, isOnce }
      await sendFile(env, chats, chatRoomId, file, { ...said, ...(album && { album }) })
      if (album && albumOf(at + 1) !== album.id) end(album.id)
    }
  } finally {
    for (const id of begun) end(id)
    await Promise.all(settling)
  }
}
