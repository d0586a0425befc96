import type { Env } from '../../env.ts'
import { beginAlbum, endAlbum, inAlbums } from './albums.ts'
import { type Follower, settle } from './fileFollower.ts'
import { type Options, sendFile } from './sendFile.ts'

/** Sends several files in one act: the caption goes with the first, and pictures go as albums. */
export async function sendFiles(env: Env, chats: Follower, chatRoomId: string, files: File[], options: Options): Promise<void> {
  const { isSmaller } = options
  const parts = inAlbums(files)
  const albumOf = (at: number) => parts[at]?.album?.id
  for (const { album } of parts) if (album) beginAlbum(album.id)
  try {
    for (const [at, { file, album }] of parts.entries()) {
      const said = at === 0 ? options : { caption: '', isSmaller }
      await sendFile(env, chats, chatRoomId, file, { ...said, ...(album && { album }) })
      if (!album || albumOf(at + 1) === album.id) continue
      endAlbum(album.id)
      await settle(env, chatRoomId)
    }
  } finally {
    for (const { album } of parts) if (album) endAlbum(album.id)
  }
}
